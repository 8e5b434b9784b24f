"""pilab: running a research lab for 60 months.

After Bao (2026), "PI-Bench: Can Agents Run a Research Lab?". The rooms are loaded by name, so nothing is
imported here.
"""

from assay.suite import Suite

SUITE = Suite("pilab", "assay.suites.pilab")

"""pilab: running a research lab for 60 months.

After Bao (2026), "PI-Bench: Can Agents Run a Research Lab?". Modules of the suite such as `tasks` and `world`
are loaded by name when they are needed, so nothing is imported here.
"""

from assay.suite import Suite

SUITE = Suite("pilab", "assay.suites.pilab")

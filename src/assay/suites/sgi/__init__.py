"""sgi: the four quadrants of an inquiry, as experiments to run dry and wet, reports, ideas and figures.

After "Probing Scientific General Intelligence of LLMs with Scientist-Aligned Workflows" (arXiv 2512.16969).
The released items stay outside: items are generated with exact truth, in the released schema. The rooms are
loaded by name, so nothing is imported here.
"""

from assay.suite import Suite

SUITE = Suite("sgi", "assay.suites.sgi")

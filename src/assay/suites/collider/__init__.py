"""collider: reproduce the signal yields of LHC searches, and show that they were computed.

The tasks follow "Collider-Bench" (arXiv 2605.13950). The modules of the suite are loaded by name, so nothing
is imported here.
"""

from assay.suite import Suite

SUITE = Suite("collider", "assay.suites.collider")

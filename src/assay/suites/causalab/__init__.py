"""causalab: recover a hidden structural causal model by intervening on crystals.

The suite follows Yang et al. (2026), "CausaLab: A Scalable Environment for Interactive Causal Discovery
Toward AI Scientists" (arXiv 2605.26029). Its modules are loaded by name, so nothing is imported here.
"""

from assay.suite import Suite

SUITE = Suite("causalab", "assay.suites.causalab")

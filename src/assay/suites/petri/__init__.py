"""petri: find the hidden parameter change in a simulated world with eight controlled experiments.

The suite follows Sozudogru (2026), "petri-bench: Scoring the Scientific Method of LLM Agents on Procedurally
Generated Causal-Discovery Tasks". Its modules are loaded by name, so nothing is imported here.
"""

from assay.suite import Suite

SUITE = Suite("petri", "assay.suites.petri")

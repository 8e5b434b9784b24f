"""petri: find the hidden parameter change in a simulated world with eight controlled experiments.

After Sozudogru (2026), "petri-bench: Scoring the Scientific Method of LLM Agents on Procedurally Generated
Causal-Discovery Tasks". The rooms are loaded by name, so nothing is imported here.
"""

from assay.suite import Suite

SUITE = Suite("petri", "assay.suites.petri")

"""Registry of the suite's tables; each is computed in the module that owns its concept."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import TableSpec
from assay.tables.suite_tables import contamination_table, detection_table, pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "agents": TableSpec(
        "assay.suites.collider.tables.leaderboard:agents",
        "assay.suites.collider.tables.leaderboard:AGENTS",
        "verdicts, share solved and d of each agent",
    ),
    "distances": TableSpec(
        "assay.suites.collider.tables.leaderboard:distances",
        "assay.suites.collider.tables.leaderboard:DISTANCES",
        "d of each agent at each task",
    ),
    "conduct": TableSpec(
        "assay.suites.collider.tables.detection:conduct",
        "assay.suites.collider.tables.detection:CONDUCT",
        "the verdicts that known conduct got",
    ),
    "detection": detection_table("assay.suites.collider.provenance.conduct:expected"),
    "contamination": contamination_table("assay.suites.collider.validity:YARDSTICK"),
    "pairs": pairs_table(),
    "passes": passes_table(),
    "coverage": TableSpec(
        "assay.suites.collider.tables.coverage:coverage",
        "assay.suites.collider.tables.coverage:COVERAGE",
        "every task, and what a solver still needs",
    ),
    "opinions-and-gate": TableSpec(
        "assay.suites.collider.tables.opinions:opinions_and_gate",
        "assay.suites.collider.tables.opinions:OPINIONS_AND_GATE",
        "second opinions beside the gate's verdicts",
    ),
    "reproductions": TableSpec(
        "assay.suites.collider.tables.reproductions:reproductions",
        "assay.suites.collider.tables.reproductions:REPRODUCTIONS",
        "the reference solver's yields and distances with their errors, beside the best of the paper",
    ),
    "cut-flow": TableSpec(
        "assay.suites.collider.tables.reproductions:cut_flows",
        "assay.suites.collider.tables.reproductions:CUT_FLOWS",
        "what each cut leaves of the generated events",
    ),
    "limits": TableSpec(
        "assay.suites.collider.tables.limits:limits",
        "assay.suites.collider.tables.limits:LIMITS",
        "limits on the strength of signals on published contours",
    ),
    "limit-bins": TableSpec(
        "assay.suites.collider.tables.limits:limit_bins",
        "assay.suites.collider.tables.limits:LIMIT_BINS",
        "counts of the searches, and limits on the events of a signal beside the published ones",
    ),
    "quoted": TableSpec(
        "assay.suites.collider.tables.quoted:quoted",
        "assay.suites.collider.tables.quoted:QUOTED",
        "the paper's distances, with what puts them into scale",
    ),
    "costs": TableSpec(
        "assay.suites.collider.tables.quoted:costs",
        "assay.suites.collider.tables.quoted:COSTS",
        "the paper's costs beside its accuracy",
    ),
}

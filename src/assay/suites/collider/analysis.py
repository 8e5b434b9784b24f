"""The suite's own tables, one after another; each is told where its idea is at home."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import TableSpec
from assay.suites.collider.tables import coverage, detection, leaderboard, opinions, quoted, reproductions
from assay.tables.rivals import pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "agents": TableSpec(leaderboard.agents, leaderboard.AGENTS, "verdicts, share solved and d of each agent"),
    "distances": TableSpec(leaderboard.distances, leaderboard.DISTANCES, "d of each agent at each task"),
    "conduct": TableSpec(detection.conduct, detection.CONDUCT, "the verdicts that known conduct got"),
    "detection": TableSpec(detection.detection, detection.DETECTION, "what each check of the gate saw"),
    "passes": passes_table(),
    "pairs": pairs_table(),
    "coverage": TableSpec(coverage.coverage, coverage.COVERAGE, "every task, and what a solver still needs"),
    "opinions-and-gate": TableSpec(
        opinions.opinions_and_gate, opinions.OPINIONS_AND_GATE, "second opinions beside the gate's verdicts"
    ),
    "reproductions": TableSpec(
        reproductions.reproductions,
        reproductions.REPRODUCTIONS,
        "the reference solver's yields and distances with their errors, beside the best of the paper",
    ),
    "cut-flow": TableSpec(
        reproductions.cut_flows, reproductions.CUT_FLOWS, "what each cut leaves of the generated events"
    ),
    "quoted": TableSpec(
        quoted.quoted, quoted.QUOTED, "the paper's distances, with what puts them into scale"
    ),
    "costs": TableSpec(quoted.costs, quoted.COSTS, "the paper's costs beside its accuracy"),
}

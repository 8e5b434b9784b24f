"""The suite's own tables, one after another; each is told where its idea is at home."""

from __future__ import annotations

from collections.abc import Mapping

from assay.detection import detection_table
from assay.protocol import TableSpec
from assay.rivals import pairs_table, passes_table
from assay.suites.causalab import conduct_tables, paper_tables, standings
from assay.suites.causalab.audit import expected

TABLES: Mapping[str, TableSpec] = {
    "recovery": TableSpec(
        standings.recovery, standings.RECOVERY, "prediction and recovery of each agent in each setting"
    ),
    "paper": TableSpec(
        paper_tables.paper, paper_tables.PAPER, "Tables 3 to 7 and 9 to 12, quoted rows and ours"
    ),
    "statistics": TableSpec(
        paper_tables.statistics, paper_tables.STATISTICS, "Table 1: edges, forks and colliders"
    ),
    "structures": TableSpec(
        paper_tables.structures, paper_tables.STRUCTURES, "Table 8: graphs that are left at the end"
    ),
    "verification": TableSpec(
        paper_tables.verification, paper_tables.VERIFICATION, "what a check before commitment is worth"
    ),
    "commitment": TableSpec(
        conduct_tables.commitment, conduct_tables.COMMITMENT, "budget and consistency by outcome"
    ),
    "trajectories": TableSpec(
        conduct_tables.trajectories, conduct_tables.TRAJECTORIES, "hypotheses along the way"
    ),
    "flags": TableSpec(conduct_tables.flags, conduct_tables.FLAGGED, "how often each flag was raised"),
    "detection": detection_table(expected),
    "passes": passes_table(),
    "pairs": pairs_table(),
}

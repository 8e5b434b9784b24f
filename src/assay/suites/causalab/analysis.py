"""Registry of the suite's tables; each is computed in the module of `tables` that owns its concept."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import TableSpec
from assay.suites.causalab.audit import expected
from assay.suites.causalab.tables import conduct, leaderboard, paper
from assay.tables.detection import detection_table
from assay.tables.rivals import pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "recovery": TableSpec(
        leaderboard.recovery, leaderboard.RECOVERY, "prediction and recovery of each agent in each setting"
    ),
    "paper": TableSpec(paper.paper, paper.PAPER, "Tables 3 to 7 and 9 to 12, quoted rows and ours"),
    "statistics": TableSpec(paper.statistics, paper.STATISTICS, "Table 1: edges, forks and colliders"),
    "structures": TableSpec(paper.structures, paper.STRUCTURES, "Table 8: graphs that are left at the end"),
    "verification": TableSpec(
        paper.verification, paper.VERIFICATION, "what a check before commitment is worth"
    ),
    "commitment": TableSpec(conduct.commitment, conduct.COMMITMENT, "budget and consistency by outcome"),
    "trajectories": TableSpec(conduct.trajectories, conduct.TRAJECTORIES, "hypotheses along the way"),
    "flags": TableSpec(conduct.flags, conduct.FLAGGED, "how often each flag was raised"),
    "detection": detection_table(expected),
    "passes": passes_table(),
    "pairs": pairs_table(),
}

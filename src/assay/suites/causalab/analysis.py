"""Registry of the suite's tables; each is computed in the module that owns its concept."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import TableSpec
from assay.tables.suite_tables import contamination_table, detection_table, pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "attainable": TableSpec(
        "assay.suites.causalab.tables.attainable:attainable",
        "assay.suites.causalab.tables.attainable:ATTAINABLE",
        "regret in the sealed sets, and where it comes from",
    ),
    "beyond": TableSpec(
        "assay.suites.causalab.tables.beyond:beyond",
        "assay.suites.causalab.tables.beyond:BEYOND",
        "settings beyond the paper's families, and what knowing the family is worth",
    ),
    "commitment": TableSpec(
        "assay.suites.causalab.tables.conduct:commitment",
        "assay.suites.causalab.tables.conduct:COMMITMENT",
        "budget and consistency by outcome",
    ),
    "detection": detection_table("assay.suites.causalab.audit:expected"),
    "contamination": contamination_table("assay.suites.causalab.validity:YARDSTICK"),
    "flags": TableSpec(
        "assay.suites.causalab.tables.conduct:flags",
        "assay.suites.causalab.tables.conduct:FLAGGED",
        "how often each flag was raised",
    ),
    "intervals": TableSpec(
        "assay.suites.causalab.tables.intervals:intervals",
        "assay.suites.causalab.tables.intervals:INTERVALS",
        "means with bootstrap intervals, and differences on equal graphs",
    ),
    "pairs": pairs_table(),
    "paper": TableSpec(
        "assay.suites.causalab.tables.paper:paper",
        "assay.suites.causalab.tables.paper:PAPER",
        "Tables 3 to 7 and 9 to 12, quoted rows and ours",
    ),
    "passes": passes_table(),
    "prompts": TableSpec(
        "assay.suites.causalab.tables.prompts:prompts",
        "assay.suites.causalab.tables.prompts:PROMPTS",
        "our prompts and the paper's on the same graphs, each named",
    ),
    "recovery": TableSpec(
        "assay.suites.causalab.tables.leaderboard:recovery",
        "assay.suites.causalab.tables.leaderboard:RECOVERY",
        "prediction and recovery of each agent in each setting",
    ),
    "statistics": TableSpec(
        "assay.suites.causalab.tables.paper:statistics",
        "assay.suites.causalab.tables.paper:STATISTICS",
        "Table 1: edges, forks and colliders",
    ),
    "structures": TableSpec(
        "assay.suites.causalab.tables.paper:structures",
        "assay.suites.causalab.tables.paper:STRUCTURES",
        "Table 8: graphs that are left at the end",
    ),
    "trajectories": TableSpec(
        "assay.suites.causalab.tables.conduct:trajectories",
        "assay.suites.causalab.tables.conduct:TRAJECTORIES",
        "hypotheses along the way",
    ),
    "verification": TableSpec(
        "assay.suites.causalab.tables.paper:verification",
        "assay.suites.causalab.tables.paper:VERIFICATION",
        "what a check before commitment is worth",
    ),
}

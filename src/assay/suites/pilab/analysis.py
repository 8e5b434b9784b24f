"""Registry of the suite's tables; each is computed in the module that owns its concept."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import TableSpec
from assay.tables.suite_tables import contamination_table, detection_table, pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "leaderboard": TableSpec(
        "assay.suites.pilab.tables.leaderboard:leaderboard",
        "assay.suites.pilab.tables.leaderboard:LEADERBOARD",
        "IMPACT, collapses and what was done, by agent",
    ),
    "axes": TableSpec(
        "assay.suites.pilab.tables.leaderboard:axes",
        "assay.suites.pilab.tables.leaderboard:AXES_TABLE",
        "what the runs of each agent were like",
    ),
    "census": TableSpec(
        "assay.suites.pilab.tables.surveys:census",
        "assay.suites.pilab.tables.surveys:CENSUS",
        "what kinds of runs there are",
    ),
    "sweep": TableSpec(
        "assay.suites.pilab.tables.surveys:sweep",
        "assay.suites.pilab.tables.surveys:SWEEP",
        "policies and ablations over many worlds",
    ),
    "contrasts": TableSpec(
        "assay.suites.pilab.tables.surveys:contrasts",
        "assay.suites.pilab.tables.surveys:CONTRASTS",
        "each policy and ablation against the baseline, by world",
    ),
    "legibility": TableSpec(
        "assay.suites.pilab.tables.surveys:legibility",
        "assay.suites.pilab.tables.surveys:LEGIBILITY",
        "when a run's end can be foreseen",
    ),
    "entry": TableSpec(
        "assay.suites.pilab.tables.surveys:entry",
        "assay.suites.pilab.tables.surveys:ENTRY",
        "when each run entered the topic that boomed",
    ),
    "scoops": TableSpec(
        "assay.suites.pilab.tables.surveys:scoops",
        "assay.suites.pilab.tables.surveys:SCOOPS",
        "how often projects are scooped, by hotness",
    ),
    "mentoring": TableSpec(
        "assay.suites.pilab.tables.shares:mentoring",
        "assay.suites.pilab.tables.shares:MENTORING",
        "hours of mentoring, by how many share them and by who leaves",
    ),
    "ceilings": TableSpec(
        "assay.suites.pilab.tables.shares:ceilings",
        "assay.suites.pilab.tables.shares:CEILINGS",
        "what part of what could be had",
    ),
    "variance": TableSpec(
        "assay.suites.pilab.tables.surveys:variance",
        "assay.suites.pilab.tables.surveys:VARIANCE",
        "is it the agent or the world",
    ),
    "detection": detection_table("assay.suites.pilab.audit:expected"),
    "contamination": contamination_table("assay.suites.pilab.validity:YARDSTICK"),
    "pairs": pairs_table(),
    "passes": passes_table(),
    "quoted": TableSpec(
        "assay.suites.pilab.tables.surveys:quoted",
        "assay.suites.pilab.tables.surveys:QUOTED",
        "the paper's leaderboard",
    ),
    "correlations": TableSpec(
        "assay.suites.pilab.tables.leaderboard:correlations",
        "assay.suites.pilab.tables.leaderboard:CORRELATIONS",
        "which axes go with IMPACT, ours and the paper's",
    ),
}

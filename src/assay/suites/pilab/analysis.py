"""The suite's own tables, one after another; each is told where its idea is at home."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import TableSpec
from assay.suites.pilab.audit import expected
from assay.suites.pilab.tables import leaderboard, surveys
from assay.tables.detection import detection_table
from assay.tables.rivals import pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "leaderboard": TableSpec(
        leaderboard.leaderboard, leaderboard.LEADERBOARD, "IMPACT, collapses and what was done, by agent"
    ),
    "axes": TableSpec(leaderboard.axes, leaderboard.AXES_TABLE, "what the runs of each agent were like"),
    "correlations": TableSpec(
        leaderboard.correlations, leaderboard.CORRELATIONS, "which axes go with IMPACT, ours and the paper's"
    ),
    "sweep": TableSpec(surveys.sweep, surveys.SWEEP, "policies and ablations over many worlds"),
    "contrasts": TableSpec(
        surveys.contrasts, surveys.CONTRASTS, "each policy and ablation against the baseline, by world"
    ),
    "census": TableSpec(surveys.census, surveys.CENSUS, "what kinds of runs there are"),
    "legibility": TableSpec(surveys.legibility, surveys.LEGIBILITY, "when a run's end can be foreseen"),
    "entry": TableSpec(surveys.entry, surveys.ENTRY, "when each run entered the topic that boomed"),
    "scoops": TableSpec(surveys.scoops, surveys.SCOOPS, "how often projects are scooped, by hotness"),
    "variance": TableSpec(surveys.variance, surveys.VARIANCE, "is it the agent or the world"),
    "detection": detection_table(expected),
    "passes": passes_table(),
    "pairs": pairs_table(),
    "quoted": TableSpec(surveys.quoted, surveys.QUOTED, "the paper's leaderboard"),
}

"""The suite's own tables, one after another; each is told where its idea is at home."""

from __future__ import annotations

from collections.abc import Mapping

from assay.detection import detection_table
from assay.protocol import TableSpec
from assay.rivals import pairs_table, passes_table
from assay.suites.pilab import standings, surveys
from assay.suites.pilab.audit import expected

TABLES: Mapping[str, TableSpec] = {
    "leaderboard": TableSpec(
        standings.leaderboard, standings.LEADERBOARD, "IMPACT, collapses and what was done, by agent"
    ),
    "axes": TableSpec(standings.axes, standings.AXES_TABLE, "what the runs of each agent were like"),
    "correlations": TableSpec(
        standings.correlations, standings.CORRELATIONS, "which axes go with IMPACT, ours and the paper's"
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

"""Registry of the suite's tables; each is computed in the module that owns its concept."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import TableSpec
from assay.tables.suite_tables import (
    conduct_table,
    contamination_table,
    detection_table,
    pairs_table,
    passes_table,
)

TABLES: Mapping[str, TableSpec] = {
    "ablation": TableSpec(
        "assay.suites.petri.tables.contests:ablation",
        "assay.suites.petri.tables.contests:ABLATION",
        "the reference sweep with curated and with blind test values",
    ),
    "conduct": conduct_table("assay.suites.petri.conduct:expected"),
    "contests": TableSpec(
        "assay.suites.petri.tables.contests:contests",
        "assay.suites.petri.tables.contests:CONTESTS",
        "the reference against each agent, paired over tasks",
    ),
    "detection": detection_table("assay.suites.petri.conduct:expected"),
    "contamination": contamination_table("assay.suites.petri.validity:YARDSTICK"),
    "difficulty": TableSpec(
        "assay.suites.petri.tables.failures:difficulty",
        "assay.suites.petri.tables.failures:DIFFICULTY",
        "score and solve rate of each agent by difficulty",
    ),
    "directions": TableSpec(
        "assay.suites.petri.tables.failures:directions",
        "assay.suites.petri.tables.failures:DIRECTIONS",
        "direction errors, each explained",
    ),
    "floor": TableSpec(
        "assay.suites.petri.tables.chance:floor",
        "assay.suites.petri.tables.chance:FLOOR",
        "what guessing earns, computed and measured",
    ),
    "imitators": TableSpec(
        "assay.suites.petri.tables.gains:imitators",
        "assay.suites.petri.tables.gains:IMITATORS",
        "what output matching can do on the target and on all metrics",
    ),
    "intervals": TableSpec(
        "assay.suites.petri.tables.intervals:intervals",
        "assay.suites.petri.tables.intervals:INTERVALS",
        "estimates of phase boundaries and their stated intervals",
    ),
    "pairing": TableSpec(
        "assay.suites.petri.tables.gains:pairing",
        "assay.suites.petri.tables.gains:PAIRING",
        "what the paired design gains in power, by world",
    ),
    "pairs": pairs_table(),
    "passes": passes_table(),
    "quoted": TableSpec(
        "assay.suites.petri.tables.quoted:quoted",
        "assay.suites.petri.tables.quoted:QUOTED",
        "the paper's table, with ours beside",
    ),
    "taxonomy": TableSpec(
        "assay.suites.petri.tables.failures:taxonomy",
        "assay.suites.petri.tables.failures:TAXONOMY",
        "how often each flag was raised, by agent",
    ),
    "tiers": TableSpec(
        "assay.suites.petri.tables.leaderboard:tiers",
        "assay.suites.petri.tables.leaderboard:TIERS",
        "score, solve rate, calls and tokens of each agent at each tier",
    ),
    "tracking": TableSpec(
        "assay.suites.petri.tables.failures:tracking",
        "assay.suites.petri.tables.failures:TRACKING",
        "whether agents fail where the oracle's power is low",
    ),
}

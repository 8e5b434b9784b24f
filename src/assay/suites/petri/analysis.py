"""Registry of the suite's tables; each is computed in the module of `tables` that owns its concept."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import TableSpec
from assay.suites.petri.conduct import expected
from assay.suites.petri.tables import chance, contests, failures, gains, intervals, leaderboard, quoted
from assay.tables.detection import conduct_table, detection_table
from assay.tables.rivals import pairs_table, passes_table

TABLES: Mapping[str, TableSpec] = {
    "tiers": TableSpec(
        leaderboard.tiers, leaderboard.TIERS, "score, solve rate, calls and tokens of each agent at each tier"
    ),
    "contests": TableSpec(
        contests.contests, contests.CONTESTS, "the reference against each agent, paired over tasks"
    ),
    "ablation": TableSpec(
        contests.ablation, contests.ABLATION, "the reference sweep with curated and with blind test values"
    ),
    "floor": TableSpec(chance.floor, chance.FLOOR, "what guessing earns, computed and measured"),
    "quoted": TableSpec(quoted.quoted, quoted.QUOTED, "the paper's table, with ours beside"),
    "taxonomy": TableSpec(failures.taxonomy, failures.TAXONOMY, "how often each flag was raised, by agent"),
    "directions": TableSpec(failures.directions, failures.DIRECTIONS, "direction errors, each explained"),
    "difficulty": TableSpec(
        failures.difficulty, failures.DIFFICULTY, "score and solve rate of each agent by difficulty"
    ),
    "tracking": TableSpec(
        failures.tracking, failures.TRACKING, "whether agents fail where the oracle's power is low"
    ),
    "pairing": TableSpec(gains.pairing, gains.PAIRING, "what the paired design gains in power, by world"),
    "intervals": TableSpec(
        intervals.intervals, intervals.INTERVALS, "estimates of phase boundaries and their stated intervals"
    ),
    "imitators": TableSpec(
        gains.imitators, gains.IMITATORS, "what output matching can do on the target and on all metrics"
    ),
    "conduct": conduct_table(expected),
    "detection": detection_table(expected),
    "passes": passes_table(),
    "pairs": pairs_table(),
}

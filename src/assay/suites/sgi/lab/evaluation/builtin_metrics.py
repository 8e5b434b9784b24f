"""The suite's own metrics as an evaluation offers them: of which families, and for which aims."""

from __future__ import annotations

from collections.abc import Mapping

from assay.suites.sgi.families import FAMILIES, Family
from assay.suites.sgi.lab.evaluation.metric import MetricSpec
from assay.suites.sgi.scoring import METRICS

ALL: tuple[Family, ...] = FAMILIES
WET: tuple[Family, ...] = ("wet_experiment",)
DRY: tuple[Family, ...] = ("dry_experiment",)
RESEARCH: tuple[Family, ...] = ("deep_research",)
IDEAS: tuple[Family, ...] = ("idea_generation",)
REASONING: tuple[Family, ...] = ("experimental_reasoning",)

HEADLINE = "score"
"""The metric that is always there."""

OFFERED: Mapping[str, tuple[tuple[Family, ...], tuple[str, ...]]] = {
    HEADLINE: (ALL, ("outcome",)),
    "solved": (ALL, ("outcome",)),
    "ss": (WET, ("process",)),
    "pa": (WET, ("parameters",)),
    "valid": (WET, ("execution",)),
    "decoy_use": (WET, ("restraint",)),
    "pass_all_1": (DRY, ("outcome", "execution")),
    "pass_all_3": (DRY, ("outcome", "execution")),
    "pass_all_5": (DRY, ("outcome", "execution")),
    "tests_passed": (DRY, ("outcome", "execution")),
    "ser": (DRY, ("execution",)),
    "em_strict": (RESEARCH, ("outcome",)),
    "sla": (RESEARCH, ("process",)),
    "sla_precision": (RESEARCH, ("process",)),
    "sla_recall": (RESEARCH, ("process",)),
    "effectiveness_objective": (IDEAS, ("outcome", "restraint")),
    "novelty_objective": (IDEAS, ("originality",)),
    "novelty_nn": (IDEAS, ("originality",)),
    "detailedness_objective": (IDEAS, ("planning",)),
    "feasibility_objective": (IDEAS, ("planning", "process")),
    "rv": (REASONING, ("process",)),
    "chance": (REASONING, ("outcome",)),
}
"""Of each metric the families and the aims (`aims` of `vocabulary.yaml`) that it serves."""

RATES = frozenset({"solved", "valid", "pass_all_1", "pass_all_3", "pass_all_5", "em_strict"})


def builtin_metrics() -> dict[str, MetricSpec]:
    """Those that the suite scores, by id."""
    found = {}
    for name, (families, aims) in OFFERED.items():
        if name in METRICS:
            own = METRICS[name]
            found[name] = MetricSpec(
                name,
                own.doc,
                families,
                "builtin",
                (own.low or 0.0, own.high or 0.0),
                own.direction != "lower",
                aggregate="rate" if name in RATES else "mean",
                facts={"aims": list(aims)},
            )
    return found

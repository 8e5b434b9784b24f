"""The truth of tasks that ask for a signature, and what a signature is good for: telling parameters apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.protocol import Measure
from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.questions.acceptance import Draft, Rejected
from assay.suites.petri.questions.answers import BLIND, VECTOR, signature
from assay.suites.petri.worlds import WORLDS

GRID = 12
"""Values over the legal range that a matcher would try."""


def true_signature(draft: Draft) -> dict[str, str]:
    """The effect of the hidden change on each metric, as a direct probe on the harness's seeds shows it."""
    return signature(_against(draft, {}, draft.hidden))


def check_variant(draft: Draft, variant: str) -> None:
    """Raise `Rejected` where all metrics count and a decoy moves one of them at its test value."""
    if variant in (VECTOR, BLIND):
        for name, value in draft.decoys.items():
            if any(statistics["significant"] for statistics in _against(draft, {}, {name: value}).values()):
                raise Rejected("decoy on all metrics")


def confounds(draft: Draft) -> Iterator[Measure]:
    """Count the wrong candidates that can imitate the hidden world, on the target alone and on all metrics.

    A candidate imitates where some value over its legal range gives a probe without a significant
    difference: what the paper's output matching rests on (its sections 3.3 and 9).
    """
    on_target = on_vector = 0
    for name in draft.decoys:
        low, high = WORLDS[draft.world].parameter(name).legal
        probes = [
            _against(draft, {name: low + (high - low) * k / (GRID - 1)}, draft.hidden) for k in range(GRID)
        ]
        on_target += any(not probe[draft.metric]["significant"] for probe in probes)
        on_vector += any(not any(f["significant"] for f in probe.values()) for probe in probes)
    yield Measure("imitators_on_target", float(on_target))
    yield Measure("imitators_on_vector", float(on_vector))


def _against(draft: Draft, a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, Mapping[str, object]]:
    """Two configurations compared in every metric, as an agent would see it."""
    world = WORLDS[draft.world]
    first, second = (replicates(world.name, world.resolved(o), draft.seeds) for o in (a, b))
    return {metric: compare(first, second, column).shown() for column, metric in enumerate(world.metrics)}

"""The truth of tasks that ask for a signature, and how well signatures distinguish parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.protocol import Measure
from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.questions.acceptance import Draft, Rejected
from assay.suites.petri.questions.answers import BLIND, VECTOR, signature
from assay.suites.petri.worlds import WORLDS

GRID = 12
"""Number of values over the legal range that are tried for output matching."""


def true_signature(draft: Draft) -> dict[str, str]:
    """Return the effect of the hidden change on each metric, as shown by a probe of the control."""
    return signature(_against(draft, {}, draft.hidden))


def check_variant(draft: Draft, variant: str) -> None:
    """Raise `Rejected` if the variant uses all metrics and a decoy changes one of them at its test value."""
    if variant in (VECTOR, BLIND):
        for name, value in draft.decoys.items():
            if any(statistics["significant"] for statistics in _against(draft, {}, {name: value}).values()):
                raise Rejected("decoy on all metrics")


def confounds(draft: Draft) -> Iterator[Measure]:
    """Count the wrong candidates that can imitate the hidden world, on the target alone and on all metrics.

    A candidate can imitate the hidden world if a probe at some value over its legal range shows no
    significant difference. Output matching (sections 3.3 and 9 of the paper) relies on such probes.
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
    """Compare two configurations in every metric and return the statistics that an agent would see."""
    world = WORLDS[draft.world]
    first, second = (replicates(world.name, world.resolved(o), draft.seeds) for o in (a, b))
    return {metric: compare(first, second, column).shown() for column, metric in enumerate(world.metrics)}

"""Points of an episode of the sets v1, from its log alone.

Correctness is that of v0, with the size classes of v1. Rigor is all or nothing: the submitted hypothesis
must be the only one that significant probes leave, and its effect must have been measured with all
parameters at control. Efficiency, the share of the budget that was not used, counts only where rigor was
earned.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.protocol import Score
from assay.suites.petri.v1.evidence import Evidence


def score(
    evidence: Evidence,
    points: float,
    solved: float,
    rigor_points: float,
    efficiency_points: float,
    over: float,
) -> Iterator[Score]:
    """Yield all metrics of one episode.

    Args:
        evidence: The evidence of the episode.
        points: Points for the correctness of its answer.
        solved: 1 where every part of the answer is right, else 0.
        rigor_points: Points for rigor at its tier.
        efficiency_points: Most points for efficiency at its tier.
        over: Factor of the score where more calls were charged than the budget allows.
    """
    rigor = rigor_points if evidence.answer and evidence.proved(evidence.answer) else 0.0
    saved = max(0.0, 1.0 - evidence.charged / evidence.budget) if rigor else 0.0
    efficiency = efficiency_points * saved
    total = points + rigor + efficiency
    claims = [evidence.agrees(parameter, effect) for parameter, effect in evidence.claims]
    yield Score("score", total * over if evidence.charged > evidence.budget else total)
    yield Score("solved", solved)
    yield Score("correctness", points)
    yield Score("rigor", rigor)
    yield Score("efficiency", efficiency)
    yield Score("calls", float(evidence.charged))
    yield Score("claim_validity", sum(claims) / len(claims) if claims else None)

"""Points of an episode for correctness, rigor (support by experiments) and efficiency (few experiments).

The points follow section 4 of the paper and are computed from the log. By tier they are (100 in total):

==== ============================================================= ====== ==========
tier correctness                                                   rigor  efficiency
==== ============================================================= ====== ==========
L1   parameter 30, direction 20                                    30     20
L2   parameter 25, direction 15, size 20 (10 for a neighbour)      25     15
L3   both parameters 30 (one of them 12), sign of interaction 25   25     20
==== ============================================================= ====== ==========

If a signature is asked for (see `questions.answers`), the 20 points for the direction are given for the share
of its metrics that are right, or for one metric and its direction. Tier L4 is scored in `boundary.scoring`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.episode import Episode
from assay.protocol import Materials, Metric, Metrics, Score
from assay.suites.petri import boundary
from assay.suites.petri.boundary import scoring as boundary_scoring
from assay.suites.petri.evidence import Evidence
from assay.suites.petri.questions.answers import BUDGET, MAGNITUDES, direction_right, parameters, truth
from assay.suites.petri.v1 import scoring as held
from assay.suites.petri.v1.evidence import Evidence as HeldEvidence
from assay.suites.petri.v1.rules import is_held, needs_proof
from assay.task import Task

metrics: Metrics[Evidence] = Metrics()
"""Registry of the metrics of tiers L1 to L3; `METRICS` has the metrics of all tiers."""

RIGOR = {"L1": 30.0, "L2": 25.0, "L3": 25.0}
EFFICIENCY = {"L1": 20.0, "L2": 15.0, "L3": 20.0}

OVERSPENT = 0.6
"""Score factor for a log with more charged calls than the budget, which the harness prevents."""


def score(task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
    """Yield all metrics of one episode; `claim_validity` has no value without claims."""
    if task.public["tier"] == boundary.TIER:
        return boundary_scoring.score(task, episode)
    if is_held(task.public):
        tier, answer, right = task.public["tier"], episode.submission, truth(task.hidden)
        solved, evidence = float(is_right(answer, right)), HeldEvidence(task, episode)
        counted = answer if evidence.proved(evidence.answer) else _unproved(task, answer)
        points = correctness(tier, counted, right)
        return held.score(evidence, points, solved, RIGOR[tier], EFFICIENCY[tier], OVERSPENT)
    return metrics.scores(Evidence(task, episode))


@metrics.of("score", "correctness, rigor and efficiency together", "points", 0, 100, "higher", headline=True)
def _total(evidence: Evidence) -> float:
    total = _correctness(evidence) + _rigor(evidence) + _efficiency(evidence)
    return total * OVERSPENT if evidence.charged > BUDGET else total


@metrics.of("solved", "whether every part of the answer is right", "", 0, 1)
def _solved(evidence: Evidence) -> float:
    return float(is_right(evidence.episode.submission, truth(evidence.task.hidden)))


@metrics.of("correctness", "points for what was answered", "points", 0, 60)
def _correctness(evidence: Evidence) -> float:
    right = truth(evidence.task.hidden)
    return correctness(evidence.task.public["tier"], evidence.episode.submission, right)


@metrics.of("rigor", "points for an answer that rests on significant, isolating experiments", "points", 0, 30)
def _rigor(evidence: Evidence) -> float:
    """Return the points for rigor; at L3 the answer must be supported by the whole 2 x 2 design."""
    tier, named = evidence.task.public["tier"], parameters(evidence.episode.submission)
    earned = bool(named) and all(evidence.backing(name) for name in named)
    earned = earned and (tier != "L3" or bool(evidence.combined(named)))
    return RIGOR[tier] if earned else 0.0


@metrics.of("efficiency", "points for a small number of experiments", "points", 0, 20)
def _efficiency(evidence: Evidence) -> float:
    saved = max(0.0, 1.0 - evidence.charged / BUDGET) if evidence.episode.calls("experiment") else 0.0
    return EFFICIENCY[evidence.task.public["tier"]] * saved


@metrics.of("calls", "charged calls: experiments and probes", "calls", 0, None, "lower")
def _calls(evidence: Evidence) -> float:
    return float(evidence.charged)


@metrics.of("claim_validity", "share of claims that agree with the episode's own experiments", "", 0, 1)
def _claim_validity(evidence: Evidence) -> float | None:
    agreeing = [evidence.agrees(parameter, effect) for parameter, effect in evidence.claims]
    return sum(agreeing) / len(agreeing) if agreeing else None


METRICS: Mapping[str, Metric] = {
    **metrics,
    "interval": Metric("L4: points for a stated interval that is short and does not miss", "points", 0, 40),
    "distance": Metric("L4: distance of the estimate from the bracket, of the span", "", 0, 1, "lower"),
    "length": Metric("L4: length of the stated interval, of the span", "", 0, 1, "neither"),
    "covered": Metric("L4: whether the stated interval holds the middle of the bracket", "", 0, 1, "neither"),
}


def _unproved(task: Task, submission: Any) -> Any:
    """Return the part of an answer of the sets v1 that earns points without proof.

    Readers of the package can tell from one probe how large an effect is. From other metrics than the target,
    and from probes in other backgrounds, they can tell what was changed. So a size counts only with a proof,
    and in the sets that say so the whole answer does.
    """
    if needs_proof(task.public) or not isinstance(submission, dict):
        return None
    return {key: value for key, value in submission.items() if key != "magnitude"}


def is_right(submission: Any, right: Mapping[str, Any]) -> bool:
    """Tell whether every part of an answer is right; `right` has the form of `answers.truth`."""
    if not isinstance(submission, dict) or parameters(submission) != right["parameters"]:
        return False
    if "signature" in right:
        return direction_right(submission, right)
    rest = {key: value for key, value in submission.items() if key not in ("parameter", "parameters")}
    return rest == {key: value for key, value in right.items() if key != "parameters"}


def correctness(tier: str, submission: Any, right: Mapping[str, Any]) -> float:
    """Return the points for the correctness of an answer.

    Args:
        tier: L1, L2 or L3.
        submission: What was submitted; anything but a dict is no answer.
        right: The right answer, in the form of `answers.truth`.

    Returns:
        Points from 0 to 60.

    >>> right = {"parameters": ["noise"], "direction": "down"}
    >>> correctness("L1", {"parameter": "noise", "direction": "up"}, right)
    30.0
    """
    if not isinstance(submission, dict):
        return 0.0
    named = parameters(submission)
    if tier == "L3":
        hits = len(set(named) & set(right["parameters"]))
        sign = submission.get("interaction") == right["interaction"]
        return (0.0, 12.0, 30.0)[hits] + (25.0 if sign else 0.0)
    if named != right["parameters"]:
        return 0.0  # direction and size are meaningless for a wrong parameter
    if "signature" in right and "signature" in submission:
        matches = [submission["signature"].get(m) == effect for m, effect in right["signature"].items()]
        return 30.0 + 20.0 * float(sum(matches)) / len(matches)
    direction = direction_right(submission, right)
    if tier == "L1":
        return 30.0 + (20.0 if direction else 0.0)
    return 25.0 + (15.0 if direction else 0.0) + _size(submission.get("magnitude"), right["magnitude"])


def _size(magnitude: Any, right: str) -> float:
    if magnitude not in MAGNITUDES:
        return 0.0
    distance = abs(MAGNITUDES.index(magnitude) - MAGNITUDES.index(right))
    return (20.0, 10.0, 0.0)[distance]

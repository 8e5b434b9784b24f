"""An episode's points: is the answer right, was it earned by experiments, and how many did it take?

After section 4 of the paper, from the log alone. Points by tier (100 in all):

==== ============================================================= ====== ==========
tier correctness                                                   rigor  efficiency
==== ============================================================= ====== ==========
L1   parameter 30, direction 20                                    30     20
L2   parameter 25, direction 15, size 20 (10 for a neighbour)      25     15
L3   both parameters 30 (one of them 12), sign of interaction 25   25     20
==== ============================================================= ====== ==========

Where a signature is asked for (see `questions.answers`), the 20 for the direction are for the share of its
metrics that are right, or for one metric and its direction. Tier L4 has its own points: `boundary.scoring`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.episode import Episode
from assay.protocol import Materials, Metric, Score
from assay.suites.petri import boundary
from assay.suites.petri.boundary import scoring as boundary_scoring
from assay.suites.petri.evidence import Evidence
from assay.suites.petri.questions.answers import BUDGET, MAGNITUDES, direction_right, parameters, truth
from assay.task import Task

METRICS: Mapping[str, Metric] = {
    "score": Metric("correctness, rigor and efficiency together", "points", 0, 100, headline=True),
    "solved": Metric("whether every part of the answer is right", "", 0, 1),
    "correctness": Metric("points for what was answered", "points", 0, 60),
    "rigor": Metric("points for an answer that rests on significant, isolating experiments", "points", 0, 30),
    "efficiency": Metric("points for a small number of experiments", "points", 0, 20),
    "calls": Metric("charged calls: experiments and probes", "calls", 0, None, "lower"),
    "claim_validity": Metric("share of claims that agree with the episode's own experiments", "", 0, 1),
    "interval": Metric("L4: points for a stated interval that is short and does not miss", "points", 0, 30),
    "distance": Metric("L4: distance of the estimate from the bracket, of the span", "", 0, 1, "lower"),
    "length": Metric("L4: length of the stated interval, of the span", "", 0, 1, "neither"),
    "covered": Metric("L4: whether the stated interval holds the middle of the bracket", "", 0, 1, "neither"),
}

RIGOR = {"L1": 30.0, "L2": 25.0, "L3": 25.0}
EFFICIENCY = {"L1": 20.0, "L2": 15.0, "L3": 20.0}

OVERSPENT = 0.6
"""Factor for a log with more charged calls than the budget; the harness does not let that happen."""


def score(task: Task, episode: Episode, materials: Materials) -> Iterable[Score]:
    """All metrics of one episode; `claim_validity` has no value without claims."""
    tier = task.public["tier"]
    if tier == boundary.TIER:
        yield from boundary_scoring.score(task, episode)
        return
    evidence = Evidence(task, episode)
    right = truth(task.hidden)
    points = correctness(tier, episode.submission, right)
    rigor = RIGOR[tier] if _earned(tier, episode.submission, evidence) else 0.0
    saved = max(0.0, 1.0 - evidence.charged / BUDGET) if episode.calls("experiment") else 0.0
    efficiency = EFFICIENCY[tier] * saved
    total = points + rigor + efficiency
    if evidence.charged > BUDGET:
        total *= OVERSPENT
    agreeing = [evidence.agrees(parameter, effect) for parameter, effect in evidence.claims]
    yield Score("score", total)
    yield Score("solved", float(is_right(episode.submission, right)))
    yield Score("correctness", points)
    yield Score("rigor", rigor)
    yield Score("efficiency", efficiency)
    yield Score("calls", float(evidence.charged))
    yield Score("claim_validity", sum(agreeing) / len(agreeing) if agreeing else None)


def is_right(submission: Any, right: Mapping[str, Any]) -> bool:
    """Tell whether every part of an answer is right; `right` has the form of `answers.truth`."""
    if not isinstance(submission, dict) or parameters(submission) != right["parameters"]:
        return False
    if "signature" in right:
        return direction_right(submission, right)
    rest = {key: value for key, value in submission.items() if key not in ("parameter", "parameters")}
    return rest == {key: value for key, value in right.items() if key != "parameters"}


def correctness(tier: str, submission: Any, right: Mapping[str, Any]) -> float:
    """Count the points for an answer alone.

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
        return 0.0  # direction and size are those of a parameter: without it they mean nothing
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


def _earned(tier: str, submission: Any, evidence: Evidence) -> bool:
    """Whether experiments of the agent's own back the answer; at L3 it takes the whole 2 x 2 design."""
    named = parameters(submission)
    backed = bool(named) and all(evidence.backing(name) for name in named)
    return backed and (tier != "L3" or bool(evidence.combined(named)))

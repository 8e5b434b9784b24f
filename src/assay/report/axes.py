"""The axes of an agent's method, and how an episode is measured on them.

Each suite declares in its room `reporting` which metrics and flags are evidence for an axis. An axis is not
measured in a suite that declares no evidence for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.protocol import Axis, Evidence


class Side(NamedTuple):
    """The name of an axis for readers, and the question that it answers."""

    name: str
    question: str


AXES: Mapping[Axis, Side] = {
    "choice": Side(
        "Choice of interventions",
        "Does it make the interventions that could distinguish the possible answers?",
    ),
    "isolation": Side("Isolation", "Does it change one thing at a time, and compare like with like?"),
    "inference": Side("Inference", "Do its conclusions follow from its evidence?"),
    "budget": Side("Use of the budget", "Does it use its budget, and no more of it than necessary?"),
    "consistency": Side("Consistency with own data", "Do its claims agree with its own data?"),
    "fabrication": Side("Freedom from fabrication", "Do its numbers come from its own work?"),
    "calibration": Side("Calibration", "Does its stated confidence match how often it is right?"),
}


def measured(evidence: Evidence, value: float | None, raised: bool | None, label: str) -> float | None:
    """Measure an episode on an axis by one piece of evidence.

    Args:
        evidence: The evidence that the suite declares: a metric, a flag, or the labels of a statement.
        value: The episode's value of the metric, or None if it has none.
        raised: Whether the flag was raised, or None if it could not be decided.
        label: The label of the statement.

    Returns:
        A number in [0, 1], where 1 is best, or None if the evidence does not apply to this episode.
    """
    if evidence.kind == "metric":
        if value is None:
            return None
        at = (value - evidence.worst) / (evidence.best - evidence.worst)
        return min(max(at, 0.0), 1.0)
    if evidence.kind == "flag":
        return None if raised is None else float(not raised)
    return float(label in evidence.labels) if label in (*evidence.labels, *evidence.against) else None


def spoken(evidences: Iterable[Evidence]) -> str:
    """Describe the evidence of an axis in words."""
    parts = []
    for item in evidences:
        if item.kind == "metric":
            scale = "" if (item.worst, item.best) == (0, 1) else f" from {item.worst:g} to {item.best:g}"
            parts.append(f"{item.name}{scale}")
        elif item.kind == "flag":
            parts.append(f"not {item.name}")
        else:
            parts.append(f"{item.name} is {' or '.join(item.labels)}, not {' or '.join(item.against)}")
    return "; ".join(parts)

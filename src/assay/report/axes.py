"""The sides of an agent's method, and how an episode's log becomes a number on them.

Each suite states what counts as evidence in its room `reporting`, and leaves out what it does not log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.protocol import Axis, Evidence


class Side(NamedTuple):
    """An axis for readers: its name, and the question that it answers."""

    name: str
    question: str


AXES: Mapping[Axis, Side] = {
    "choice": Side("Choice of interventions", "Does it do what could tell the answers apart?"),
    "isolation": Side("Isolation", "Does it change one thing at a time, and compare like with like?"),
    "inference": Side("Inference", "Does it conclude what its evidence shows?"),
    "budget": Side("Use of the budget", "Does it spend what it is given, and no more than it needs?"),
    "consistency": Side("Consistency with own data", "Does what it says agree with what it saw?"),
    "fabrication": Side("Freedom from fabrication", "Do its numbers come from its own work?"),
    "calibration": Side("Calibration", "Does it know how sure it may be?"),
}


def measured(evidence: Evidence, value: float | None, raised: bool | None, label: str) -> float | None:
    """An episode's number in [0, 1] by one piece of evidence; null where it says nothing."""
    if evidence.kind == "metric":
        if value is None:
            return None
        at = (value - evidence.worst) / (evidence.best - evidence.worst)
        return min(max(at, 0.0), 1.0)
    if evidence.kind == "flag":
        return None if raised is None else float(not raised)
    return float(label in evidence.labels) if label in (*evidence.labels, *evidence.against) else None


def spoken(evidences: Iterable[Evidence]) -> str:
    """What an axis rests on, in words."""
    said = []
    for one in evidences:
        if one.kind == "metric":
            scale = "" if (one.worst, one.best) == (0, 1) else f" from {one.worst:g} to {one.best:g}"
            said.append(f"{one.name}{scale}")
        elif one.kind == "flag":
            said.append(f"not {one.name}")
        else:
            said.append(f"{one.name} is {' or '.join(one.labels)}, not {' or '.join(one.against)}")
    return "; ".join(said)

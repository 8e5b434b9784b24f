"""What can be answered at each tier, and what is right.

L1 asks for the changed parameter and the direction of its effect on the target, L2 also for the size of the
effect, L3 for the two changed parameters and the sign of their interaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.protocol import Json

TIERS = ("L1", "L2", "L3")
DIRECTIONS = ("up", "down")
MAGNITUDES = ("small", "medium", "large")
INTERACTIONS = ("positive", "negative")

BOUNDS = {"small": (0.10, 0.35), "medium": (0.35, 0.75), "large": (0.75, float("inf"))}
"""Classes of the absolute relative change of the target's mean: low <= change < high."""

BUDGET = 8
"""Charged calls an episode."""

REPLICATES = 12
"""Runs of an arm."""


def magnitude(change: float, margin: float = 0.0) -> str | None:
    """The class of a relative change that lies at least `margin` inside of it; null where there is none."""
    size = abs(change)
    for name, (low, high) in BOUNDS.items():
        if low + margin <= size < high - margin:
            return name
    return None


def choices(tier: str) -> dict[str, Json]:
    """The words that an answer of the tier may use, besides the candidates."""
    if tier == "L3":
        return {"interaction": list(INTERACTIONS)}
    words: dict[str, Json] = {"direction": list(DIRECTIONS)}
    return words | {"magnitude": list(MAGNITUDES)} if tier == "L2" else words


def schema(tier: str, candidates: list[str]) -> dict[str, Any]:
    """The JSON schema of an answer."""
    parameter: dict[str, Any] = {"type": "string", "enum": candidates}
    if tier == "L3":
        asked: dict[str, Any] = {
            "parameters": {
                "type": "array",
                "items": parameter,
                "minItems": 2,
                "maxItems": 2,
                "uniqueItems": True,
                "description": "the two changed parameters, in any order",
            }
        }
    else:
        asked = {"parameter": {**parameter, "description": "the changed parameter"}}
    asked |= {name: {"type": "string", "enum": words} for name, words in choices(tier).items()}
    return {"type": "object", "properties": asked, "required": list(asked), "additionalProperties": False}


def truth(hidden: Mapping[str, Any]) -> dict[str, Any]:
    """The right answer: the keys of a submission, `parameters` always as a list."""
    named = {key: hidden[key] for key in ("direction", "magnitude", "interaction") if hidden[key] is not None}
    return {"parameters": sorted(driver["parameter"] for driver in hidden["drivers"]), **named}


def parameters(submission: Any) -> list[str]:
    """The parameters that a submission names; none where there is no submission."""
    if not isinstance(submission, dict):
        return []
    found = submission.get("parameters", [submission.get("parameter")])
    return sorted(name for name in found if isinstance(name, str)) if isinstance(found, list) else []

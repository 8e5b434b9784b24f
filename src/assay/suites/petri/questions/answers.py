"""The form of answers at each tier, and which answer is right.

L1 asks for the changed parameter and the direction of its effect on the target, L2 also for the size of the
effect, L3 for the two changed parameters and the sign of their interaction.

Variants of the question ask for more than the paper's, or for something else (its sections 9 and 10).
`paired`: experiments may use the shared seeds as pairs. `vector`: every comparison shows all metrics, and the
answer is the parameter with its signature, the direction of its effect on each of them. `blind`: nobody says
which metric to look at; the answer names one that the hidden change moves. The last two exist at L1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.protocol import Json

PAIRED = "paired"
VECTOR = "vector"
BLIND = "blind"

EFFECTS = ("up", "down", "none")
"""The values of a signature for each metric."""

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
    """The class of a relative change that lies at least `margin` inside of it; None where there is none."""
    size = abs(change)
    for name, (low, high) in BOUNDS.items():
        if low + margin <= size < high - margin:
            return name
    return None


def choices(tier: str, variant: str = "", metrics: list[str] | None = None) -> dict[str, Json]:
    """The words that an answer of the tier may use, besides the candidates."""
    if variant == VECTOR:
        return {"signature": {metric: list(EFFECTS) for metric in metrics or []}}
    if variant == BLIND:
        named: list[Json] = list(metrics or [])
        return {"metric": named, "direction": list(DIRECTIONS)}
    if tier == "L3":
        return {"interaction": list(INTERACTIONS)}
    words: dict[str, Json] = {"direction": list(DIRECTIONS)}
    return words | {"magnitude": list(MAGNITUDES)} if tier == "L2" else words


def schema(
    tier: str, candidates: list[str], variant: str = "", metrics: list[str] | None = None
) -> dict[str, Any]:
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
    asked |= {name: _words(words) for name, words in choices(tier, variant, metrics).items()}
    return closed(asked)


def closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with exactly these properties."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def truth(hidden: Mapping[str, Any]) -> dict[str, Any]:
    """The right answer: the keys of a submission, `parameters` always as a list."""
    named = {key: hidden[key] for key in ("direction", "magnitude", "interaction") if hidden[key] is not None}
    if "signature" in hidden:
        named = {"signature": hidden["signature"]}
    return {"parameters": sorted(driver["parameter"] for driver in hidden["drivers"]), **named}


def direction_right(submission: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Tell whether the effect that an answer names is true: a direction, a signature, or one metric's."""
    if "signature" not in right:
        return bool(submission.get("direction") == right["direction"])
    if "signature" in submission:
        return bool(submission["signature"] == right["signature"])
    effect = right["signature"].get(submission.get("metric"))
    return effect is not None and bool(effect == submission.get("direction"))


def _words(words: Json) -> dict[str, Any]:
    """The JSON schema of one of a few words, or of one for each key."""
    if not isinstance(words, dict):
        return {"type": "string", "enum": words}
    return closed({key: _words(inner) for key, inner in words.items()})


def parameters(submission: Any) -> list[str]:
    """The parameters that a submission names; none where there is no submission."""
    if not isinstance(submission, dict):
        return []
    names = submission.get("parameters", [submission.get("parameter")])
    return sorted(name for name in names if isinstance(name, str)) if isinstance(names, list) else []


def variant_of(public: Mapping[str, Any]) -> str:
    """The variant of a task; empty for the paper's."""
    return str(public.get("variant", ""))


def asks_for_signature(public: Mapping[str, Any]) -> bool:
    """Tell whether the truth is a signature, and no target is named."""
    return variant_of(public) in (VECTOR, BLIND)


def strongest(vector: Mapping[str, Mapping[str, Any]]) -> str:
    """The metric that a vector of comparisons shows most clearly; ties: the larger effect, then the first."""
    return min(
        vector, key=lambda m: (vector[m]["p_adjusted"], vector[m]["p"], -abs(vector[m]["cliffs_delta"]))
    )


def signature(vector: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Reduce a vector of comparisons to each metric's effect: up, down, or none where not significant."""
    return {
        metric: EFFECTS[statistics["cliffs_delta"] < 0] if statistics["significant"] else EFFECTS[2]
        for metric, statistics in vector.items()
    }

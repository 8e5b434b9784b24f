"""The form of answers at each tier, and which answer is right.

L1 asks for the changed parameter and the direction of its effect on the target, L2 also for the size of the
effect, L3 for the two changed parameters and the sign of their interaction.

Variants extend or change the paper's question (see its sections 9 and 10). In `paired`, experiments may use
the shared seeds as pairs. In `vector`, every comparison shows all metrics, and the answer is the parameter
with its signature, which is the direction of its effect on each metric. In `blind`, no target metric is
named, and the answer names one that the hidden change moves. The last two exist only at L1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.protocol import Json

PAIRED = "paired"
VECTOR = "vector"
BLIND = "blind"

EFFECTS = ("up", "down", "none")
"""The possible values of a signature for each metric."""

TIERS = ("L1", "L2", "L3")
DIRECTIONS = ("up", "down")
MAGNITUDES = ("small", "medium", "large")
INTERACTIONS = ("positive", "negative")

BOUNDS = {"small": (0.10, 0.35), "medium": (0.35, 0.75), "large": (0.75, float("inf"))}
"""Classes of the absolute relative change of the target's mean: low <= change < high."""

BUDGET = 8
"""Number of charged calls per episode."""

REPLICATES = 12
"""Number of runs per arm."""


def magnitude(change: float, margin: float = 0.0) -> str | None:
    """Return the class that contains a relative change with at least `margin` to its bounds, or None."""
    size = abs(change)
    for name, (low, high) in BOUNDS.items():
        if low + margin <= size < high - margin:
            return name
    return None


def choices(tier: str, variant: str = "", metrics: list[str] | None = None) -> dict[str, Json]:
    """Return the allowed values of each field of an answer at the tier, except the candidates."""
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
    """Return the JSON schema of an answer."""
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
    """Return the JSON schema of an object with exactly these properties."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def legal_answer(properties: Mapping[str, Any]) -> str:
    """Say in words which answers a schema with these properties takes."""
    words = []
    for key, value in properties.items():
        if key == "parameters":
            words.append(f"{key}: two of {', '.join(value['items']['enum'])}")
        elif key == "signature":
            words.append(f"{key}: up, down or none for each of {', '.join(value['properties'])}")
        else:
            words.append(f"{key}: one of {', '.join(value['enum'])}")
    return f"an answer has exactly these keys: {'; '.join(words)}"


def truth(hidden: Mapping[str, Any]) -> dict[str, Any]:
    """Return the right answer with the keys of a submission, except that `parameters` is always a list."""
    named = {key: hidden[key] for key in ("direction", "magnitude", "interaction") if hidden[key] is not None}
    if "signature" in hidden:
        named = {"signature": hidden["signature"]}
    return {"parameters": sorted(driver["parameter"] for driver in hidden["drivers"]), **named}


def direction_right(submission: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Tell whether the effect in an answer is right: a direction, a signature, or one metric's direction."""
    if "signature" not in right:
        return bool(submission.get("direction") == right["direction"])
    if "signature" in submission:
        return bool(submission["signature"] == right["signature"])
    effect = right["signature"].get(submission.get("metric"))
    return effect is not None and bool(effect == submission.get("direction"))


def _words(words: Json) -> dict[str, Any]:
    """Return the JSON schema of one of several words, or of an object with such a schema for each key."""
    if not isinstance(words, dict):
        return {"type": "string", "enum": words}
    return closed({key: _words(inner) for key, inner in words.items()})


def parameters(submission: Any) -> list[str]:
    """Return the parameters that a submission names, sorted; empty without a submission."""
    if not isinstance(submission, dict):
        return []
    names = submission.get("parameters", [submission.get("parameter")])
    return sorted(name for name in names if isinstance(name, str)) if isinstance(names, list) else []


def variant_of(public: Mapping[str, Any]) -> str:
    """Return the variant of a task, which is empty for the paper's question."""
    return str(public.get("variant", ""))


def asks_for_signature(public: Mapping[str, Any]) -> bool:
    """Tell whether the truth of a task is a signature and no target metric is named."""
    return variant_of(public) in (VECTOR, BLIND)


def strongest(vector: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the metric with the smallest p; ties go to the larger effect, then to the first metric."""
    return min(
        vector, key=lambda m: (vector[m]["p_adjusted"], vector[m]["p"], -abs(vector[m]["cliffs_delta"]))
    )


def signature(vector: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Reduce comparisons to each metric's effect: `up`, `down`, or `none` if it is not significant."""
    return {
        metric: EFFECTS[statistics["cliffs_delta"] < 0] if statistics["significant"] else EFFECTS[2]
        for metric, statistics in vector.items()
    }

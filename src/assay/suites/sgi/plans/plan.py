"""A plan as agents write it: one JSON object, read generously; what it leaves out has its usual value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.suites.sgi.text.contracts import json_object
from assay.suites.sgi.text.quantities import plain, quantity

Layout = Literal["grid", "one_at_a_time", "star", "listed"]
LAYOUTS: tuple[Layout, ...] = ("grid", "one_at_a_time", "star", "listed")
MOST_LEVELS, MOST_REPLICATES, MOST_LISTED = 12, 50, 400

FIELDS = (
    "factors",
    "layout",
    "replicates",
    "instrument",
    "blocks",
    "controls",
    "analysis",
    "second",
    "stop",
    "declares",
)
"""Fields of which the share that is given counts as detail."""


@dataclass(frozen=True)
class Second:
    """A second stage around the best setting of the first; `shrink` is its span as a share of the first's."""

    shrink: float
    replicates: int


@dataclass(frozen=True)
class Plan:
    """A plan in natural units.

    Attributes:
        held: factors with one value.
        varied: factors with several values.
        layout: how the runs are laid out.
        listed: runs, where the layout lists them.
        replicates: of each run.
        instrument: by name.
        randomise: whether runs are shuffled.
        adjust: whether the analysis takes out the means of days.
        model: the analysis, in lower case: on a surface `best` (the best mean) or `parabola` (one for each
            factor), elsewhere one of the question's `MODELS`.
        second: the second stage, or None.
        declares: what the plan says of itself: runs, cost, days.
        given: the fields that were given.
    """

    held: Mapping[str, float] = field(default_factory=dict)
    varied: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    layout: Layout = "star"
    listed: tuple[Mapping[str, float], ...] = ()
    replicates: int = 1
    instrument: str = ""
    randomise: bool = False
    adjust: bool = False
    model: str = "best"
    second: Second | None = None
    declares: Mapping[str, float] = field(default_factory=dict)
    given: frozenset[str] = frozenset()


def number(value: Any) -> float | None:
    """A finite number from a JSON number or a text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e12 else None
    found = quantity(plain(value)) if isinstance(value, str) else None
    return float(found.value) if found is not None else None


def _truth(value: Any) -> bool:
    return value is True or str(value).strip().casefold() in ("yes", "true", "day", "days", "1")


def _count(value: Any, most: int) -> int:
    found = number(value)
    return 1 if found is None else max(1, min(int(found), most))


def read_plan(reply: str) -> Plan | None:
    """The last plan of a reply; None where there is no JSON object with factors."""
    found = json_object(reply, ("factors",))
    return from_json(found) if isinstance(found, Mapping) else None


def from_json(value: Mapping[str, Any]) -> Plan:
    """A plan from its object; what cannot be read is as if it were not given."""
    factors = value.get("factors")
    held: dict[str, float] = {}
    varied: dict[str, tuple[float, ...]] = {}
    for name, levels in factors.items() if isinstance(factors, Mapping) else ():
        numbers = [number(level) for level in (levels if isinstance(levels, list) else [levels])]
        kept = sorted({level for level in numbers if level is not None})[:MOST_LEVELS]
        if len(kept) == 1:
            held[str(name)] = kept[0]
        elif kept:
            varied[str(name)] = tuple(kept)
    blocks = value.get("blocks")
    blocks = blocks if isinstance(blocks, Mapping) else {}
    analysis = value.get("analysis")
    analysis = analysis if isinstance(analysis, Mapping) else {}
    declared = value.get("declares")
    declared = declared if isinstance(declared, Mapping) else {}
    layout = str(value.get("layout", "star")).strip().casefold().replace(" ", "_").replace("-", "_")
    return Plan(
        held,
        varied,
        next((known for known in LAYOUTS if known == layout), "star"),
        tuple(_listed(value.get("runs"))),
        _count(value.get("replicates", 1), MOST_REPLICATES),
        str(value.get("instrument", "")).strip().casefold(),
        _truth(blocks.get("randomise", blocks.get("randomize", False))),
        _truth(analysis.get("adjust", False)),
        " ".join(str(analysis.get("model", "best")).casefold().replace("_", " ").split()),
        _second(value.get("second")),
        {str(key): found for key, given in declared.items() if (found := number(given)) is not None},
        frozenset(name for name in FIELDS if name in value),
    )


def _listed(runs: Any) -> list[Mapping[str, float]]:
    found: list[Mapping[str, float]] = []
    for run in runs[:MOST_LISTED] if isinstance(runs, list) else ():
        if isinstance(run, Mapping):
            found.append({str(k): x for k, v in run.items() if (x := number(v)) is not None})
    return found


def _second(value: Any) -> Second | None:
    if not isinstance(value, Mapping):
        return None
    shrink = number(value.get("shrink", 0.5))
    return Second(
        min(max(shrink if shrink is not None else 0.5, 0.01), 1.0), _count(value.get("replicates", 1), 50)
    )


def to_text(value: Mapping[str, Any]) -> str:
    """A plan's object as a reply."""
    return "<answer>\n" + json.dumps(value, indent=1) + "\n</answer>"

"""Tasks of `l4-v1`: a boundary at a random place of its span, measured with few runs.

In `l4-v0` the span is fixed for each world, so the boundary lies near that of control; all values are
measured on the same seeds; and twelve runs a value leave little doubt. Here three hidden parameters differ
from control, and a span of half the width is laid around the boundary so that the boundary's place in it is
uniform. Each value has seeds of its own, which follow from a secret key.

A boundary takes a thousand runs to find. Those of the contexts that the frozen set drew are committed,
rejected contexts included, and the long tier of the tests finds them again. Those of other sets are found
when they are drawn.

    python -m assay.suites.petri.boundary.narrow     # finds the boundaries of l4-v1 and writes the table
"""

from __future__ import annotations

import csv
import hmac
import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import TaskError
from assay.numbers import rng
from assay.suites.petri.boundary import TIER
from assay.suites.petri.boundary.tasks import (
    CONFIDENCE,
    Bracket,
    draw,
    find_bracket,
    halved,
    stated_boundary,
    verify_roughly,
)
from assay.suites.petri.boundary.transitions import TRANSITIONS, Transition
from assay.suites.petri.questions.acceptance import broken
from assay.suites.petri.questions.answers import BUDGET
from assay.suites.petri.worlds import WORLDS
from assay.task import Task, read_frozen
from assay.writing import write_whole

DATA_FILES = ("../data/brackets.csv",)

FIELDS = ("world", "context", "low", "high")
"""Columns of the committed table; `low` and `high` are empty for a context that is not suitable."""

VERSION = 2
TRIES = 100

RUNS = 8
"""Number of runs of a measurement."""

CHANGED = 3
"""Number of hidden parameters that differ from control."""

SHARE = 0.5
"""Width of the span of a task, as a share of that of the transition."""

EDGE = 0.1
"""Smallest distance of the boundary from both ends of the span, as a share of the span."""

FINE_REACH = 0.02
"""Reach of the last fit of a bracket, as a share of the span of the transition."""

WIDEST = 0.1
"""Largest width of a bracket, as a share of the span."""

KEY_BITS = 256
SEED_BYTES = 8
DISCARDED_BITS = 11
"""Seeds keep 53 bits, so that every JSON reader represents them exactly."""


def generate(cell: Mapping[str, Any], set_name: str, index: int, seed: int) -> Task:
    """Return a task of the cell's world; raises `TaskError` if no context is suitable."""
    transition = TRANSITIONS[cell["world"]]
    for attempt in range(TRIES):
        stream = rng.stream(seed, "petri", "narrow boundary", attempt)
        context = draw(transition, stream, CHANGED)
        bracket = bracket_of(transition, context)
        if bracket is not None:
            break
    else:
        raise TaskError(
            f"no boundary of the world {transition.world} was found in {TRIES} tries",
            "take another seed, or a wider context in suites/petri/data/transitions.yaml",
        )
    width = SHARE * transition.width
    place = EDGE + (1.0 - 2.0 * EDGE) * stream.uniform()
    decimals = WORLDS[transition.world].parameter(transition.parameter).decimals
    start = round(bracket.centre - place * width, decimals)
    return Task(
        suite="petri",
        task_set=set_name,
        task_id=f"{index:05d}-l4-{transition.world}",
        seed=seed,
        version=VERSION,
        strata={"tier": TIER, "world": transition.world, "band": "unrated"},
        public={
            "tier": TIER,
            "world": transition.world,
            "parameter": transition.parameter,
            "span": [start, round(start + width, decimals)],
            "decimals": decimals,
            "metric": transition.metric,
            "level": transition.level,
            "falls": transition.falls,
            "confidence": CONFIDENCE,
            "budget": BUDGET,
            "runs": RUNS,
        },
        hidden={
            "context": context,
            "key": "".join(f"{stream.bits():016x}" for _ in range(KEY_BITS // 64)),
            "bracket": [bracket.low, bracket.high],
            "tries": attempt + 1,
        },
    )


def verify(task: Task) -> None:
    """Check that the boundary lies near the bracket, and the bracket at a suitable place of the span.

    Raises:
        TaskError: One of them does not.
    """
    verify_roughly(task)
    low, high = task.public["span"]
    centre = stated_boundary(task)[2].centre
    if not low + 0.5 * EDGE * (high - low) < centre < high - 0.5 * EDGE * (high - low):
        raise broken(task, "its boundary is near an end of the span")


def bracket_of(transition: Transition, context: Mapping[str, float]) -> Bracket | None:
    """Return the bracket of the boundary in a context, from the committed table where it is there.

    It is None if the boundary is too near an end of the range in which the transition is validated to be
    found, or too uncertain for scoring. Neither depends on where the task's span will lie.
    """
    key = (transition.world, canonical.dumps(context))
    return committed()[key] if key in committed() else found_bracket(transition, context)


@cache
def committed() -> Mapping[tuple[str, str], Bracket | None]:
    """Return the committed brackets by world and context (canonical JSON)."""
    rows = csv.DictReader(io.StringIO(_path().read_text(encoding="utf-8")))
    return {
        (row["world"], row["context"]): Bracket(float(row["low"]), float(row["high"])) if row["low"] else None
        for row in rows
    }


def found_bracket(transition: Transition, context: Mapping[str, float]) -> Bracket | None:
    """Return what `bracket_of` does, found by simulation."""
    low, high = transition.span
    rough = halved(transition, context)
    if min(rough - low, high - rough) < EDGE * SHARE * transition.width:
        return None
    if rough < SHARE * transition.width:
        return None  # a span below zero would show that the boundary is near its upper end
    # a second fit, so near the boundary that the curvature of the metric does not matter
    bracket = find_bracket(transition, context, find_bracket(transition, context, rough).centre, FINE_REACH)
    fits = bracket.high - bracket.low <= WIDEST * SHARE * transition.width
    return bracket if fits else None


def seeds(key: str, value: float, n: int) -> list[int]:
    """Return the seeds of the runs at a value.

    Args:
        key: The secret key of the task, in hexadecimal digits.
        value: The rounded value of the parameter.
        n: The number of runs.

    Returns:
        Seeds below 2**53, which follow from HMAC-SHA256 of the value and a counter.

    Example:
        >>> seeds("00", 0.4, 3) == seeds("00", 0.4, 3), set(seeds("00", 0.4, 3)) & set(seeds("00", 0.41, 3))
        (True, set())
    """
    secret = bytes.fromhex(key)
    digests = (hmac.digest(secret, f"{value!r}|{k}".encode(), "sha256") for k in range(n))
    return [int.from_bytes(digest[:SEED_BYTES], "little") >> DISCARDED_BITS for digest in digests]


def table(brackets: Mapping[tuple[str, str], Bracket | None]) -> str:
    """Return brackets by world and context as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FIELDS)
    for (world, context), bracket in brackets.items():
        ends = ("", "") if bracket is None else (repr(bracket.low), repr(bracket.high))
        writer.writerow((world, context, *ends))
    return text.getvalue()


def _path() -> Path:
    return Path(__file__).parent / DATA_FILES[0]


def drawn(task: Task) -> dict[tuple[str, str], Bracket | None]:
    """Return the brackets of all contexts that were drawn for a task, found by simulation."""
    transition = TRANSITIONS[task.public["world"]]
    brackets = {}
    for attempt in range(task.hidden["tries"]):
        context = draw(transition, rng.stream(task.seed, "petri", "narrow boundary", attempt), CHANGED)
        brackets[transition.world, canonical.dumps(context)] = found_bracket(transition, context)
    return brackets


def main() -> None:
    """Find the boundaries of the frozen set and write the committed table."""
    brackets: dict[tuple[str, str], Bracket | None] = {}
    for file in sorted(Path("tasks/petri/l4-v1").glob("[0-9]*.json")):
        brackets |= drawn(read_frozen(file))
    write_whole(_path(), table(brackets))


if __name__ == "__main__":
    main()

"""The form of an answer to a synthesis, and how one is compared with the truth."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.numbers import portable
from assay.suites.sgi.frame.family import Row
from assay.suites.sgi.literature import corpus
from assay.suites.sgi.literature.bank import Law, laws
from assay.suites.sgi.literature.synthesis import NORMAL, Pooled
from assay.suites.sgi.literature.world import records
from assay.suites.sgi.text.contracts import json_object, tagged
from assay.suites.sgi.text.quantities import folded, plain, quantity

TOLERANCE = 0.02
"""Of an answer, in standard errors of the pooled value. A synthesis is a calculation with one right result,
so more would only let wrong decisions pass."""

OF_A_STUDY = 0.1
"""Tolerance of the value of one study, in its standard errors."""


def unlogged(law: Law, y: float) -> float:
    return float(portable.exp(y)) if law.logarithmic else y


def natural_of(law: Law, result: Pooled) -> tuple[float, float, float]:
    low, high = result.limits
    return unlogged(law, result.value), unlogged(law, low), unlogged(law, high)


def numbers_of(law: Law, result: Pooled | None) -> list[float] | None:
    return None if result is None else [float(f"{value:.9g}") for value in natural_of(law, result)]


def tolerance(law: Law, truth: Pooled) -> float:
    """Tolerance of a part of an answer, on the scale of pooling; at least half a unit of the last digit."""
    digits = corpus.significant(truth.value, TOLERANCE * truth.error) if not law.logarithmic else 4
    half = 0.5 * 10.0 ** (1 - digits) * (1.0 if law.logarithmic else abs(truth.value))
    return max(TOLERANCE * truth.error, half)


def reply_of(
    rows: Sequence[tuple[str, float]],
    law: Law,
    positions: Sequence[Mapping[str, Any]],
    result: tuple[float, float] | None,
) -> str:
    studies = [{"document": document, "value": float(f"{value:.6g}")} for document, value in rows]
    if result is None:
        return json.dumps({"studies": studies})
    value, error = result
    numbers = [f"{unlogged(law, y):.9g}" for y in (value, value - NORMAL * error, value + NORMAL * error)]
    if positions:
        scaled = [float(portable.log(p["value"])) if law.logarithmic else p["value"] for p in positions]
        nearer = min(range(len(scaled)), key=lambda at: abs(scaled[at] - value))
        numbers.insert(0, positions[nearer]["people"])
    return json.dumps({"studies": studies}) + f"\n\n<answer>{'; '.join(numbers)}</answer>"


def parsed(row: Row, reply: str) -> tuple[str, list[float] | None]:
    """The name of a reply's answer, empty where none is asked for, and its three numbers."""
    law, positions = laws()[row["x_world"]["law"]], row["x_world"]["positions"]
    text = tagged(reply).text[:2000].strip()
    parts = (
        re.split(r"\s*;\s*|\n", text) if ";" in text else re.split(r"\s*,\s+|\s+to\s+|[\[\]()]+|\s{2,}", text)
    )
    parts = [part.strip(" []()*`.") for part in parts if part.strip(" []()*`.")]
    name = parts.pop(0) if positions and parts else ""
    numbers = []
    for part in parts:
        unit = law.units[0][0]
        part = part.removesuffix(unit).strip() if unit else part
        found = quantity(plain(folded(part)))
        if found is None:
            return name, None
        numbers.append(float(found.value))
    return name, numbers if len(numbers) == 3 else None


def within(row: Row, parsed: tuple[str, list[float] | None], wanted: Sequence[float] | None = None) -> bool:
    """Whether all parts of an answer are within the tolerance of the truth, or of other numbers."""
    law, world = laws()[row["x_world"]["law"]], row["x_world"]
    truth = Pooled(row["x_truth"][0], row["x_truth"][1], 0.0)
    name, numbers = parsed
    if numbers is None or (law.logarithmic and min(numbers) <= 0):
        return False
    if world["positions"] and wanted is None:
        right = (
            reply_of([], law, world["positions"], tuple(row["x_truth"]))
            .rpartition("<answer>")[2]
            .split(";")[0]
        )
        if name.casefold() != right.casefold():
            return False
    goal = [truth.value, *truth.limits] if wanted is None else [scaled(law, value) for value in wanted]
    bound = tolerance(law, truth) * (1 + 1e-9)
    return all(abs(scaled(law, got) - want) <= bound for got, want in zip(numbers, goal, strict=True))


def scaled(law: Law, value: float) -> float:
    return float(portable.log(value)) if law.logarithmic and value > 0 else value


def trap_of(row: Row, parsed: tuple[str, list[float] | None]) -> str:
    """The one wrong decision that explains a wrong answer; empty where none does."""
    for trap in row["x_traps"]:
        if trap["answer"] is not None and within(row, parsed, trap["answer"]):
            return f"trap {trap['label']}"
    return ""


def studies_of(row: Row, reply: str) -> tuple[int, int, int, int]:
    """Studies with the right value, studies that enter, studies listed, studies of the reference.

    Documents that report no value of the specimen (standards, notices, notes) may be listed and do not count.
    """
    world = row["x_world"]
    law, sources = laws()[world["law"]], world["sources"]
    gold = {sources[record.source]: record for record in records(world, row["x_right"])}
    reports = set(sources.values())
    block = json_object(reply, ("studies",)) or {}
    listed = block.get("studies")
    given: dict[str, Any] = {}
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and one.get("document") in reports:
            given.setdefault(str(one["document"]), one.get("value"))
    matched = named = 0
    for document, value in given.items():
        if document in gold:
            named += 1
            found = quantity(plain(folded(str(value)[:100])))
            record = gold[document]
            number = float(found.value) if found is not None else 0.0
            if found is not None and (number > 0 or not law.logarithmic):
                matched += abs(scaled(law, number) - record.y) <= OF_A_STUDY * record.se
    return matched, named, len(given), len(gold)

"""Protocols that are wrong in one named way, each with the score that this must cost.

The expected scores are counted from the reference, without the scoring code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from assay.suites.sgi.text.program import Step, Value, parse_text
from assay.suites.sgi.wet.items import reply


@dataclass(frozen=True)
class Wrong:
    """A reply with the SS and PA of profile `objective` that it must get."""

    reply: str
    ss: float
    pa: float


def _gold(row: Mapping[str, Any]) -> list[Step]:
    return list(parse_text(row["answer"]).steps)


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _total(steps: list[Step]) -> int:
    return sum(len(step.arguments) for step in steps)


def renamed(row: Mapping[str, Any]) -> Wrong:
    """Other names of outputs: not wrong at all."""

    def name(value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(str(name(part)) for part in value)
        return value.replace("out_", "out_v") if value.startswith("out_") else value

    steps = [
        replace(s, output=str(name(s.output)), arguments={k: name(v) for k, v in s.arguments.items()})
        for s in _gold(row)
    ]
    return Wrong(reply(steps), 1.0, 1.0)


def wrong_doses(row: Mapping[str, Any]) -> Wrong:
    """Every quantity is larger by one in its unit."""
    steps = _gold(row)
    changed, count = [], 0
    for step, literals in zip(steps, row["x_params"], strict=True):
        arguments = dict(step.arguments)
        for key, literal in literals.items():
            if literal["kind"] == "quantity":
                arguments[key] = f"{Decimal(literal['value']) + 1} {literal['unit']}".strip()
                count += 1
        changed.append(replace(step, arguments=arguments))
    return Wrong(reply(changed), 1.0, 1 - count / _total(steps))


def last_missing(row: Mapping[str, Any]) -> Wrong:
    """Without the last step."""
    steps = _gold(row)
    n = len(steps)
    return Wrong(reply(steps[:-1]), _pairs(n - 1) / _pairs(n), _total(steps[:-1]) / _total(steps))


def extra_first(row: Mapping[str, Any]) -> Wrong:
    """A decoy before the first step, with one parameter."""
    steps = _gold(row)
    n = len(steps)
    decoy = Step("out_spare", row["x_decoys"][0], {"note": "spare"})
    return Wrong(reply([decoy, *steps]), _pairs(n) / _pairs(n + 1), _total(steps) / (_total(steps) + 1))


def literals_for_references(row: Mapping[str, Any]) -> Wrong:
    """No step uses what another made: words stand in place of references."""
    steps = _gold(row)
    literals = [set(found) for found in row["x_params"]]
    changed = [
        replace(s, arguments={k: v if k in own else "material" for k, v in s.arguments.items()})
        for s, own in zip(steps, literals, strict=True)
    ]
    return Wrong(reply(changed), 1.0, sum(map(len, literals)) / _total(steps))


def decoys_only(row: Mapping[str, Any]) -> Wrong:
    """A protocol of decoys."""
    steps = [Step(f"out_{at}", name, {"note": "spare"}) for at, name in enumerate(row["x_decoys"], 1)]
    return Wrong(reply(steps), 0.0, 0.0)


def empty(row: Mapping[str, Any]) -> Wrong:
    """Nothing."""
    return Wrong("<answer></answer>", 0.0, 0.0)


WRONG: Mapping[str, Callable[[Mapping[str, Any]], Wrong]] = {
    "renamed": renamed,
    "wrong-doses": wrong_doses,
    "last-missing": last_missing,
    "extra-first": extra_first,
    "literals-for-references": literals_for_references,
    "decoys-only": decoys_only,
    "empty": empty,
}

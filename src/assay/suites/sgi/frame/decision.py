"""A decision of a reply: its values, its usual value and named wrong ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.config.data import CLOSED

Value = float | str
Choices = dict[str, Value]


@dataclass(frozen=True)
class Decision:
    """One decision; either `values`, or a grid from `low` to `high`.

    Attributes:
        when: variants of modules that have it; empty: every item has it.
        condition: another decision and the value that it must have; only then does this one matter.
    """

    __pydantic_config__ = CLOSED

    textbook: float | str
    fallacies: dict[str, dict[str, float | str]]
    values: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    points: int = 0
    even: bool = False
    unit: str = ""
    when: tuple[str, ...] = ()
    condition: dict[str, str] = field(default_factory=dict)

    def grid(self) -> Sequence[Value]:
        """All values that a search tries, rounded as protocols write them."""
        if self.values:
            return self.values
        n = self.points - 1
        if self.even:
            return [rounded(self.low + (self.high - self.low) * i / n) for i in range(n + 1)]
        return [rounded(self.low * (self.high / self.low) ** (i / n)) for i in range(n + 1)]

    def at(self, share: float) -> Value:
        """The value at a share of the range, for random draws."""
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        if self.even:
            return rounded(self.low + (self.high - self.low) * share)
        return rounded(self.low * (self.high / self.low) ** share)

    def wrong(self, right: Value) -> dict[str, Value]:
        """The named wrong values beside a right one, each other than it and within the range."""
        made: dict[str, Value] = {}
        for label, rule in self.fallacies.items():
            value = self._applied(rule, right)
            if value != right:
                made[label] = value
        return made

    def _applied(self, rule: Mapping[str, Any], right: Value) -> Value:
        if "value" in rule:
            return rule["value"] if self.values else float(rule["value"])
        if "step" in rule:
            at = self.values.index(str(right)) + int(rule["step"])
            return self.values[max(0, min(at, len(self.values) - 1))]
        moved = float(right) * rule["factor"] if "factor" in rule else float(right) + rule["shift"]
        return rounded(max(self.low, min(self.high, moved)))


def rounded(value: float) -> float:
    """Three significant digits: more are not written in a protocol."""
    return float(f"{value:.3g}")

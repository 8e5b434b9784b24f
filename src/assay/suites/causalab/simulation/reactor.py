"""Submissions of a frequency, as the released reactor handles them.

A submission is clamped and tested twice: immediately, and after truncation toward zero. Only the second
result counts, so that a target of 148.6 accepts 153.7 and refuses 143.9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

TOLERANCE = 5.0
LARGEST = 10_000.0
SUBMISSIONS = 3

Mode = Literal["compat", "fixed"]
"""`compat` behaves as released: 10,000 is the upper bound, and the last allowed submission cannot succeed.
`fixed` has neither restriction."""


def clamped(value: float, mode: Mode = "compat") -> float:
    """Return a submission clamped to the allowed range; NaN becomes the upper bound, as in the original."""
    if math.isnan(value) or value > LARGEST:
        return value if mode == "fixed" and math.isfinite(value) else LARGEST
    return max(0.0, value)


def accepted(value: float, target: float, mode: Mode = "compat") -> bool:
    """Tell whether a single submission turns the reactor on."""
    stored = clamped(value, mode)
    whole = float(int(stored))
    return abs((target if whole == float(int(target)) else whole) - target) < TOLERANCE


def solvable(target: float, mode: Mode = "compat") -> bool:
    """Tell whether some submission would be accepted; none is for targets beyond the upper bound."""
    if not math.isfinite(target):
        return False
    return accepted(target, target, mode)


@dataclass
class Reactor:
    """One reactor: the frequencies that were submitted, and whether it was turned on."""

    target: float
    mode: Mode = "compat"
    most: int = SUBMISSIONS
    frequency: float = 0.0
    submitted: list[float] = field(default_factory=list)
    completed: bool = False

    @property
    def remaining(self) -> int:
        return max(0, self.most - len(self.submitted))

    def submit(self, value: float) -> bool:
        """Process one submission and return whether it turned the reactor on.

        Raises `ValueError` if no submission is left.
        """
        if not self.remaining:
            raise ValueError("no submission is left")
        self.frequency = clamped(value, self.mode)
        self.submitted.append(self.frequency)
        counts = len(self.submitted) < self.most or self.mode == "fixed"
        self.completed = counts and accepted(value, self.target, self.mode)
        return self.completed

"""Comparing the scores of a suite with those of its second implementation, value by value."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module

TOLERANCE = 1e-10
"""Relative; absolute below 1. Sums may be taken in another order; what is declared as rounded is exact."""


def second(suite):
    return import_module(f"tests.rescoring.{suite}")


def equal(first, other):
    if first is None or other is None:
        return first is None and other is None
    return math.isclose(first, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


UNCOUNTED = "not counted"
"""In place of a value that a second implementation cannot have for this episode, as its comments say."""


@dataclass
class Tally:
    """What was compared, and what differs: place, first value, second value."""

    episodes: int = 0
    values: int = 0
    uncounted: Counter = field(default_factory=Counter)
    by_metric: Counter = field(default_factory=Counter)
    differences: list = field(default_factory=list)

    def compare(self, room, place, first, other):
        """`first` and `other`: value by (profile, metric, step)."""
        self.episodes += 1
        exempt = room.EXEMPT
        for key in sorted(first.keys() | other.keys(), key=str):
            if key[1] in exempt:
                continue
            if other.get(key) == UNCOUNTED:
                self.uncounted[key[1]] += 1
                continue
            self.values += 1
            self.by_metric[key[1]] += 1
            one, two = first.get(key, "missing"), other.get(key, "missing")
            if "missing" in (one, two) or not equal(one, two):
                self.differences.append((place, key, one, two))

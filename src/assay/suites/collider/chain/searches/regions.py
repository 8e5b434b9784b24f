"""Regions of a search: windows on the variables of an event, one after another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cut:
    """A window on a variable: low <= value < high. `label` is what the paper calls it."""

    label: str
    variable: str
    low: float = -math.inf
    high: float = math.inf

    def passes(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Which events lie in the window."""
        values = columns[self.variable]
        return (values >= self.low) & (values < self.high)


@dataclass(frozen=True)
class Region:
    """A region: the variable whose histogram is asked for, and the cuts in the order of the cut-flow."""

    observable: str
    cuts: tuple[Cut, ...]

    def passes(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Which events lie in all windows."""
        return self.flow(columns)[-1][1]

    def flow(self, columns: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
        """After each cut, which events have passed all so far."""
        passed = np.ones(len(columns[self.observable]), np.bool_)
        found = []
        for cut in self.cuts:
            passed = passed & cut.passes(columns)
            found.append((cut.label, passed))
        return found

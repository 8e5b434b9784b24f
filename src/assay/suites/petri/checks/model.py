"""The form of comparisons with the literature, shared by the checks of all worlds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.protocol import CheckRow
from assay.suites.petri.worlds import World


@dataclass(frozen=True)
class Literature:
    """The publication that a world is compared with, and what the comparison leaves out."""

    reference: str
    caveat: str

    def row(
        self, check: str, statistic: str, value: float, low: float | None, high: float | None
    ) -> CheckRow:
        """Return a comparison that passes if low <= value <= high; None means that there is no such bound."""
        passed = (low is None or low <= value) and (high is None or value <= high)
        return CheckRow(check, statistic, value, low, high, passed, self.reference, self.caveat)


def vector(world: World, changes: Mapping[str, float]) -> np.ndarray:
    """Return the control with these changes as the engine takes it: float64, in the engine's order."""
    config = {**world.control, **changes}
    return np.array([float(config[parameter.name]) for parameter in world.parameters])

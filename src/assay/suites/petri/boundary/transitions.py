"""The transitions on which tasks of tier L4 are based: scanned parameter, measured metric and level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.config import data
from assay.config.data import CLOSED, Number
from assay.suites.petri.worlds.model import Range

DATA_FILES = ("../data/transitions.yaml",)


@dataclass(frozen=True)
class Transition:
    """One transition of a world.

    The boundary is the value of `parameter`, within `span`, at which the mean of `metric` over runs crosses
    `level`. If `falls`, the metric falls as the parameter grows; otherwise it rises. `context` gives the
    ranges of other parameters, which a task changes and hides in order to move the boundary. `base` holds
    parameters that differ from the world's control in every task, if the transition requires this.
    """

    __pydantic_config__ = CLOSED

    world: str
    parameter: str
    span: Range
    metric: str
    level: Number
    falls: bool
    context: Mapping[str, Range]
    base: Mapping[str, Number] = field(default_factory=dict)

    @property
    def width(self) -> float:
        return self.span[1] - self.span[0]

    def beyond(self, value: float) -> float:
        """Return how far the metric lies beyond the level, in the direction of a growing parameter."""
        return self.level - value if self.falls else value - self.level


FILE = Path(__file__).parent / DATA_FILES[0]

TRANSITIONS: Mapping[str, Transition] = data.read(FILE, dict[str, Transition])
"""The validated transition of each world that has one, by the world's name."""

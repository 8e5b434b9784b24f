"""The transitions that tasks of tier L4 are made of: what is scanned, what is measured, where it turns.

Plain data. A world is added by an entry of `TRANSITIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Transition:
    """One transition of a world.

    The boundary is the value of `parameter`, within `span`, at which the mean over runs of `metric` passes
    `level`; the metric falls as the parameter grows where `falls`, else it rises. `context` are other
    parameters that a task changes and hides, with the range of each: they move the boundary.
    """

    world: str
    parameter: str
    span: tuple[float, float]
    metric: str
    level: float
    falls: bool
    context: Mapping[str, tuple[float, float]]

    @property
    def width(self) -> float:
        """The length of the span."""
        return self.span[1] - self.span[0]

    def beyond(self, value: float) -> float:
        """How far a value of the metric lies past the level, in the sense in which the parameter grows."""
        return self.level - value if self.falls else value - self.level


TRANSITIONS: Mapping[str, Transition] = {
    "swarm": Transition(
        world="swarm",
        parameter="noise",
        span=(0.22, 0.6),
        metric="polarization",
        level=0.5,
        falls=True,
        context={
            "radius": (0.85, 1.3),
            "n_agents": (80, 200),
            "inertia": (0.0, 1.0),
            "alignment": (0.5, 2.5),
        },
    ),
}
"""The transition of each world: in the swarm from order to disorder as noise grows (Vicsek et al. 1995)."""

"""The transitions that tasks of tier L4 are made of: what is scanned, what is measured, where it turns.

Plain data. A world is added by an entry of `TRANSITIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Transition:
    """One transition of a world.

    The boundary is the value of `parameter`, within `span`, at which the mean over runs of `metric` passes
    `level`; the metric falls as the parameter grows where `falls`, else it rises. `context` are other
    parameters that a task changes and hides, with the range of each: they move the boundary. `base` are
    parameters that differ from the world's control in every task, where the transition needs it.
    """

    world: str
    parameter: str
    span: tuple[float, float]
    metric: str
    level: float
    falls: bool
    context: Mapping[str, tuple[float, float]]
    base: Mapping[str, float] = field(default_factory=dict)

    @property
    def width(self) -> float:
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
    "origin": Transition(
        world="origin",
        parameter="mutation",
        span=(0.01, 0.07),
        metric="population",
        level=100.0,
        falls=True,
        context={"selection": (0.12, 0.35), "birth": (0.48, 0.85), "death": (0.11, 0.19)},
        base={"capacity": 400, "selection": 0.2},
    ),
    "morph": Transition(
        world="morph",
        parameter="kill",
        span=(0.0565, 0.064),
        metric="largest",
        level=0.5,
        falls=True,
        context={"feed": (0.03, 0.04), "du": (0.15, 0.19), "dv": (0.07, 0.085)},
    ),
    "social": Transition(
        world="social",
        parameter="epsilon",
        span=(0.1, 0.4),
        metric="largest",
        level=0.75,
        falls=False,
        context={"spread": (0.6, 0.95), "media": (0.004, 0.03), "n_agents": (100, 400), "mu": (0.1, 0.5)},
    ),
}
"""The transition of each world that has a validated one.

swarm: from order to disorder as noise grows (Vicsek et al. 1995); origin: the meltdown of a population as
errors grow (Lynch and Gabriel 1990); morph: one connected network breaks into spots (Pearson 1993); social:
from several camps to consensus (Deffuant et al. 2000).
"""

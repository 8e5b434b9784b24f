"""What is known of each world before anything runs: parameters, ranges, metrics, values worth testing.

Plain data, no numpy: the audit reads it to tell which configurations differ in what. The engines in
`engines` compute; a new world is an entry here, an engine there and a line in `replicates`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["-", "+"]
"""Below or above the control value."""

Config = dict[str, float]
"""A value for every parameter of a world; whole numbers are `int`."""

SIDES: tuple[Side, Side] = ("-", "+")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a world.

    `legal` is what an agent may set and what tasks draw from; `domain` what the engine can run (validation
    needs more than the legal range). Values are rounded to `decimals`. `tests` holds one curated value a side
    on which the parameter drives the target: known to show the effect; `decoys` holds curated values that
    show none. `blind` is the mean power of a value drawn uniformly from the legal range; null for parameters
    that are no drivers.
    """

    name: str
    control: float
    legal: tuple[float, float]
    domain: tuple[float, float]
    decimals: int
    tests: Mapping[Side, float] = field(default_factory=dict)
    decoys: tuple[float, ...] = ()
    blind: float | None = None

    def rounded(self, value: float) -> float:
        """The value with the declared number of decimals; an `int` where that is none."""
        return round(value) if self.decimals == 0 else round(float(value), self.decimals)


@dataclass(frozen=True)
class World:
    """A simulation: its metrics, its target by tier, its parameters in the engine's order."""

    name: str
    metrics: tuple[str, ...]
    targets: Mapping[str, str]
    parameters: tuple[Parameter, ...]

    @property
    def control(self) -> Config:
        """The control configuration."""
        return {p.name: p.rounded(p.control) for p in self.parameters}

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name; `KeyError` where there is none."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(name)

    def resolved(self, overrides: Mapping[str, float]) -> Config:
        """The control with some values replaced, each rounded; `KeyError` for an unknown parameter."""
        return self.control | {name: self.parameter(name).rounded(value) for name, value in overrides.items()}


SWARM = World(
    name="swarm",
    metrics=("polarization", "polar_sd", "nn_dist", "local_order", "groups"),
    targets={"L1": "polarization", "L2": "polarization", "L3": "polarization"},
    parameters=(
        Parameter(
            "n_agents",
            128,
            legal=(65, 220),
            domain=(40, 400),
            decimals=0,
            tests={"-": 66, "+": 215},
            blind=0.46,
        ),
        Parameter(
            "noise",
            0.45,
            legal=(0.22, 0.6),
            domain=(0.0, 1.0),
            decimals=3,
            tests={"-": 0.33, "+": 0.54},
            blind=0.81,
        ),
        Parameter(
            "alignment",
            1.0,
            legal=(0.3, 3.0),
            domain=(0.0, 3.0),
            decimals=3,
            tests={"-": 0.35},
            decoys=(1.3, 1.6),
            blind=0.11,
        ),
        Parameter(
            "cohesion",
            0.2,
            legal=(0.0, 1.3),
            domain=(0.0, 2.0),
            decimals=3,
            tests={"+": 1.25},
            decoys=(0.1, 0.35),
            blind=0.38,
        ),
        Parameter(
            "separation",
            0.3,
            legal=(0.0, 1.6),
            domain=(0.0, 2.0),
            decimals=3,
            tests={"+": 1.6},
            decoys=(0.1, 0.5),
            blind=0.25,
        ),
        Parameter(
            "radius",
            1.0,
            legal=(0.8, 1.3),
            domain=(0.3, 3.0),
            decimals=3,
            tests={"-": 0.8, "+": 1.25},
            blind=0.54,
        ),
        Parameter("speed", 0.1, legal=(0.01, 0.4), domain=(0.01, 0.5), decimals=3, decoys=(0.05, 0.15, 0.25)),
        Parameter(
            "inertia",
            0.5,
            legal=(0.0, 1.1),
            domain=(0.0, 3.0),
            decimals=3,
            tests={"-": 0.0, "+": 1.1},
            blind=0.29,
        ),
        Parameter(
            "leaders",
            0.0,
            legal=(0.0, 0.1),
            domain=(0.0, 0.3),
            decimals=4,
            tests={"+": 0.095},
            decoys=(0.02,),
            blind=0.35,
        ),
    ),
)

WORLDS: Mapping[str, World] = {world.name: world for world in (SWARM,)}
"""All worlds by name."""

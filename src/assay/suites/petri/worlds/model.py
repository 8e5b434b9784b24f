"""The declaration of a world, which is known before anything runs, and how it is read from its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from assay.config import data
from assay.config.data import CLOSED, Count, Number

Side = Literal["-", "+"]
"""The side of the control value: below or above."""

Config = dict[str, float]
"""A value for every parameter of a world; whole numbers are `int`."""

SIDES: tuple[Side, Side] = ("-", "+")

DATA_FILES = (
    "../data/worlds/market.yaml",
    "../data/worlds/morph.yaml",
    "../data/worlds/origin.yaml",
    "../data/worlds/social.yaml",
    "../data/worlds/swarm.yaml",
)
FOLDER = Path(__file__).parents[1] / "data" / "worlds"


def _ascending(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] < ends[1]:
        raise ValueError("must be a smaller and a larger number")
    return ends


Range = Annotated[tuple[Number, Number], AfterValidator(_ascending)]


@dataclass(frozen=True)
class Role:
    """The role of a parameter for one target: its `tests`, `decoys` and `blind`, as in `Parameter`."""

    __pydantic_config__ = CLOSED

    tests: Mapping[Side, Number] = field(default_factory=dict)
    decoys: tuple[Number, ...] = ()
    blind: Number | None = None


@dataclass(frozen=True)
class Parameter:
    """One parameter of a world.

    `legal` is what an agent may set and what tasks draw from; `domain` what the engine can run (validation
    needs more than the legal range). Values are rounded to `decimals`. `tests` holds one curated value a side
    on which the parameter drives the target: known to show the effect; `decoys` holds curated values that
    show none. `blind` is the mean power of a value drawn uniformly from the legal range; None for parameters
    that are no drivers.
    """

    __pydantic_config__ = CLOSED

    name: str
    control: Number
    legal: Range
    domain: Range
    decimals: Count
    tests: Mapping[Side, Number] = field(default_factory=dict)
    decoys: tuple[Number, ...] = ()
    blind: Number | None = None

    def rounded(self, value: float) -> float:
        """The value with the declared number of decimals, never -0.0; an `int` where that is none."""
        return round(value) if self.decimals == 0 else round(float(value), self.decimals) + 0.0


def _named(entries: Any) -> Any:
    """The file has the parameters by name; each parameter holds its own."""
    if not isinstance(entries, dict):
        raise ValueError("not a mapping of names")
    return tuple({**e, "name": key} if isinstance(e, dict) else e for key, e in entries.items())


@dataclass(frozen=True)
class World:
    """A simulation: its metrics, its target by tier, its parameters in the engine's order.

    The parameters have the curated values for the target of the first tier. Where another tier has another
    target, `roles` has those for that one, by metric and parameter; a parameter without has none.
    """

    __pydantic_config__ = CLOSED

    name: str
    metrics: tuple[str, ...]
    targets: Mapping[str, str]
    parameters: Annotated[tuple[Parameter, ...], BeforeValidator(_named)]
    roles: Mapping[str, Mapping[str, Role]] = field(default_factory=dict)

    @property
    def control(self) -> Config:
        return {p.name: p.rounded(p.control) for p in self.parameters}

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name; `KeyError` where there is none."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(name)

    def toward(self, metric: str) -> World:
        """This world, its parameters with the curated values for that target."""
        if metric not in self.roles:
            return self
        roles = self.roles[metric]
        pairs = [(p, roles.get(p.name, Role())) for p in self.parameters]
        parameters = tuple(replace(p, tests=r.tests, decoys=r.decoys, blind=r.blind) for p, r in pairs)
        return replace(self, parameters=parameters)

    def resolved(self, overrides: Mapping[str, float]) -> Config:
        """The control with some values replaced, each rounded; `KeyError` for an unknown parameter."""
        return self.control | {name: self.parameter(name).rounded(value) for name, value in overrides.items()}


def read(name: str, folder: Path = FOLDER) -> World:
    """Read what is known of a world from `data/worlds/NAME.yaml`.

    Raises:
        ConfigError: The file cannot be read, or an entry does not have its form.
    """
    world: World = data.read(folder / f"{name}.yaml", World)
    return world

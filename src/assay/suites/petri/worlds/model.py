"""The description of a world, and how it is read from its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from assay.config import data
from assay.config.data import CLOSED, Count, Number

Side = Literal["-", "+"]
"""The side of the control value: `-` is below, `+` is above."""

Config = dict[str, float]
"""A value for every parameter of a world; parameters without decimals have `int` values."""

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

    `legal` is the range of values that agents may set and tasks draw from. `domain` is the larger range that
    the engine can run, which validation needs. Values are rounded to `decimals`. `tests` holds a curated
    value that shows the effect for each side on which the parameter drives the target; `decoys` holds curated
    values that show no effect. `blind` is the mean power of a value drawn uniformly from the legal range, or
    None if the parameter cannot be a driver.
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
        """Round a value to the declared number of decimals; the result is an `int` for 0, and never -0.0."""
        return round(value) if self.decimals == 0 else round(float(value), self.decimals) + 0.0


def _named(entries: Any) -> Any:
    """Convert a mapping of names to entries, as in the file, to a tuple of entries that hold their names."""
    if not isinstance(entries, dict):
        raise ValueError("not a mapping of names")
    return tuple({**e, "name": key} if isinstance(e, dict) else e for key, e in entries.items())


@dataclass(frozen=True)
class World:
    """A simulation: its metrics, its target by tier, and its parameters in the engine's order.

    The parameters hold the curated values for the target of the first tier. If another tier has another
    target, `roles` holds the curated values for it, by metric and parameter; parameters that are missing
    there have none.
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
        """Return the parameter with this name; raises `KeyError` if there is none."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise KeyError(name)

    def toward(self, metric: str) -> World:
        """Return this world with the curated values of its parameters for the target `metric`."""
        if metric not in self.roles:
            return self
        roles = self.roles[metric]
        pairs = [(p, roles.get(p.name, Role())) for p in self.parameters]
        parameters = tuple(replace(p, tests=r.tests, decoys=r.decoys, blind=r.blind) for p, r in pairs)
        return replace(self, parameters=parameters)

    def resolved(self, overrides: Mapping[str, float]) -> Config:
        """Return the control with rounded overrides applied; raises `KeyError` for an unknown parameter."""
        return self.control | {name: self.parameter(name).rounded(value) for name, value in overrides.items()}


def read(name: str, folder: Path = FOLDER) -> World:
    """Read the description of a world from `data/worlds/NAME.yaml`.

    Raises:
        ConfigError: The file cannot be read, or an entry does not have its form.
    """
    world: World = data.read(folder / f"{name}.yaml", World)
    return world

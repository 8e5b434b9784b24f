"""The bank: models, laws and instruments with their ranges, decisions and texts, read from YAML."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.config import data
from assay.config.data import CLOSED, Number
from assay.numbers.rng import Stream
from assay.suites.sgi.methods import instruments, laws
from assay.suites.sgi.methods.models import chance, dynamics, fields, inference

KINDS = {"dynamics": dynamics, "fields": fields, "chance": chance, "inference": inference}
"""Folders of models."""

REGIMES = ("mild", "stiff", "long", "fine", "degenerate")
"""Of the five hidden instances; `mild` has the plain ranges."""

METHODS = ("right", "second", "naive", "rough")
"""Of every model: what the reference does, an independent check, and two plausible methods that fail."""

PLAUSIBLE = METHODS[2:]

OTHERS = {"laws": laws, "instruments": instruments}
"""Modules of functions that are no models."""

Range = tuple[Number, Number]


@dataclass(frozen=True)
class Entry:
    """An entry of the bank's files."""

    __pydantic_config__ = CLOSED

    title: str
    ranges: Mapping[str, Range]
    decisions: Mapping[str, Mapping[str, str]]
    type: str = ""
    disciplines: tuple[str, ...] = ()
    outputs: str = ""
    law: str = ""
    link: str = ""
    regimes: Mapping[str, Mapping[str, Range]] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A function of the bank.

    Attributes:
        name: of the function.
        kind: a folder of models, `laws` or `instruments`.
        entry: its texts and ranges.
    """

    name: str
    kind: str
    entry: Entry

    @property
    def module(self) -> str:
        """Where the function is."""
        package = {**KINDS, **OTHERS}[self.kind].__name__
        return f"{package}.{self.name}" if self.kind in KINDS else package

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        found: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return found

    def draw(self, regime: str, stream: Stream) -> dict[str, Any]:
        """Parameters of a regime; a model's own `prepare` adds data made from them."""
        ranges = {**self.entry.ranges, **self.entry.regimes.get(regime, {})}
        numbers: dict[str, Any] = {
            name: rounded(low * (high / low) ** stream.uniform()) for name, (low, high) in ranges.items()
        }
        prepare = getattr(import_module(self.module), "prepare", None) if self.kind in KINDS else None
        return {**numbers, **prepare(numbers, stream)} if prepare else numbers

    def names(self) -> Iterator[str]:
        """The names of its decisions, which are unique in the bank."""
        return (f"{self.name}.{decision}" for decision in self.entry.decisions)

    def picks(self, choices: Mapping[str, Any], method: str = "right") -> dict[str, str]:
        """What the function takes as `pick`: its decisions, as `choices` have them, else the usual values."""
        return {
            "method": method,
            **{
                decision: str(choices.get(f"{self.name}.{decision}", next(iter(values))))
                for decision, values in self.entry.decisions.items()
            },
        }

    def variants(self, choices: Mapping[str, Any]) -> Iterator[dict[str, str]]:
        """Every combination of the decisions that `choices` leave open, by their unique names."""
        options = [
            [str(choices[f"{self.name}.{decision}"])]
            if f"{self.name}.{decision}" in choices
            else list(values)
            for decision, values in self.entry.decisions.items()
        ]
        for values in itertools.product(*options):
            yield dict(zip(self.names(), values, strict=True))


def rounded(value: float, digits: int = 5) -> float:
    """A number with that many significant digits."""
    return float(f"{value:.{digits}g}")


@cache
def parts(kind: str) -> Mapping[str, Part]:
    """The parts of a kind, by name."""
    path = Path(__file__).with_name("bank") / f"{kind}.yaml"
    read: Mapping[str, Entry] = data.read(path, dict[str, Entry])
    return {name: Part(name, kind, entry) for name, entry in read.items()}


@cache
def models() -> Mapping[str, Part]:
    """All models, by name."""
    return {name: part for kind in KINDS for name, part in parts(kind).items()}


@cache
def everything() -> Mapping[str, Part]:
    """All parts, by name."""
    return {**models(), **parts("laws"), **parts("instruments")}


def options(name: str) -> Mapping[str, str]:
    """The values of a decision, the usual one first, with their sentences."""
    part, _, decision = name.partition(".")
    return everything()[part].entry.decisions[decision]


def sound(values: Any) -> bool:
    """Whether a result is a list of finite numbers."""
    return all(isinstance(value, float) and math.isfinite(value) for value in values)

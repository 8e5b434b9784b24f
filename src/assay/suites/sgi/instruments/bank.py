"""Instruments: factors that may be the case, and pictures as formulas, from `bank/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from assay.config.data import CLOSED, read

Range = tuple[float, float]
Parameters = Mapping[str, float]


@dataclass(frozen=True)
class Panel:
    """One picture: curves as formulas of x.

    Attributes:
        x: label, unit, low and high end of the horizontal axis.
        y: label and unit of the vertical axis.
        curves: formulas by name.
        points: how many points each curve has.
    """

    __pydantic_config__ = CLOSED

    title: str
    x: tuple[str, str, float, float]
    y: tuple[str, str]
    curves: dict[str, str]
    points: int = 100


@dataclass(frozen=True, eq=False)
class Instrument:
    """A kind of instrument with what may be the case.

    Attributes:
        about: what each picture shows.
        free: ranges of parameters that each candidate draws.
        factors: by factor its values, each a text and parameters (ranges or numbers).
        defaults: parameters that only some values set.
    """

    __pydantic_config__ = CLOSED

    disciplines: tuple[str, ...]
    image: str
    about: str
    free: dict[str, Range]
    factors: dict[str, dict[str, tuple[str, dict[str, Range | float]]]]
    panels: tuple[Panel, ...]
    defaults: dict[str, float] = field(default_factory=dict)

    def ranges(self, mechanism: Mapping[str, str]) -> dict[str, Range]:
        """The ranges of all parameters under a mechanism; both ends are equal where a number is set."""
        found: dict[str, Any] = {name: (value, value) for name, value in self.defaults.items()}
        found |= self.free
        for factor, value in mechanism.items():
            for name, range_ in self.factors[factor][value][1].items():
                found[name] = range_ if isinstance(range_, tuple) else (range_, range_)
        return found


@cache
def instruments() -> Mapping[str, Instrument]:
    """All instruments by name."""
    found: dict[str, Instrument] = {}
    for path in sorted(Path(__file__).with_name("bank").glob("*.yaml")):
        found |= read(path, dict[str, Instrument])
    return found

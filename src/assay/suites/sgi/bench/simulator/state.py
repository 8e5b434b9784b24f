"""The state of the bench: vessels, devices, stocks, the clock, and what has gone wrong so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.numbers.portable import exp
from assay.suites.sgi.bench.simulator import kinetics
from assay.suites.sgi.bench.simulator.kinetics import DESK, SUBSTRATE

CAPACITY: Mapping[str, float] = {
    "tube 0.2": 200,
    "tube 1.5": 1500,
    "column": 600,
    "cuvette": 1000,
    "glass": 10_000,
}
"""Largest volume of each kind of vessel in uL."""

DEAD_VOLUME = 1.0


@dataclass
class Vessel:
    """A vessel and what is in it.

    Attributes:
        liquid: amounts in the liquid (the lower index range of `kinetics`), nmol, U or uL.
        held: amounts that are bound, settled or in the organic layer, where nothing reacts.
        volume: uL of water-like liquid.
        organic: uL of organic solvent; `solvent` names it.
        fed: substrate that was put in from samples, nmol.
        samples: samples that were put in.
        history: integral of the excess over 22 degC, degC min.
    """

    kind: str
    liquid: Any
    held: Any
    volume: float = 0.0
    organic: float = 0.0
    solvent: str = ""
    ph: float = 7.0
    celsius: float = DESK
    place: str = "desk"
    seen: float = 0.0
    history: float = 0.0
    eluting_since: float = 0.0
    mixed_at: float = -1.0
    fed: float = 0.0
    samples: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stock:
    """A stock or a sample.

    Attributes:
        contents: concentration of each amount: mM, U/uL, or a share of the volume for liquids.
        price: per uL.
        amount: uL that are there.
        ph: None where the liquid leaves the pH of a vessel as it is.
        solvent: name of the organic solvent that it is, or empty.
    """

    contents: Mapping[int, float]
    price: float
    amount: float
    ph: float | None = None
    solvent: str = ""
    sample: bool = False


@dataclass
class Device:
    """A place with a temperature; it moves towards `target` with `ramp` from `start` at the time `since`."""

    low: float
    high: float
    ramp: float
    start: float = DESK
    target: float = DESK
    since: float = 0.0

    def at(self, time: float) -> float:
        """The temperature at a time."""
        moved = self.ramp * (time - self.since)
        if self.start < self.target:
            return min(self.target, self.start + moved)
        return max(self.target, self.start - moved)


@dataclass
class Bench:
    """Everything at the bench.

    Attributes:
        world: variants and laws.
        laws: those of the kernel, as an array.
        noise: the scatter of the n-th reading.
        tip: amounts per uL that the last tip moved.
        expect: whether readings do not scatter and the expected error is added to that of a concentration.
    """

    world: Mapping[str, Any]
    laws: Any
    stocks: Mapping[str, Stock]
    devices: dict[str, Device]
    noise: Any
    tip: Any = None
    time: float = 0.0
    cost: float = 0.0
    vessels: dict[str, Vessel] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    made: dict[str, float] = field(default_factory=dict)
    readings: dict[str, tuple[float, frozenset[str]]] = field(default_factory=dict)
    expect: bool = False
    doubt: dict[str, float] = field(default_factory=dict)
    reported: dict[str, float] = field(default_factory=dict)
    submitted: dict[str, dict[str, float]] = field(default_factory=dict)
    controls: dict[str, bool] = field(default_factory=dict)
    accidents: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def settle(self, vessel: Vessel) -> None:
        """Let the time since the vessel was last looked at pass in it."""
        minutes = self.time - vessel.seen
        if minutes <= 0:
            return
        device = self.devices[vessel.place]
        before = vessel.liquid[SUBSTRATE]
        vessel.celsius, history = kinetics.advance(
            vessel.liquid,
            vessel.volume,
            vessel.ph,
            vessel.celsius,
            device.at(vessel.seen),
            device.target,
            device.ramp,
            minutes,
            self.laws,
        )
        vessel.history += history
        vessel.seen = self.time
        self._count(vessel, before)
        if vessel.celsius >= 99.5 and vessel.volume > 0:
            self.accidents.add("boiling")
        if vessel.place != "desk" and vessel.celsius > 60 and vessel.volume + vessel.organic <= 0:
            self.accidents.add("dry heating")

    def _count(self, vessel: Vessel, before: float) -> None:
        if len(vessel.samples) == 1:
            (sample,) = vessel.samples
            self.made[sample] = self.made.get(sample, 0.0) + before - vessel.liquid[SUBSTRATE]

    def new(self, name: str, kind: str) -> Vessel:
        """A new vessel on the desk."""
        vessel = Vessel(kind, kinetics.empty(), kinetics.empty(), seen=self.time)
        self.vessels[name] = vessel
        return vessel

    def pour(self, target: Vessel, liquid: Any, volume: float) -> None:
        """Add a liquid; what does not fit is lost, and that is an accident."""
        room = CAPACITY[target.kind] - target.volume - target.organic
        share = 1.0
        if volume > room:
            self.accidents.add("overflow")
            share = max(room, 0.0) / volume
        target.liquid += liquid * share
        target.volume += volume * share


def split(vessel: Vessel, volume: float) -> tuple[Any, float]:
    """Take a volume out of a vessel, at most what is there less the dead volume; its amounts and volume."""
    volume = max(min(volume, vessel.volume - DEAD_VOLUME), 0.0)
    if volume <= 0:
        return kinetics.empty(), 0.0
    share = volume / vessel.volume
    taken = vessel.liquid * share
    vessel.liquid = vessel.liquid - taken
    vessel.volume -= volume
    return taken, volume


def saturating(ratio: float) -> float:
    """1 - exp(-ratio): the share that is reached after `ratio` time constants."""
    return 1.0 - exp(-ratio)


def stock_liquid(stock: Stock, volume: float) -> Any:
    """The amounts in a volume of a stock."""
    made = np.zeros(kinetics.AMOUNTS)
    for index, value in stock.contents.items():
        made[index] = value * volume
    return made

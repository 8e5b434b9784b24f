"""Crystals with errors of measurement, latent causes, and properties that can be held at a value."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from assay.numbers import rng
from assay.numbers.portable import norminv
from assay.numbers.rng import Stream
from assay.suites.causalab.beyond.rules import Rules
from assay.suites.causalab.model.mechanism import CYCLIC, Mechanism
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.laboratory import Manipulator, Refusal

_REAL, _WHOLE = struct.Struct("<d"), struct.Struct("<Q")

BITS = 12
"""Random bits of one error: it is one of 4,096 quantiles of the standard normal distribution."""

AT_ONCE = 5
"""Number of errors that are taken from one draw of 64 bits."""

_ENDS = (1 << BITS) - 1


@cache
def quantiles() -> tuple[float, ...]:
    """Return the quantiles of the standard normal distribution in the middle of 4,096 equal parts.

    A table makes an error ten times cheaper than the quantile function. Neighbours differ by less than a
    rounding unit of the values except in the outermost parts.
    """
    size = 1 << BITS
    return tuple(float(norminv((n + 0.5) / size)) for n in range(size))


def added(model: Mechanism, stream: Stream) -> dict[str, float]:
    """Draw the latent cause and return what it adds to each property that it acts on."""
    factors: Mapping[str, float] = model.raw.get("latent", {})
    if not factors:
        return {}
    level = quantiles()[stream.bits() >> 64 - BITS]
    return {name: factor * level for name, factor in factors.items()}


def measured(values: Values, rules: Rules, stream: Stream) -> Values:
    """Return a state with errors of measurement, where there are any."""
    if not rules.property_noise:
        return values
    table, left, bits = quantiles(), 0, 0
    shown: Values = {}
    for name, value in values.items():
        if not left:
            bits, left = stream.bits() >> 64 - BITS * AT_ONCE, AT_ONCE
        spread = rules.target_noise if name == TARGET else rules.property_noise
        shown[name] = round(value + spread * table[bits & _ENDS], 2)
        bits >>= BITS
        left -= 1
    return shown


def record(model: Mechanism, rules: Rules, bases: Mapping[str, float], seed: int, number: int) -> Values:
    """Return a prior record as it is shown; `seed` is that of the task's hidden chance."""
    chance = rng.stream(seed, "record", number)
    return measured(model.settle(bases, {}, added(model, chance)), rules, chance)


def reactor(model: Mechanism, bases: Mapping[str, float], seed: int) -> Values:
    """Return the reactor crystal; it is read without errors."""
    return model.settle(bases, {}, added(model, rng.stream(seed, "reactor")))


@dataclass
class Crystal(Manipulator):
    """A manipulator crystal under the rules of a task.

    Errors and the latent cause of a reading follow from the seed and from all requests so far. The same
    requests show the same values when a task is opened again. Other requests have other errors, so that these
    cannot be subtracted.
    """

    rules: Rules = field(default_factory=lambda: Rules("continuous"))
    seed: int = 0

    def __post_init__(self) -> None:
        self.bases = dict(self.bases)
        if not isinstance(self.model, Mechanism):
            raise TypeError("a model of the families beyond the paper's is needed")
        self.mechanism: Mechanism = self.model
        self.plain = self.shown = self.mechanism.evaluate(self.bases)
        self._order = self.mechanism.properties
        self._places = {name: at for at, name in enumerate(self._order)}
        self._by_balance = self.rules.kind in (CYCLIC, "confounded")
        self._by_chance = self.rules.property_noise > 0 or "latent" in self.mechanism.raw
        self._key = rng.stream(self.seed, "readings").key

    def intervene(self, name: str, value: float) -> Values:
        """Carry out one request and return the state that is then shown.

        Raises `Refusal` if the value is out of range, and `EvaluationError`, without any change, if the state
        would not be finite.
        """
        limit = self.rules.limit
        if not -limit <= value <= limit:
            raise Refusal("out_of_range", f"a property can be set to values from {-limit:g} to {limit:g}")
        mechanism, bases = self.mechanism, self.bases
        held: dict[str, float] = {}
        if self.rules.kind == "hold":
            held = {name: value}
        else:
            at = self._places[name]
            if self._by_balance:
                # The value without the latent cause, and the share of a change that the cycle leaves to it.
                row = mechanism.total[at]
                now = math.fsum([share * bases[other] for other, share in zip(self._order, row, strict=True)])
                change = (value - now) / row[at]
            else:
                change = value - self.plain[name]
            bases = {**bases, name: round(bases[name] + change, 2)}
        latent: dict[str, float] = {}
        key = self._key
        if self._by_chance:
            (bits,) = _WHOLE.unpack(_REAL.pack(value))
            key = rng.mix(key ^ bits) + self._places[name] & rng.MASK
            chance = Stream(key)
            latent = added(mechanism, chance)
        state = mechanism.settle(bases, held, latent)
        self.bases, self.plain, self._key = bases, state, key
        self.shown = measured(state, self.rules, chance) if self.rules.property_noise else state
        return self.shown

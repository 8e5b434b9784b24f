"""The laboratory of one episode: manipulator crystal, hidden disturbance and reactor.

Opening the reactor locks the manipulator. Both front ends (text and embodied) use this state machine, so that
equal requests give equal values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from assay.suites.causalab.model.scm import Model, Values
from assay.suites.causalab.simulation.reactor import Reactor

Semantics = Literal["setpoint", "base"]
"""The effect of setting X to v. With `setpoint` (as released), X shows v afterwards. With `base` (as in the
paper's equations), v replaces the intercept of X, so that X shows v plus the contribution of its causes."""


class Refusal(Exception):
    """A request is not carried out; `code` is the protocol's code for the reason."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Manipulator:
    """A crystal whose controllable variables can be set one at a time; changes persist.

    `disturbances` yields the value of H after each change. H shifts the values that are shown, never those
    that are stored.
    """

    model: Model
    bases: Values
    semantics: Semantics = "setpoint"
    disturbances: Iterator[float] | None = None
    hidden: float = 0
    plain: Values = field(init=False)
    shown: Values = field(init=False)

    def __post_init__(self) -> None:
        self.bases = dict(self.bases)
        if self.model.disturbance is not None and self.disturbances is not None:
            self.hidden = self.model.disturbance.initial
        self._show()

    def _show(self) -> None:
        self.plain = self.model.evaluate(self.bases)
        shift = self.model.disturbance.weight * self.hidden if self.model.disturbance else 0
        self.shown = self.plain if shift == 0 else self.model.evaluate_shifted(self.bases, shift)

    def intervene(self, name: str, value: float) -> Values:
        """Carry out one request and return the state that is then shown.

        Raises `EvaluationError`, without any change, if the state would not be finite.
        """
        before = dict(self.bases), self.plain, self.shown
        if self.semantics == "base":
            self.bases[name] = value
        elif self.model.by_name[name].computation is None:
            self.bases[name] = round(value, 2)
        else:
            self.bases[name] = round(value - (self.plain[name] - self.bases[name]), 2)
        try:
            self.plain = self.model.evaluate(self.bases)
        except ValueError:
            self.bases, self.plain, self.shown = before
            raise
        if self.disturbances is not None and self.model.disturbance is not None:
            self.hidden = next(self.disturbances)
            shift = self.model.disturbance.weight * self.hidden
            self.shown = self.plain if shift == 0 else self.model.evaluate_shifted(self.bases, shift)
        else:
            self.shown = self.plain
        return self.shown


@dataclass
class Laboratory:
    """The state machine of an episode: `budget` interventions on the manipulator, then the reactor only."""

    manipulator: Manipulator
    reactor: Reactor
    reactor_values: Values
    budget: int
    uses: int = 0
    opened: bool = False
    largest: float = 0.0

    @property
    def remaining(self) -> int:
        return max(0, self.budget - self.uses)

    def intervene(self, name: object, value: object) -> Values:
        """Carry out one intervention and return the state; raises `Refusal` if it is not allowed.

        A refused intervention does not count against the budget.
        """
        model = self.manipulator.model
        if self.opened:
            raise Refusal("locked", "the reactor was opened, so the manipulator is locked")
        if not self.remaining:
            raise Refusal("budget_exhausted", f"all {self.budget} interventions are used")
        if not isinstance(name, str) or name not in model.by_name:
            raise Refusal("unknown_property", f"the properties are {', '.join(model.controllable)}")
        if name not in model.controllable:
            raise Refusal("not_controllable", f"what can be set is {', '.join(model.controllable)}")
        number = finite(value)
        try:
            state = self.manipulator.intervene(name, number)
        except ValueError as problem:
            raise Refusal("not_numeric", "the value is beyond what the crystal can hold") from problem
        self.uses += 1
        self.largest = max(self.largest, abs(number))
        return state

    def open_reactor(self) -> Values:
        """Lock the manipulator permanently and return the reactor crystal without its frequency."""
        self.opened = True
        return self.reactor_values

    def predict(self, value: object) -> bool:
        """Submit a frequency in Hz and return whether it was accepted; this also opens the reactor."""
        number = finite(value)
        if not self.reactor.remaining:
            raise Refusal("submission_limit", f"all {self.reactor.most} submissions are used")
        self.open_reactor()
        return self.reactor.submit(number)


def finite(value: object) -> float:
    """Return a number as a float; raises `Refusal` unless it is below `LARGEST_REQUEST` in size."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal("not_numeric", "a value is a finite number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not abs(number) < LARGEST_REQUEST:
        raise Refusal("not_numeric", f"a value is a finite number below {LARGEST_REQUEST:g}")
    return number


LARGEST_REQUEST = 1e15
"""Bound of a request; a larger value would leave no precision for the rest of the state. The original accepts
any finite number."""

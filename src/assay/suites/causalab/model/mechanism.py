"""Models of families that the paper does not have: cycles, curves that rise or fall throughout, interactions.

Such a model names its family in `equation_family` of its file. Its equations stand there as texts, like those
of all models; this class evaluates the same equations from their coefficients, which is faster, and finds the
state of balance where variables cause each other in a circle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from assay.suites.causalab.model.linear import Matrix, inverse
from assay.suites.causalab.model.scm import EvaluationError, Model, Term, Values
from assay.suites.causalab.model.variables import TARGET, base_key, token

CYCLIC, MONOTONE, INTERACTION = "cyclic", "monotone", "interaction"

FAMILIES = (CYCLIC, MONOTONE, INTERACTION)
"""The families whose models are evaluated here."""

BEND = 10_000
"""In a monotone equation a cause P acts by P^3 / (P^2 + BEND): little near 0, nearly as P far above 100."""


def curve(value: float) -> float:
    """Return by how much a cause of this value acts in a monotone equation, before it is weighted.

    >>> curve(100.0), curve(-100.0)
    (50.0, -50.0)
    """
    square = value * value
    return square * value / (square + BEND)


def product_key(first: str, second: str, effect: str) -> str:
    """Return the name of the parameter of a product of two causes, which are in alphabetical order."""
    return f"coeff_{first}_{second}_{token(effect)}"


def equation(name: str, causes: Sequence[str], family: str) -> str | None:
    """Return the computation of a variable as it stands in a model's file, or None for a root."""
    if not causes:
        return None
    terms = [base_key(name)]
    for cause in causes:
        form = f"({cause} ^ 3 / ({cause} ^ 2 + {BEND}))" if family == MONOTONE else cause
        terms.append(f"coeff_{token(cause)}_{token(name)} * {form}")
    if family == INTERACTION:
        for a, b in combinations(sorted(causes), 2):
            terms.append(f"{product_key(a, b, name)} * ({a} * {b})")
    return " + ".join(terms)


class Mechanism(Model):
    """A model of one of the families above, or a linear one that can be held at a value."""

    @cached_property
    def family(self) -> str:
        """The family that the file names."""
        return str(self.raw.get("equation_family", "linear"))

    @cached_property
    def quadratic(self) -> bool:
        return False

    @cached_property
    def listing(self) -> tuple[str, ...]:
        """The order in which values are computed: any order of the properties where there is a cycle."""
        return (*self.properties, TARGET) if self.family == CYCLIC else super().listing

    def terms(self, name: str) -> tuple[Term, ...]:
        """Return the terms of one cause each; in a monotone model that of its curve."""
        return tuple(Term(f"coeff_{token(a)}_{token(name)}", a, 1) for a in self.parents[name])

    def products(self, name: str) -> Mapping[tuple[str, str], float]:
        """Return the coefficient of each product of two causes of a variable; empty outside `INTERACTION`.

        Each key holds the names of both causes in alphabetical order.
        """
        if self.family != INTERACTION:
            return {}
        pairs = combinations(sorted(self.parents[name]), 2)
        return {(a, b): self.params[product_key(a, b, name)] for a, b in pairs}

    @cached_property
    def _rows(self) -> tuple[tuple[str, float | None, Any, Any], ...]:
        """Name, intercept (None: that of the crystal), terms and products, in the order of `listing`."""
        rows = []
        for name in self.listing:
            fixed = self.params[base_key(name)] if name == TARGET else None
            terms = tuple((self.params[term.parameter], term.parent) for term in self.terms(name))
            products = tuple((weight, a, b) for (a, b), weight in self.products(name).items())
            rows.append((name, fixed, terms, products))
        return tuple(rows)

    @cached_property
    def total(self) -> Matrix:
        """The effect of each property's base (columns) on each property (rows) in the state of balance."""
        places = {name: at for at, name in enumerate(self.properties)}
        direct = [[float(a == b) for b in places] for a in places]
        for name, at in places.items():
            for term in self.terms(name):
                direct[at][places[term.parent]] -= self.params[term.parameter]
        effects = inverse(direct)
        if effects is None:
            raise EvaluationError(f"{self.properties[0]}: the cycle has no state of balance")
        return effects

    def evaluate(self, bases: Mapping[str, float]) -> Values:
        """Return all values of a crystal, given the bases of its properties.

        Raises `EvaluationError` if a value is not finite.
        """
        return self.settle(bases, {}, {})

    def settle(
        self, bases: Mapping[str, float], held: Mapping[str, float], added: Mapping[str, float]
    ) -> Values:
        """Return all values of a crystal.

        Args:
            bases: The bases of its properties.
            held: Properties that are held at a value, cut off from their causes.
            added: What a latent cause adds to properties; their effects see it.
        """
        values: Values = {}
        if self.family == CYCLIC:
            starts = [bases[name] for name in self.properties]
            for name, row in zip(self.properties, self.total, strict=True):
                value = 0.0
                for effect, start in zip(row, starts, strict=True):
                    value += effect * start
                values[name] = round(value, 2)
        curved = self.family == MONOTONE
        for name, fixed, terms, products in self._rows:
            if name in values:
                continue
            if name in held:
                values[name] = round(held[name], 2)
                continue
            value = bases[name] if fixed is None else fixed
            for weight, cause in terms:
                value += weight * (curve(values[cause]) if curved else values[cause])
            for weight, a, b in products:
                value += weight * values[a] * values[b]
            # This difference is 0 for finite numbers and NaN for the infinities and NaN.
            if value - value != 0:
                raise EvaluationError(f"{name}: the value is not a finite number")
            values[name] = round(value + added[name], 2) if name in added else round(value, 2)
        return values

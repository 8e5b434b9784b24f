"""The target's equation as an agent states it, evaluated: its residuals, and its value at the reactor."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from assay.suites.causalab.dsl import Hypothesis, right_side
from assay.suites.causalab.metrics.recovery import mean
from assay.suites.causalab.model.expressions import ExpressionError, parse
from assay.suites.causalab.model.files import is_number
from assay.suites.causalab.model.variables import TARGET

LARGEST_RESIDUAL = 1.0
"""Largest residual at which an equation agrees with an observation."""

HIT = 5.0


def value_of(hypothesis: Hypothesis, values: Mapping[str, float]) -> float | None:
    """Evaluate a hypothesis for the frequency of a crystal; None where that is impossible.

    A coefficient that is None or missing leaves the equation without a value.
    """
    right = right_side(hypothesis.equation)
    if not right.strip():
        return None
    known: dict[str, float] = {name: value for name, value in values.items() if name != TARGET}
    known |= {key: float(value) for key, value in hypothesis.coefficients.items() if is_number(value)}
    try:
        return float(parse(right).evaluate(known))
    except (ExpressionError, OverflowError):
        return None


@dataclass(frozen=True)
class Consistency:
    """A hypothesis against an agent's own evidence: `residuals` has None where nothing can be evaluated."""

    residuals: tuple[float | None, ...]

    @property
    def inconsistent_share(self) -> float | None:
        """The share of observations that are contradicted, or for which the equation has no value."""
        if not self.residuals:
            return None
        wrong = sum(r is None or r > LARGEST_RESIDUAL for r in self.residuals)
        return wrong / len(self.residuals)

    @property
    def mean_abs_residual(self) -> float | None:
        return mean(self.residuals)

    @property
    def consistent(self) -> bool:
        return all(r is not None and r <= LARGEST_RESIDUAL for r in self.residuals)


def consistency(hypothesis: Hypothesis, evidence: Iterable[Mapping[str, float]]) -> Consistency:
    """The residuals of a hypothesis over observed states."""
    residuals = []
    for values in evidence:
        stated = value_of(hypothesis, values)
        residuals.append(None if stated is None else abs(stated - values[TARGET]))
    return Consistency(tuple(residuals))


@dataclass(frozen=True)
class FormulaCheck:
    """The auxiliary check of a formula: whether it parses, uses only the roots, and what it says."""

    parsed: bool
    roots_only: bool
    value: float | None
    error: float | None

    @property
    def hit(self) -> bool:
        return self.error is not None and self.error <= HIT


def check_formula(
    formula: str, roots: Collection[str], properties: Mapping[str, float], target: float
) -> FormulaCheck:
    """Check a formula in numbers and properties; `**` is the only sign for powers."""
    try:
        expression = parse(right_side(formula), powers=("**",))
    except ExpressionError:
        return FormulaCheck(False, False, None, None)
    inside = set(expression.names) <= set(roots)
    try:
        value = float(expression.evaluate(properties))
    except (ExpressionError, OverflowError):
        return FormulaCheck(True, inside, None, None)
    error = abs(value - target)
    return FormulaCheck(True, inside, value, error if math.isfinite(error) else None)


def beyond_family(hypothesis: Hypothesis, family: str) -> bool:
    """Tell whether the stated equation has a form that the declared family does not have."""
    right = right_side(hypothesis.equation)
    if not right.strip():
        return False
    try:
        tree = parse(right).tree
    except ExpressionError:
        return True
    most = 2 if family == "quadratic" else 1
    return _degree(tree) > most


def _degree(tree: tuple[object, ...]) -> float:
    """The degree of an expression as a polynomial of the variables; infinite where it is none."""
    kind = tree[0]
    if kind == "number":
        return 0
    if kind == "name":
        return 0 if str(tree[1]) == "base" or str(tree[1]).startswith("c_") else 1
    parts = [_degree(part) for part in tree[1:] if isinstance(part, tuple)]
    if kind in ("+", "-"):
        return max(parts)
    if kind == "negative":
        return parts[0]
    if kind == "*":
        return parts[0] + parts[1]
    if kind == "/":
        return parts[0] if parts[1] == 0 else math.inf
    exponent: object = tree[2]
    if isinstance(exponent, tuple) and exponent[0] == "number" and float(exponent[1]).is_integer():
        return parts[0] * float(exponent[1])
    return 0 if not parts[0] and not parts[1] else math.inf

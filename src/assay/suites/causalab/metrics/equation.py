"""Evaluation of the target's equation as stated by an agent: its residuals and its value at the reactor."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.suites.causalab.dsl import Hypothesis, right_side
from assay.suites.causalab.metrics.least_squares import independent, solve
from assay.suites.causalab.metrics.recovery import mean
from assay.suites.causalab.model.expressions import ExpressionError, parse
from assay.suites.causalab.model.files import is_number
from assay.suites.causalab.model.mechanism import INTERACTION, MONOTONE, curve
from assay.suites.causalab.model.variables import TARGET

LARGEST_RESIDUAL = 1.0
"""Largest residual at which an equation agrees with an observation."""

HIT = 5.0


def value_of(hypothesis: Hypothesis, values: Mapping[str, float]) -> float | None:
    """Return the frequency that a hypothesis gives for a crystal, or None if it cannot be computed.

    An equation with a coefficient that is None or missing has no value.
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
    """A hypothesis compared with the evidence. A residual is None if the equation has no value there."""

    residuals: tuple[float | None, ...]

    @property
    def inconsistent_share(self) -> float | None:
        """The share of observations that the equation contradicts or for which it has no value."""
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
    """Return the absolute residuals (Hz) of a hypothesis over observed states."""
    residuals = []
    for values in evidence:
        stated = value_of(hypothesis, values)
        residuals.append(None if stated is None else abs(stated - values[TARGET]))
    return Consistency(tuple(residuals))


@dataclass(frozen=True)
class FormulaCheck:
    """The result of `check_formula`: whether it parses and uses only the roots, its value and its error."""

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
    """Check a formula of numbers and properties; powers are written with `**` only."""
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
    return _degree(tree) > DEGREES.get(family, 1)


DEGREES: Mapping[str, float] = {"quadratic": 2, INTERACTION: 2, MONOTONE: math.inf}
"""Degree of the equations of a family in the causes; 1 for all others. A monotone curve is no polynomial."""

FITTED = 0.05
"""Largest difference (Hz, or of a coefficient) between a stated equation and a fit that counts as equal."""


def only_fitted(hypothesis: Hypothesis, family: str, evidence: Sequence[Mapping[str, float]]) -> bool:
    """Tell whether the stated equation is a fit to numbers that do not determine it.

    It is, if it passes through all evidence, and either has a form that the family does not have, or is the
    least-squares solution of smallest norm over its own causes where the evidence leaves its coefficients
    open: any other coefficients would explain the evidence as well, and only the fit picks these.
    """
    agreed = consistency(hypothesis, evidence)
    if not evidence or any(r is None or r > FITTED for r in agreed.residuals):
        return False
    if beyond_family(hypothesis, family):
        return True
    causes = [a for a, b in hypothesis.edges if b == TARGET]
    keys, columns = ["base"], [[1.0] * len(evidence)]
    for name in causes:
        values = [float(state[name]) for state in evidence]
        if family == "quadratic":
            keys.append(f"c_{name}_1")
            columns.append([value * value for value in values])
        keys.append(f"c_{name}_2" if family == "quadratic" else f"c_{name}")
        columns.append([curve(value) for value in values] if family == MONOTONE else values)
    for a, b in itertools.combinations(sorted(causes), 2) if family == INTERACTION else ():
        keys.append(f"c_{a}_{b}")
        columns.append([float(state[a] * state[b]) for state in evidence])
    if len(columns) <= 1 or independent(columns) == len(columns):
        return False
    fitted = solve(columns, [float(state[TARGET]) for state in evidence])
    stated: list[Any] = [hypothesis.coefficients.get(key) for key in keys]
    return all(
        is_number(value) and abs(value - wanted) <= FITTED
        for value, wanted in zip(stated, fitted, strict=True)
    )


def _degree(tree: tuple[object, ...]) -> float:
    """Return the degree of an expression in the variables, or infinity if it is not a polynomial."""
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

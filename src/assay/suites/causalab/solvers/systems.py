"""Estimators for the families beyond the paper's: fits of any form, and effects of repeated swings.

All arithmetic is plain and in a fixed order, so that a solver behaves identically on every machine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics.least_squares import Basis, solve
from assay.suites.causalab.model.linear import Matrix, inverse
from assay.suites.causalab.model.mechanism import BEND, INTERACTION, MONOTONE, curve
from assay.suites.causalab.model.scm import Edge, Values, is_acyclic
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.discovery import Estimate

TOLERANCE = {"property": 0.2, TARGET: 1.0}
"""Largest residual that rounding leaves in a fit of a property, and of the frequency."""

Pair = tuple[Values, Values]
"""Two states between which a variable's base is the same."""


@dataclass(frozen=True)
class System(Estimate):
    """An estimated mechanism of any of the families; `weights` holds the terms of one cause each."""

    family: str = "linear"
    products: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def _kept(self) -> dict[tuple[str, str], float]:
        """Return the products of which both causes are among the weights."""
        return {pair: value for pair, value in self.products.items() if set(pair) <= set(self.weights)}

    def frequency(self, values: Mapping[str, float]) -> float | None:
        """Return the frequency (Hz) of a crystal, or None without an equation or without a cause's value."""
        if self.base is None or not self.weights.keys() <= values.keys():
            return None
        total = self.base
        for name, (_, line) in self.weights.items():
            total += line * (curve(values[name]) if self.family == MONOTONE else values[name])
        for (a, b), weight in self._kept().items():
            total += weight * values[a] * values[b]
        return total

    def rounded(self, decimals: int, states: Sequence[Mapping[str, float]]) -> Estimate:
        """Return the estimate as it is, because its weights are rounded already."""
        return self

    def hypothesis(self) -> Hypothesis:
        """Return the estimate in the form of a record's hypothesis."""
        if self.base is None:
            return super().hypothesis()
        coefficients: dict[str, float] = {"base": self.base}
        terms = ["base"]
        for name in (a for a, b in self.edges if b == TARGET):
            coefficients[f"c_{name}"] = self.weights[name][1]
            form = f"{name}^3 / ({name}^2 + {BEND})" if self.family == MONOTONE else name
            terms.append(f"c_{name} * {form}")
        for (a, b), weight in self._kept().items():
            coefficients[f"c_{a}_{b}"] = weight
            terms.append(f"c_{a}_{b} * {a} * {b}")
        return Hypothesis(self.edges, f"{TARGET} = {' + '.join(terms)}", coefficients)


def features(family: str, causes: Sequence[str], state: Mapping[str, float]) -> list[float]:
    """Return what the coefficients of an equation multiply: a term for each cause, then products of two."""
    terms = [curve(state[name]) if family == MONOTONE else float(state[name]) for name in causes]
    if family == INTERACTION:
        terms += [float(state[a] * state[b]) for a, b in itertools.combinations(causes, 2)]
    return terms


def fitting_causes(family: str, name: str, others: Sequence[str], pairs: Sequence[Pair]) -> list[str] | None:
    """Return the smallest set of causes with which an equation explains all changes of a variable.

    Of several sets of one size the one that fits best is taken; None if even all of `others` do not fit.
    """
    goal = [float(after[name] - before[name]) for before, after in pairs]
    tolerance = TOLERANCE.get(name, TOLERANCE["property"])
    for size in range(len(others) + 1):
        best: tuple[float, list[str]] | None = None
        for chosen in itertools.combinations(others, size):
            basis = Basis(goal)
            for column in _columns(family, chosen, pairs):
                basis = basis.with_column(column)
            if basis.worst <= tolerance and (best is None or basis.worst < best[0]):
                best = basis.worst, list(chosen)
        if best is not None:
            return best[1]
    return None


def _columns(family: str, causes: Sequence[str], pairs: Sequence[Pair]) -> list[list[float]]:
    rows = []
    for pair in pairs:
        before, after = (features(family, causes, state) for state in pair)
        rows.append([b - a for a, b in zip(before, after, strict=True)])
    return [list(column) for column in zip(*rows, strict=True)]


def equation(
    family: str, causes: Sequence[str], states: Sequence[Values], decimals: tuple[int, int]
) -> System:
    """Return the equation of the frequency with given causes, fitted to all states.

    The edges of the result are those into the frequency. `decimals` are those of weights and of products.
    """
    rows = [features(family, causes, state) for state in states]
    columns = [[1.0] * len(states), *(list(column) for column in zip(*rows, strict=True))]
    found = solve(columns, [float(state[TARGET]) for state in states])[1:]
    weights = {name: (0.0, round(found[at], decimals[0])) for at, name in enumerate(causes)}
    rest = zip(itertools.combinations(causes, 2), found[len(causes) :], strict=False)
    products = {pair: round(value, decimals[1]) for pair, value in rest}
    edges = tuple((cause, TARGET) for cause in causes)
    return with_base(System(edges, 0.0, weights, False, family, products), states)


def with_base(system: System, states: Sequence[Values]) -> System:
    """Return an equation whose intercept is the mean over all states."""
    left = [float(state[TARGET]) - (system.frequency(state) or 0.0) for state in states]
    base = (system.base or 0.0) + math.fsum(left) / len(left)
    return System(system.edges, round(base, 2), system.weights, False, system.family, system.products)


# ------------------------------------------------------------ total effects


@dataclass(frozen=True)
class Effects:
    """Direct effects that follow from total effects.

    `direct[b][a]` is the effect of property a on property b, `onto[a]` that on the frequency. `inverted` is
    the inverse of the matrix of total effects.
    """

    names: tuple[str, ...]
    direct: Matrix
    onto: list[float]
    inverted: Matrix

    def reach(self, cause: int) -> float:
        """Return by how much independent errors of total effects grow in the direct effects of a cause."""
        return _length(row[cause] for row in self.inverted)

    def gathered(self, effect: int) -> float:
        """Return by how much they grow in the direct effects on a property."""
        return _length(self.inverted[effect])


def _length(values: Iterable[float]) -> float:
    return math.sqrt(math.fsum(value * value for value in values))


def effects(names: Sequence[str], columns: Mapping[str, Mapping[str, float]]) -> Effects | None:
    """Return the direct effects, given the total effects of each property on all variables, or None.

    With cycles, the row of a property in the inverse is scaled by its own response, which the division by its
    diagonal undoes.
    """
    if any(name not in columns for name in names):
        return None
    inverted = inverse([[columns[a][b] for a in names] for b in names])
    if inverted is None or any(row[at] == 0 for at, row in enumerate(inverted)):
        return None
    direct = [
        [0.0 if at == to else -value / row[to] for at, value in enumerate(row)]
        for to, row in enumerate(inverted)
    ]
    n = range(len(names))
    onto = [math.fsum(columns[names[k]][TARGET] * inverted[k][a] for k in n) for a in n]
    return Effects(tuple(names), direct, onto, inverted)


def swings(names: Sequence[str], done: Sequence[tuple[str, float, Values]]) -> dict[str, dict[str, float]]:
    """Return total effects from blocks of requests in which one property swings between two values.

    Args:
        names: The properties.
        done: Property, value and resulting state of every request, in order.
    """
    columns: dict[str, dict[str, float]] = {}
    for name, block in itertools.groupby(done, key=lambda request: request[0]):
        requests = list(block)
        high = [state for _, value, state in requests if value > 0]
        low = [state for _, value, state in requests if value <= 0]
        if high and low:
            width = max(value for _, value, _ in requests) - min(value for _, value, _ in requests)
            columns[name] = {
                other: (_mean(high, other) - _mean(low, other)) / width for other in (*names, TARGET)
            }
            columns[name][name] = 1.0
    return columns


def _mean(states: Sequence[Values], name: str) -> float:
    return math.fsum(state[name] for state in states) / len(states)


def strongest_acyclic(names: Sequence[str], strengths: Mapping[Edge, float]) -> list[Edge]:
    """Return the edges, the strongest first, without those that would close a cycle."""
    edges: list[Edge] = []
    for edge in sorted(strengths, key=lambda edge: (-strengths[edge], edge)):
        if is_acyclic(tuple(names), (*edges, edge)):
            edges.append(edge)
    return edges

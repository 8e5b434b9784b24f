"""The estimators of the reference solvers, which derive a model from evidence without knowing the truth.

All arithmetic is plain and in a fixed order, so that a solver behaves identically on every machine.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics.imec import Evidence, consistent_parents
from assay.suites.causalab.metrics.least_squares import solve
from assay.suites.causalab.model.linear import inverse
from assay.suites.causalab.model.scm import Edge
from assay.suites.causalab.model.variables import TARGET

ZERO = 0.005
"""Direct effects up to this size count as zero. It is half of the rounding unit, 0.01."""

DIGITS = 6
"""Number of decimals of an estimated coefficient."""


@dataclass(frozen=True)
class Estimate:
    """An estimated mechanism: edges, and the target's intercept and weights.

    The weight of a cause is a pair of coefficients: of its square (0 in a linear model) and of the cause
    itself. `base` is None if the equation is unknown.
    """

    edges: tuple[Edge, ...] = ()
    base: float | None = None
    weights: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    quadratic: bool = False

    def frequency(self, values: Mapping[str, float]) -> float | None:
        """Return the frequency (Hz) of a crystal, or None without an equation or without a cause's value."""
        if self.base is None or not self.weights.keys() <= values.keys():
            return None
        total = self.base
        for name, (square, line) in self.weights.items():
            total += square * values[name] * values[name] + line * values[name]
        return total

    def rounded(self, decimals: int, states: Sequence[Mapping[str, float]]) -> Estimate:
        """Return the estimate with rounded weights; the intercept follows from the first state."""
        if self.base is None or not states:
            return self
        weights = {name: (square, round(line, decimals)) for name, (square, line) in self.weights.items()}
        base = float(states[0][TARGET]) - math.fsum(line * states[0][n] for n, (_, line) in weights.items())
        return Estimate(self.edges, round(base, 2), weights, self.quadratic)

    def hypothesis(self) -> Hypothesis:
        """Return the estimate in the form of a record's hypothesis."""
        if self.base is None:
            edges = tuple(edge for edge in self.edges if edge[1] != TARGET)
            return Hypothesis(edges, "", {})
        causes = [a for a, b in self.edges if b == TARGET]
        coefficients: dict[str, float] = {"base": self.base}
        terms = ["base"]
        for name in causes:
            square, line = self.weights[name]
            if self.quadratic:
                coefficients |= {f"c_{name}_1": square, f"c_{name}_2": line}
                terms += [f"c_{name}_1 * {name}^2", f"c_{name}_2 * {name}"]
            else:
                coefficients[f"c_{name}"] = line
                terms.append(f"c_{name} * {name}")
        return Hypothesis(self.edges, f"{TARGET} = {' + '.join(terms)}", coefficients)


# ------------------------------------------------------------ total effects of one intervention per property


def from_total_effects(properties: Sequence[str], evidence: Evidence) -> Estimate | None:
    """Return the linear model determined by one intervention on every property, or None if one is missing.

    The changes of all properties after X was changed by d, divided by d, form a column of the matrix T of
    total effects. The direct effects among properties are I - inverse(T); those on the target are the total
    effects on the target times inverse(T).
    """
    place = {name: n for n, name in enumerate(properties)}
    columns: list[list[float] | None] = [None] * len(properties)
    onto = [0.0] * len(properties)
    steps = zip(itertools.pairwise(evidence.states), evidence.targets, strict=True)
    for (before, after), target in steps:
        change = after[target] - before[target]
        if target in place and change != 0 and columns[place[target]] is None:
            columns[place[target]] = [(after[p] - before[p]) / change for p in properties]
            onto[place[target]] = (after[TARGET] - before[TARGET]) / change
    if any(column is None for column in columns):
        return None
    total = [[float(column[row]) for column in columns if column] for row in range(len(properties))]
    inverted = inverse(total)
    if inverted is None:
        return None
    edges: list[Edge] = []
    weights: dict[str, tuple[float, float]] = {}
    for a in properties:
        share = 0.0
        for n in range(len(properties)):
            share += onto[n] * inverted[n][place[a]]
        if abs(share) > ZERO:
            edges.append((a, TARGET))
            weights[a] = (0.0, round(share, DIGITS))
    for b in properties:
        edges += [(a, b) for a in properties if a != b and abs(inverted[place[b]][place[a]]) > ZERO]
    state = evidence.states[0]
    base = float(state[TARGET])
    for name, (_, line) in weights.items():
        base -= line * state[name]
    return Estimate(tuple(edges), round(base, DIGITS), weights)


# ------------------------------------------------------------ the sparsest graph that explains everything


def sparsest(
    names: Sequence[str], evidence: Evidence, quadratic: bool = False, target_is_parent: bool = False
) -> Estimate:
    """Return an estimate with the fewest edges among all graphs that are compatible with the evidence.

    Ties are broken by the order of the names. The target's equation is fitted by least squares; if the data
    do not determine it, the solution of smallest norm is taken.
    """
    families = [consistent_parents(names, name, evidence, target_is_parent, quadratic) for name in names]
    chosen = best_acyclic(len(names), [[(m.bit_count(), m) for m in family] for family in families])
    if chosen is None:  # no graph fits disturbed data: only the target's causes are kept
        of_target = families[list(names).index(TARGET)]
        chosen = [0] * len(names)
        chosen[list(names).index(TARGET)] = min(of_target, key=lambda m: (m.bit_count(), m), default=0)
    parents = {name: _members(names, mask) for name, mask in zip(names, chosen, strict=True)}
    edges = [(a, TARGET) for a in parents[TARGET]]
    edges += [(a, b) for b in names if b != TARGET for a in parents[b]]
    return with_equation(edges, evidence.all_states, quadratic)


def _members(names: Sequence[str], mask: int) -> list[str]:
    return [name for n, name in enumerate(names) if mask >> n & 1]


def best_acyclic(n: int, options: Sequence[Sequence[tuple[float, int]]]) -> list[int] | None:
    """Return a parent mask per variable that form an acyclic graph of least total cost, or None.

    `options` holds the allowed pairs (cost, parent mask) of each of the n variables. The search is dynamic
    programming over all 2**n sets of variables (Silander and Myllymaki 2006).
    """
    full = 1 << n
    cheapest: list[tuple[float, int, int, int] | None] = [None] * full  # cost, last variable, its mask, rest
    cheapest[0] = (0.0, -1, 0, 0)
    ordered = [sorted(option) for option in options]
    for subset in range(1, full):
        best = None
        for node in range(n):
            rest = subset & ~(1 << node)
            before = cheapest[rest]
            if not subset >> node & 1 or before is None:
                continue
            for cost, mask in ordered[node]:
                if not mask & ~rest:
                    option = (before[0] + cost, node, mask, rest)
                    if best is None or option < best:
                        best = option
                    break
        cheapest[subset] = best
    chosen, at = [0] * n, full - 1
    while at:
        entry = cheapest[at]
        if entry is None:
            return None
        chosen[entry[1]] = entry[2]
        at = entry[3]
    return chosen


def with_equation(
    edges: Sequence[Edge], states: Sequence[Mapping[str, float]], quadratic: bool = False
) -> Estimate:
    """Return a graph together with the target's equation, fitted to states by least squares."""
    causes = [a for a, b in edges if b == TARGET]
    if not states:
        return Estimate(tuple(edge for edge in edges if edge[1] != TARGET))
    columns = [[1.0] * len(states)]
    for name in causes:
        if quadratic:
            columns.append([float(state[name] * state[name]) for state in states])
        columns.append([float(state[name]) for state in states])
    solution = [round(value, DIGITS) for value in solve(columns, [float(s[TARGET]) for s in states])]
    size = 1 + quadratic
    weights = {}
    for n, name in enumerate(causes):
        part = solution[1 + n * size : 1 + (n + 1) * size]
        weights[name] = (part[0] if quadratic else 0.0, part[-1])
    return Estimate(tuple(edges), solution[0], weights, quadratic)


# ------------------------------------------------------------ the most probable model of the generator

COEFFICIENTS = (1, 2, 3)
LARGEST_BASE = 100
TARGET_BASES = range(15, 26)
CENT = 0.051
EDGE_COST = 1.0
ROWS = 64


def likeliest(
    properties: Sequence[str], evidence: Evidence, crystals: Sequence[Mapping[str, float]]
) -> Estimate:
    """Return the most probable linear model, given that coefficients are 1, 2 or 3 and bases 0 to 100.

    `crystals` are unrelated states with known properties: records, the manipulator before any intervention,
    the reactor. Every edge lowers the probability, so that the sparsest model that fits is chosen.
    """
    names = list(properties)
    starts = [[state[name] for name in names] for state in crystals]
    pairs = list(zip(itertools.pairwise(evidence.states), evidence.targets, strict=True))
    options: list[list[tuple[float, int]]] = []
    for at, name in enumerate(names):
        changes = [
            [after[other] - before[other] for other in names]
            for (before, after), target in pairs
            if target != name
        ][:ROWS]
        options.append(_fitting(at, len(names), starts, changes))
    chosen = best_acyclic(len(names), options) or [0] * len(names)
    edges = [(a, b) for b, mask in zip(names, chosen, strict=True) for a in _members(names, mask)]
    base, weights = _target_equation(names, evidence.all_states)
    into = [(a, TARGET) for a in weights]
    return Estimate((*into, *edges), base, {name: (0.0, float(c)) for name, c in weights.items()})


def _fitting(
    at: int, n: int, starts: list[list[float]], changes: list[list[float]]
) -> list[tuple[float, int]]:
    """Return (cost, parent mask) for each parent set of property `at` that fits with some coefficients.

    Since bases are not negative, a crystal's value is at least the sum of its parents' contributions, which
    bounds the search.
    """
    costs: dict[int, float] = {}
    others = [i for i in range(n) if i != at]

    def grow(k: int, mask: int, left: list[float], moved: list[float]) -> None:
        if k == len(others):
            fits = all(value <= LARGEST_BASE + CENT for value in left)
            if fits and all(abs(value) <= CENT for value in moved):
                costs.setdefault(mask, EDGE_COST * mask.bit_count())
            return
        grow(k + 1, mask, left, moved)
        other = others[k]
        for coefficient in COEFFICIENTS:
            rest = [value - coefficient * row[other] for value, row in zip(left, starts, strict=True)]
            if any(value < -CENT for value in rest):
                break
            shifted = [value - coefficient * row[other] for value, row in zip(moved, changes, strict=True)]
            grow(k + 1, mask | 1 << other, rest, shifted)

    grow(0, 0, [row[at] for row in starts], [row[at] for row in changes])
    return [(cost, mask) for mask, cost in costs.items()]


def _target_equation(
    names: Sequence[str], states: Sequence[Mapping[str, float]]
) -> tuple[float | None, dict[str, int]]:
    """Return the base and the coefficients of the target that reproduce every frequency.

    Coefficients are integers from 0 to 3, the base is an integer from 15 to 25. The solution with the fewest
    causes is chosen; without a solution the result is (None, {}).
    """
    if not states:
        return None, {}
    goals = [float(state[TARGET]) for state in states]
    first = [[float(state[name]) for name in names] for state in states]
    rising = [all(value >= 0 for value in row) for row in first[:ROWS]]
    best: tuple[int, float, tuple[int, ...]] | None = None

    def grow(k: int, chosen: tuple[int, ...], left: list[float]) -> None:
        nonlocal best
        # If no property is negative, each further cause can only lower the remainder for the base.
        least = TARGET_BASES[0] - CENT
        if any(value < least for value, sure in zip(left, rising, strict=True) if sure):
            return
        if k == len(names):
            base = round(left[0])
            if base in TARGET_BASES and all(abs(value - base) <= CENT for value in left):
                candidate = (sum(c > 0 for c in chosen), float(base), chosen)
                best = candidate if best is None or candidate < best else best
            return
        for coefficient in (0, *COEFFICIENTS):
            rest = [value - coefficient * row[k] for value, row in zip(left, first, strict=False)]
            grow(k + 1, (*chosen, coefficient), rest)

    grow(0, (), goals[:ROWS])
    if best is None:
        return None, {}
    return best[1], {name: c for name, c in zip(names, best[2], strict=True) if c}

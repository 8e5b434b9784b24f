"""What can be known from evidence in a sealed linear model, and what the next intervention would tell.

The declared prior and the evidence give every graph a probability (`metrics.graphs`). The information of an
intervention is by how many bits the entropy of the graphs falls; its expectation is a mean over simulated
outcomes. An agent that always makes the intervention with the highest expectation, and states the graph with
the best expected F1, is called optimal here. It looks one intervention ahead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.numbers import rng
from assay.numbers.kernels import kernel
from assay.numbers.portable import exp, log, norminv
from assay.suites.causalab.metrics import belief as beliefs
from assay.suites.causalab.metrics.belief import LOG_TWO_PI, ROUNDING, Belief, Masks, _posterior
from assay.suites.causalab.metrics.graphs import EXACT, Array, graphs_of
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.continuous import CENTRE, INTERCEPT, SPREADS, TARGET_SPREAD, WEIGHT_SPREAD

SHIFT = 500.0
"""By how much the best next intervention shifts a property."""

CERTAIN = 0.01
"""Entropy (bits) up to which nothing is left to learn."""


def outcomes(nodes: int) -> int:
    """Return the number of outcomes that are simulated for each intervention."""
    return 32 if nodes <= EXACT else 8


# ------------------------------------------------------------ what is known, and what would be learnt


@kernel
def _learnt(
    causes: Array,
    ones: Array,
    goal: Array,
    noise: Array,
    mean: float,
    variance: float,
    weight: float,
    skipped: int,
    logs: Array,
    centres: Array,
    spreads: Array,
) -> None:
    """Fill in log evidence, and mean and covariance of intercept and weights, for each set of causes."""
    rows, n = causes.shape
    row = np.zeros(n + 1)
    gain = np.zeros(n + 1)
    for mask in range(1 << n):
        logs[mask] = -np.inf
        if skipped >= 0 and (mask >> skipped) & 1:
            continue
        centre = centres[mask]
        spread = spreads[mask]
        centre[0] = mean
        spread[0, 0] = variance
        for a in range(n):
            spread[a + 1, a + 1] = weight if (mask >> a) & 1 else 0.0
        total = 0.0
        for r in range(rows):
            row[0] = ones[r]
            for a in range(n):
                row[a + 1] = causes[r, a]
            expected = 0.0
            width = noise[r]
            for a in range(n + 1):
                expected += row[a] * centre[a]
                value = 0.0
                for b in range(n + 1):
                    value += spread[a, b] * row[b]
                gain[a] = value
            for a in range(n + 1):
                width += row[a] * gain[a]
            error = goal[r] - expected
            total -= 0.5 * (LOG_TWO_PI + log(width) + error * error / width)
            for a in range(n + 1):
                centre[a] += gain[a] * error / width
                for b in range(n + 1):
                    spread[a, b] -= gain[a] * gain[b] / width
        logs[mask] = total


@kernel
def _mixture(logs: Array) -> Array:
    """Return the logarithms of the means of probabilities over the first axis."""
    options, n = logs.shape
    result = np.full(n, -np.inf)
    for mask in range(n):
        largest = -np.inf
        for o in range(options):
            largest = max(largest, logs[o, mask])
        if largest > -np.inf:
            total = 0.0
            for o in range(options):
                if logs[o, mask] - largest > -40.0:
                    total += exp(logs[o, mask] - largest)
            result[mask] = largest + log(total / options)
    return result


@kernel
def _coefficients(centre: Array, spread: Array, normals: Array) -> Array:
    """Draw intercept and weights, by Cholesky decomposition of their covariance."""
    n = centre.shape[0]
    lower = np.zeros((n, n))
    result = centre.copy()
    for a in range(n):
        for b in range(a + 1):
            value = spread[a, b]
            for c in range(b):
                value -= lower[a, c] * lower[b, c]
            if a == b:
                lower[a, a] = math.sqrt(value) if value > 0.0 else 0.0
            elif lower[b, b] > 0.0:
                lower[a, b] = value / lower[b, b]
        for b in range(a + 1):
            result[a] += lower[a, b] * normals[b]
    return result


@kernel
def _predicted(row: Array, goal: float, noise: float, centre: Array, spread: Array) -> float:
    """Return the log density of a value, given the row that explains it."""
    expected = 0.0
    width = noise
    for a in range(row.shape[0]):
        if row[a] != 0.0:
            expected += row[a] * centre[a]
            for b in range(row.shape[0]):
                width += row[a] * spread[a, b] * row[b]
    error = goal - expected
    width = max(width, noise)
    return -0.5 * (LOG_TWO_PI + log(width) + error * error / width)


@kernel
def _entropy(chances: Array) -> float:
    """Return the entropy of probabilities in bits."""
    total = 0.0
    for g in range(chances.shape[0]):
        if chances[g] > 0.0:
            total -= chances[g] * log(chances[g])
    return max(0.0, total / 0.6931471805599453)


@kernel
def _expected_entropy(
    prior: Array,
    masks: NDArray[np.int64],
    chances: Array,
    logs: Array,
    centres: Array,
    spreads: Array,
    target_logs: Array,
    target_centres: Array,
    target_spreads: Array,
    widths: Array,
    state: Array,
    known: bool,
    chosen: int,
    size: float,
    uniforms: Array,
    normals: Array,
) -> float:
    """Return the mean entropy after setting a property, over simulated outcomes.

    With a `known` state the property changes by `size`, and the changes of the others are seen. Otherwise it
    is set to `size` on a crystal that was not seen before.
    """
    n, options, _ = logs.shape
    error = ROUNDING * ROUNDING
    result = 0.0
    row = np.zeros(n + 1)
    full = np.zeros(n + 1)
    table = np.zeros((n + 1, 1 << n))
    updated = np.zeros((options, 1 << n))
    for s in range(uniforms.shape[0]):
        left = uniforms[s, 0]
        graph = 0
        for g in range(chances.shape[0]):
            if chances[g] > 0.0:
                graph = g
                left -= chances[g]
                if left < 0.0:
                    break
        moved = np.zeros(n)
        done = 1 << chosen
        moved[chosen] = size
        drawn = np.zeros(n, np.int64)
        for _ in range(n):
            for at in range(n):
                mask = masks[graph, at]
                if (done >> at) & 1 or (mask & ~done) != 0:
                    continue
                largest = -np.inf
                for o in range(options):
                    largest = max(largest, logs[at, o, mask])
                total = 0.0
                for o in range(options):
                    total += exp(max(-40.0, logs[at, o, mask] - largest))
                left = uniforms[s, 1 + at] * total
                for o in range(options):
                    drawn[at] = o
                    left -= exp(max(-40.0, logs[at, o, mask] - largest))
                    if left < 0.0:
                        break
                o = drawn[at]
                weights = _coefficients(centres[at, o, mask], spreads[at, o, mask], normals[s, at])
                value = 0.0 if known else weights[0]
                for a in range(n):
                    value += weights[a + 1] * moved[a]
                noise = ROUNDING if known else math.sqrt(widths[o])
                moved[at] = value + noise * normals[s, at, n + 1]
                done |= 1 << at
        row[0] = 0.0 if known else 1.0
        full[0] = 1.0
        for a in range(n):
            row[a + 1] = moved[a]
            full[a + 1] = state[a] + moved[a] if known else moved[a]
        mask = masks[graph, n]
        weights = _coefficients(target_centres[mask], target_spreads[mask], normals[s, n])
        frequency = ROUNDING * normals[s, n, n + 1]
        for a in range(n + 1):
            frequency += weights[a] * full[a]
        for at in range(n):
            for mask in range(1 << n):
                for o in range(options):
                    updated[o, mask] = logs[at, o, mask]
                    if at != chosen and logs[at, o, mask] > -np.inf:
                        updated[o, mask] += _predicted(
                            row,
                            moved[at],
                            error if known else widths[o],
                            centres[at, o, mask],
                            spreads[at, o, mask],
                        )
            table[at] = _mixture(updated)
        for mask in range(1 << n):
            table[n, mask] = target_logs[mask] + _predicted(
                full, frequency, error, target_centres[mask], target_spreads[mask]
            )
        result += _entropy(_posterior(prior, masks, table))
    return float(result / uniforms.shape[0])


@lru_cache(maxsize=8)
def _simulated(nodes: int) -> tuple[Array, Array]:
    """Return uniform and normal numbers of the simulated outcomes, the same for all interventions."""
    stream = rng.stream(0, "causalab", "attainable", "outcomes", nodes)
    count = outcomes(nodes)
    uniforms = [[stream.uniform() for _ in range(nodes)] for _ in range(count)]
    normals = [
        [[float(norminv(stream.uniform())) for _ in range(nodes + 1)] for _ in range(nodes)]
        for _ in range(count)
    ]
    return np.array(uniforms), np.array(normals)


@dataclass(frozen=True)
class Known:
    """Everything that evidence says about a model.

    Args of the constructor are those of `belief.tables`.
    """

    names: tuple[str, ...]
    evidence: Evidence
    crystals: tuple[Mapping[str, float], ...] = ()
    first_set: str = ""

    @cached_property
    def _numbers(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        n = len(self.names)
        logs = np.zeros((n, len(SPREADS), 1 << n))
        centres = np.zeros((*logs.shape, n + 1))
        spreads = np.zeros((*centres.shape, n + 1))
        regressions = beliefs.of_each(self.names, self.evidence, self.crystals, self.first_set)
        for at, (rows, ones, goal) in enumerate(regressions):
            matrix = np.array(rows, dtype=np.float64).reshape(len(goal), n)
            for o, width in enumerate(SPREADS):
                noise = np.array([width * width if one else ROUNDING * ROUNDING for one in ones])
                data = (matrix, np.array(ones), np.array(goal), noise)
                into = (logs[at, o], centres[at, o], spreads[at, o])
                _learnt(*data, CENTRE[0], CENTRE[1] ** 2, WEIGHT_SPREAD**2, at, *into)
        rows, ones, goal = beliefs.of_target(self.names, self.evidence)
        target_logs, target_centres = np.zeros(1 << n), np.zeros((1 << n, n + 1))
        target_spreads = np.zeros((1 << n, n + 1, n + 1))
        matrix = np.array(rows, dtype=np.float64).reshape(len(goal), n)
        data = (matrix, np.array(ones), np.array(goal), np.full(len(goal), ROUNDING * ROUNDING))
        into = (target_logs, target_centres, target_spreads)
        _learnt(*data, INTERCEPT[0], INTERCEPT[1] ** 2, TARGET_SPREAD**2, -1, *into)
        return logs, centres, spreads, target_logs, target_centres, target_spreads

    @cached_property
    def _table(self) -> Array:
        logs, _, _, target_logs, _, _ = self._numbers
        return np.array([*(_mixture(of_property) for of_property in logs), target_logs])

    @cached_property
    def _graphs(self) -> tuple[Masks, Array]:
        return graphs_of(len(self.names) + 1, self._table)

    @cached_property
    def belief(self) -> Belief:
        """The probabilities of graphs."""
        masks, prior = self._graphs
        return beliefs.weighed(self.names, masks, self._table, prior)

    @cached_property
    def entropy(self) -> float:
        """The entropy of the graphs in bits."""
        return float(_entropy(self.belief.chances))

    def expected(self, name: str, size: float = SHIFT) -> float:
        """Return the expected information (bits) of an intervention.

        Args:
            name: The property that is set.
            size: By how much it is shifted, or what it is set to while no state of the manipulator was seen.
        """
        masks, prior = self._graphs
        states = self.evidence.states
        state = np.array([float(states[-1][n]) if states else 0.0 for n in self.names])
        widths = np.array([width * width for width in SPREADS])
        uniforms, normals = _simulated(len(self.names) + 1)
        at, chances = self.names.index(name), self.belief.chances
        known = (prior, masks, chances, *self._numbers, widths, state, bool(states))
        after = _expected_entropy(*known, at, size, uniforms, normals)
        return max(0.0, self.entropy - float(after))

    def best(self, controllable: Sequence[str]) -> tuple[str, float]:
        """Return the property that is best set next, and the expected information in bits."""
        options = [(self.expected(name), -at, name) for at, name in enumerate(controllable)]
        information, _, name = max(options)
        return name, information

"""What the declared prior and the evidence say about a sealed linear model: probabilities of its graphs.

Weights and start values of sealed models are normal (`model.continuous`), so the probability of the evidence
under a set of causes has a closed form: Bayesian linear regression, one state after another. The prior of the
graphs is that of the generator (`metrics.graphs`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.numbers.kernels import kernel
from assay.numbers.portable import exp, log
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.continuous import CENTRE, INTERCEPT, SPREADS, TARGET_SPREAD, WEIGHT_SPREAD
from assay.suites.causalab.model.mechanism import curve
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET

ROUNDING = 0.005
"""Standard deviation of the error that the rounding to two decimals leaves in a difference of two states."""

LARGEST = 7
"""Largest number of variables."""

NEGLIGIBLE = 1e-4
"""Sets of causes with a smaller probability are left out of predictions."""

LOG_TWO_PI = 1.8378770664093453

Table = list[float]
"""Log probabilities of the evidence of one variable, by the bit mask of its causes."""


@kernel
def _evidence(
    causes: NDArray[np.float64],
    ones: NDArray[np.float64],
    goal: NDArray[np.float64],
    noise: NDArray[np.float64],
    mean: float,
    variance: float,
    weight: float,
    skipped: int,
) -> NDArray[np.float64]:
    """Return the log probability of `goal` for each set of causes, by sequential Bayesian regression."""
    rows, n = causes.shape
    result = np.full(1 << n, -np.inf)
    for mask in range(1 << n):
        if skipped >= 0 and (mask >> skipped) & 1:
            continue
        chosen = np.zeros(n + 1, np.int64)
        size = 1
        for at in range(n):
            if (mask >> at) & 1:
                chosen[size] = at
                size += 1
        centre = np.zeros(size)
        spread = np.zeros((size, size))
        centre[0] = mean
        spread[0, 0] = variance
        for a in range(1, size):
            spread[a, a] = weight
        total = 0.0
        row = np.zeros(size)
        gain = np.zeros(size)
        for r in range(rows):
            row[0] = ones[r]
            for a in range(1, size):
                row[a] = causes[r, chosen[a]]
            expected = 0.0
            width = noise[r]
            for a in range(size):
                expected += row[a] * centre[a]
                value = 0.0
                for b in range(size):
                    value += spread[a, b] * row[b]
                gain[a] = value
            for a in range(size):
                width += row[a] * gain[a]
            error = goal[r] - expected
            total -= 0.5 * (LOG_TWO_PI + log(width) + error * error / width)
            for a in range(size):
                centre[a] += gain[a] * error / width
                for b in range(size):
                    spread[a, b] -= gain[a] * gain[b] / width
        result[mask] = total
    return result


@dataclass(frozen=True)
class View:
    """How equations differ from the linear ones of the declared prior, where no intervention was made.

    `curved` equations add curves of their causes. The variances are those of what else a property and the
    frequency contain: errors of measurement, or products of causes.
    """

    curved: bool = False
    of_property: float = 0.0
    of_target: float = 0.0


LINEAR = View()


def tables(
    names: Sequence[str],
    evidence: Evidence,
    crystals: Sequence[Mapping[str, float]],
    first_set: str = "",
    view: View = LINEAR,
) -> NDArray[np.float64]:
    """Return the log probabilities of all evidence: a row for each property and the target, by set of causes.

    Args:
        names: The properties.
        evidence: Records, and the states of the manipulator.
        crystals: Other crystals of which only the properties are known, such as the reactor's.
        first_set: The property that was set before the first state; empty if that state is the start.
        view: How equations differ from linear ones.
    """
    of_properties = []
    for at, (rows, ones, goal) in enumerate(of_each(names, evidence, crystals, first_set)):
        options = []
        rows = _seen(rows, view)
        for spread in SPREADS:
            noise = [spread * spread + view.of_property if one else ROUNDING * ROUNDING for one in ones]
            options.append(_rows(rows, ones, goal, noise, CENTRE, WEIGHT_SPREAD, at, len(names)))
        of_properties.append([_mixed(values) for values in zip(*options, strict=True)])
    rows, ones, goal = of_target(names, evidence)
    noise = [ROUNDING * ROUNDING + view.of_target] * len(goal)
    last = _rows(_seen(rows, view), ones, goal, noise, INTERCEPT, TARGET_SPREAD, -1, len(names))
    return np.array([*of_properties, last])


def _seen(rows: list[list[float]], view: View) -> list[list[float]]:
    return [[curve(value) for value in row] for row in rows] if view.curved else rows


Regression = tuple[list[list[float]], list[float], list[float]]
"""Values of the properties, 1 where a row has an intercept and 0 for a difference, and what is explained."""


def of_each(
    names: Sequence[str],
    evidence: Evidence,
    crystals: Sequence[Mapping[str, float]],
    first_set: str = "",
) -> list[Regression]:
    """Return the regression of each property: states of crystals, then changes by interventions on others."""
    fresh = [*evidence.records, *crystals]
    start = evidence.states[:1]
    regressions = []
    for name in names:
        # The first state shows the start value of each property but that which was set.
        states = [*fresh, *(state for state in start if name != first_set)]
        pairs = zip(pairwise(evidence.states), evidence.targets, strict=True)
        moved = [pair for pair, target in pairs if target != name]
        rows = [[float(state[n]) for n in names] for state in states]
        rows += [[float(after[n]) - float(before[n]) for n in names] for before, after in moved]
        goal = [float(state[name]) for state in states]
        goal += [float(after[name]) - float(before[name]) for before, after in moved]
        regressions.append((rows, [1.0] * len(states) + [0.0] * len(moved), goal))
    return regressions


def of_target(names: Sequence[str], evidence: Evidence) -> Regression:
    """Return the regression of the target on all states that were seen."""
    seen = evidence.all_states
    rows = [[float(state[n]) for n in names] for state in seen]
    return rows, [1.0] * len(seen), [float(state[TARGET]) for state in seen]


def _rows(
    rows: Sequence[Sequence[float]],
    ones: Sequence[float],
    goal: Sequence[float],
    noise: Sequence[float],
    base: tuple[float, float],
    weight: float,
    skipped: int,
    n: int,
) -> Table:
    matrix = np.array(rows, dtype=np.float64).reshape(len(goal), n)
    a, b, c = (np.array(vector, dtype=np.float64) for vector in (ones, goal, noise))
    found = _evidence(matrix, a, b, c, base[0], base[1] * base[1], weight * weight, skipped)
    return [float(value) for value in found]


def _mixed(values: Sequence[float]) -> float:
    """Return the log of the mean of probabilities that are given as logs."""
    largest = max(values)
    if largest == -math.inf:
        return largest
    return largest + float(log(math.fsum(float(exp(v - largest)) for v in values) / len(values)))


Graph = tuple[tuple[int, ...], int]
"""The causes of each property and of the target, as bit masks over the properties."""

Masks = NDArray[np.int64]
"""Graphs as rows: the causes of each property, then of the target."""


@kernel
def _posterior(
    prior: NDArray[np.float64], masks: NDArray[np.int64], found: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability of each graph, given log priors and a row of log probabilities a variable."""
    chances = prior.copy()
    largest = -np.inf
    for g in range(masks.shape[0]):
        for at in range(masks.shape[1]):
            chances[g] += found[at, masks[g, at]]
        largest = max(largest, chances[g])
    total = 0.0
    for g in range(masks.shape[0]):
        chances[g] = exp(chances[g] - largest) if chances[g] - largest > -40.0 else 0.0
        total += chances[g]
    for g in range(masks.shape[0]):
        chances[g] /= total
    return chances


@kernel
def _edges(chances: NDArray[np.float64], masks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability of each edge: a row for each effect, the target last."""
    width = masks.shape[1]
    result = np.zeros((width, width - 1))
    for g in range(masks.shape[0]):
        if chances[g] > 0.0:
            for at in range(width):
                for cause in range(width - 1):
                    if (masks[g, at] >> cause) & 1:
                        result[at, cause] += chances[g]
    return result


@kernel
def _expected_f1(chances: NDArray[np.float64], masks: NDArray[np.int64], graph: NDArray[np.int64]) -> float:
    """Return the expected F1 of a graph."""
    width = masks.shape[1]
    result = 0.0
    for g in range(masks.shape[0]):
        if chances[g] > 0.0:
            right = 0
            every = 0
            for at in range(width):
                for cause in range(width - 1):
                    true = (masks[g, at] >> cause) & 1
                    given = (graph[at] >> cause) & 1
                    right += true & given
                    every += true + given
            result += chances[g] * (2.0 * right / every if every > 0 else 1.0)
    return result


@dataclass(frozen=True)
class Belief:
    """Graphs with their probabilities, which add up to 1."""

    names: tuple[str, ...]
    chances: NDArray[np.float64]
    masks: Masks

    @cached_property
    def edges(self) -> dict[tuple[int, int], float]:
        """The probability of each edge between properties, and of each into the target (effect -1)."""
        n = len(self.names)
        table = _edges(self.chances, self.masks)
        return {
            (cause, -1 if effect == n else effect): float(table[effect, cause])
            for effect in range(n + 1)
            for cause in range(n)
        }

    def expected_f1(self, graph: Graph) -> float:
        """Return the expected F1 of all edges of a graph."""
        row = np.array([*graph[0], graph[1]], dtype=np.int64)
        return float(_expected_f1(self.chances, self.masks, row))


def weighed(
    names: Sequence[str],
    masks: Masks,
    found: NDArray[np.float64],
    prior: NDArray[np.float64] | None = None,
) -> Belief:
    """Return the posterior of graphs; `prior` has the logarithms of their probabilities, equal if None."""
    logs = np.zeros(len(masks)) if prior is None else prior
    return Belief(tuple(names), _posterior(logs, masks, found), masks)


THRESHOLDS = tuple(n / 20 for n in range(2, 15))


def best_graph(belief: Belief) -> tuple[Graph, float]:
    """Return the acyclic graph with the highest expected F1 among those of likely edges, and that F1."""
    n, chances = len(belief.names), belief.edges
    graphs = dict.fromkeys(_above(n, chances, threshold) for threshold in THRESHOLDS)
    return max(((graph, belief.expected_f1(graph)) for graph in graphs), key=lambda pair: pair[1])


def likely_graph(n: int, chances: Mapping[tuple[int, int], float]) -> Graph:
    """Return the acyclic graph that the probabilities of its edges suggest, where nothing else is known.

    Its F1 is taken to be the ratio of the expected numbers of right and of all edges.
    """
    total = math.fsum(chances.values())

    def quality(graph: Graph) -> float:
        given = [
            (a, b) for b, mask in (*enumerate(graph[0]), (-1, graph[1])) for a in range(n) if mask >> a & 1
        ]
        return math.fsum(chances.get(edge, 0.0) for edge in given) / (len(given) + total)

    return max((_above(n, chances, threshold) for threshold in THRESHOLDS), key=quality)


@kernel
def _ordered(gain: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the causes of each property in the acyclic graph of the largest gain; rows are causes."""
    n = gain.shape[0]
    best = np.zeros(1 << n)
    latest = np.full(1 << n, -1)
    for subset in range(1, 1 << n):
        for last in range(n):
            if (subset >> last) & 1:
                rest = subset & ~(1 << last)
                value = best[rest]
                for a in range(n):
                    if (rest >> a) & 1:
                        value += gain[a, last]
                if latest[subset] < 0 or value >= best[subset]:
                    best[subset] = value
                    latest[subset] = last
    causes = np.zeros(n, np.int64)
    subset = (1 << n) - 1
    while subset:
        last = latest[subset]
        subset &= ~(1 << last)
        for a in range(n):
            if (subset >> a) & 1 and gain[a, last] > 0.0:
                causes[last] |= 1 << a
    return causes


def _above(n: int, chances: Mapping[tuple[int, int], float], threshold: float) -> Graph:
    """Return the acyclic graph with the largest sum of chances above a threshold (over all orders)."""
    table = np.array([[chances.get((a, b), 0.0) - threshold for b in range(n)] for a in range(n)])
    causes = [int(mask) for mask in _ordered(np.maximum(table, 0.0))]
    of_target = sum(1 << a for a in range(n) if chances.get((a, -1), 0.0) > threshold)
    return tuple(causes), of_target


def named(names: Sequence[str], graph: Graph) -> tuple[tuple[str, str], ...]:
    """Return the edges of a graph by the names of the properties."""
    causes, of_target = graph
    pairs = [(a, TARGET) for at, a in enumerate(names) if of_target >> at & 1]
    for b, mask in zip(names, causes, strict=True):
        pairs += [(a, b) for at, a in enumerate(names) if mask >> at & 1]
    return tuple(pairs)


def predictions(
    names: Sequence[str],
    belief: Belief,
    states: Sequence[Mapping[str, float]],
    crystal: Values,
    most: int,
    reach: float,
) -> list[float]:
    """Return up to `most` frequencies (Hz) of a crystal, the likeliest first, nearly twice `reach` apart.

    Each set of causes gives a normal distribution of the frequency. Candidates are the means of these and
    their neighbours. A candidate counts by the probability that the frequency lies within `reach` of it.
    """
    shares: dict[int, list[float]] = {}
    for chance, mask in zip(belief.chances, belief.masks[:, -1], strict=True):
        if chance > 0.0:
            shares.setdefault(int(mask), []).append(float(chance))
    forms = []
    for mask in sorted(shares):
        share = math.fsum(shares[mask])
        if share >= NEGLIGIBLE:
            causes = [name for at, name in enumerate(names) if mask >> at & 1]
            forms.append((share, *frequency(causes, states, crystal)))
    table = np.array(forms, dtype=np.float64).reshape(len(forms), 3)
    return [float(value) for value in _likeliest(table, most, reach)]


@kernel
def _likeliest(forms: NDArray[np.float64], most: int, reach: float) -> NDArray[np.float64]:
    """Return the points with the highest probability nearby, given shares, means and standard deviations.

    The logistic function stands for the normal distribution; it only orders candidates.
    """
    n = forms.shape[0]
    points = np.zeros(3 * n)
    masses = np.zeros(3 * n)
    for at in range(3 * n):
        points[at] = forms[at // 3, 1] + (at % 3 - 1) * 2.0 * reach
        for f in range(n):
            distance = points[at] - forms[f, 1]
            upper = min(40.0, max(-40.0, 1.702 * (distance + reach) / forms[f, 2]))
            lower = min(40.0, max(-40.0, 1.702 * (distance - reach) / forms[f, 2]))
            masses[at] += forms[f, 0] * (1.0 / (1.0 + exp(-upper)) - 1.0 / (1.0 + exp(-lower)))
    chosen = np.zeros(most)
    count = 0
    while count < most:
        best = -1
        for at in range(3 * n):
            if masses[at] >= 0.0 and (best < 0 or masses[at] > masses[best]):
                best = at
        if best < 0:
            break
        chosen[count] = points[best]
        count += 1
        for at in range(3 * n):
            if abs(points[at] - points[best]) < 1.9 * reach:
                masses[at] = -1.0
        masses[best] = -1.0
    return chosen[:count]


def frequency(
    causes: Sequence[str], states: Sequence[Mapping[str, float]], crystal: Values
) -> tuple[float, float]:
    """Return mean and standard deviation of a crystal's frequency (Hz), given the causes of the target."""
    rows = tuple((1.0, *(float(state[name]) for name in causes)) for state in states)
    goals = tuple(float(state[TARGET]) for state in states)
    return _regressed(rows, goals, (1.0, *(float(crystal[name]) for name in causes)))


@lru_cache(maxsize=1 << 14)  # many solvers see the same records
def _regressed(
    rows: tuple[tuple[float, ...], ...], goals: tuple[float, ...], last: tuple[float, ...]
) -> tuple[float, float]:
    """Return mean and standard deviation of the target at `last`, given its values in the other rows."""
    size = len(last)
    centre = [INTERCEPT[0], *[0.0] * (size - 1)]
    spread = [[0.0] * size for _ in range(size)]
    for at in range(size):
        spread[at][at] = TARGET_SPREAD**2 if at else INTERCEPT[1] ** 2
    for row, goal in zip(rows, goals, strict=True):
        gain = [math.fsum(a * b for a, b in zip(line, row, strict=True)) for line in spread]
        width = ROUNDING**2 + math.fsum(a * b for a, b in zip(row, gain, strict=True))
        error = goal - math.fsum(a * b for a, b in zip(row, centre, strict=True))
        centre = [c + g * error / width for c, g in zip(centre, gain, strict=True)]
        spread = [
            [v - g * h / width for v, h in zip(line, gain, strict=True)]
            for line, g in zip(spread, gain, strict=True)
        ]
    gain = [math.fsum(a * b for a, b in zip(line, last, strict=True)) for line in spread]
    variance = math.fsum(a * b for a, b in zip(last, gain, strict=True))
    mean = math.fsum(a * b for a, b in zip(last, centre, strict=True))
    return mean, math.sqrt(max(variance, ROUNDING**2))

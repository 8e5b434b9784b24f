"""Causal discovery from a sample alone: PC, the class with the best score (GES), and DirectLiNGAM.

These are written in plain arithmetic because causal-learn uses matrix products and inverses whose results
depend on the processor. If causal-learn is installed, `tests/suites/causalab/test_causal_learn.py` compares
both. None of the methods is designed for samples of a few rows without noise; how they fare is a result.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from assay.numbers.portable import exp, log, norminv
from assay.suites.causalab.metrics.imec import compelled
from assay.suites.causalab.metrics.least_squares import Basis, solve
from assay.suites.causalab.model.scm import Edge
from assay.suites.causalab.solvers.discovery import best_acyclic

Sample = Sequence[Mapping[str, float]]

ALPHA = 0.05
LARGEST_SET = 3
EPSILON = 1e-9
DEGENERATE = 1e-8


def _column(sample: Sample, name: str) -> list[float]:
    return [float(row[name]) for row in sample]


def _partial(sample: Sample, a: str, b: str, given: Sequence[str]) -> float:
    """Return the partial correlation of two variables given others; 0 if either residual vanishes."""
    left = []
    for name in (a, b):
        basis = Basis(_column(sample, name), centred=True)
        size = basis.worst
        for other in given:
            basis = basis.with_column(_column(sample, other))
        left.append([0.0] * len(sample) if basis.worst <= DEGENERATE * (1 + size) else basis.residual)
    products = [
        math.fsum(x * y for x, y in zip(left[i], left[j], strict=True)) for i, j in ((0, 0), (1, 1), (0, 1))
    ]
    if products[0] <= 0 or products[1] <= 0:
        return 0.0
    return max(-1.0, min(1.0, products[2] / math.sqrt(products[0] * products[1])))


def independent(sample: Sample, a: str, b: str, given: Sequence[str]) -> bool:
    """Test independence by Fisher's z of a partial correlation; always true if the sample is too small."""
    freedom = len(sample) - len(given) - 3
    if freedom <= 0:
        return True
    r = abs(_partial(sample, a, b, given))
    if r >= 1 - EPSILON:
        return False
    z = 0.5 * float(log((1 + r) / (1 - r)))
    return math.sqrt(freedom) * z <= float(norminv(1 - ALPHA / 2))


def pc(names: Sequence[str], sample: Sample) -> list[Edge]:
    """Run the order-independent PC algorithm (Spirtes, Glymour and Scheines 2000).

    Only edges that the algorithm orients are returned.
    """
    near, apart = skeleton(names, sample)
    directed: set[Edge] = set()
    for middle in names:
        for a, b in itertools.combinations(near[middle], 2):
            if b not in near[a] and middle not in apart.get(frozenset((a, b)), ()):
                for end in (a, b):
                    if (middle, end) not in directed:
                        directed.add((end, middle))
    return sorted(_meek(names, near, directed))


def skeleton(
    names: Sequence[str], sample: Sample
) -> tuple[dict[str, list[str]], dict[frozenset[str], tuple[str, ...]]]:
    """Return the neighbours of each variable, and the separating set of every pair that is not adjacent."""
    near = {name: [other for other in names if other != name] for name in names}
    apart: dict[frozenset[str], tuple[str, ...]] = {}
    for size in range(LARGEST_SET + 1):
        before = {name: list(others) for name, others in near.items()}
        for a, b in itertools.combinations(names, 2):
            if b not in near[a]:
                continue
            for side, other in ((a, b), (b, a)):
                choices = itertools.combinations([n for n in before[side] if n != other], size)
                separating = next((g for g in choices if independent(sample, a, b, g)), None)
                if separating is not None:
                    near[a].remove(b)
                    near[b].remove(a)
                    apart[frozenset((a, b))] = separating
                    break
    return near, apart


def _meek(names: Sequence[str], near: Mapping[str, Sequence[str]], directed: set[Edge]) -> set[Edge]:
    """Apply Meek's first three rules until nothing changes."""
    changed = True
    while changed:
        changed = False
        for b in names:
            for c in near[b]:
                if (b, c) in directed or (c, b) in directed:
                    continue
                first = any((a, b) in directed and c not in near[a] and a != c for a in names)
                second = any((b, a) in directed and (a, c) in directed for a in names)
                middles = [a for a in near[b] if (a, c) in directed and not {(a, b), (b, a)} & directed]
                third = any(x not in near[y] for x, y in itertools.combinations(middles, 2))
                if first or second or third:
                    directed.add((b, c))
                    changed = True
    return directed


# ------------------------------------------------------------ the class with the best score


def best_class(names: Sequence[str], sample: Sample) -> list[Edge]:
    """Return the edges that are common to all graphs of the equivalence class with the lowest BIC.

    GES (Chickering 2002) searches for this class greedily. Here it is found exactly among all graphs with at
    most `LARGEST_SET` causes per variable.
    """
    return sorted(compelled(names, best_graph(names, sample)))


def best_graph(names: Sequence[str], sample: Sample) -> list[Edge]:
    """Return a graph of the equivalence class with the lowest BIC."""
    if len(sample) < 3:
        return []
    options = []
    for at, name in enumerate(names):
        others = [n for n in range(len(names)) if n != at]
        options.append(
            [
                (bic(sample, name, [names[n] for n in chosen]), sum(1 << n for n in chosen))
                for size in range(LARGEST_SET + 1)
                for chosen in itertools.combinations(others, size)
            ]
        )
    chosen_masks = best_acyclic(len(names), options) or [0] * len(names)
    return [
        (names[n], name)
        for name, mask in zip(names, chosen_masks, strict=True)
        for n in range(len(names))
        if mask >> n & 1
    ]


def bic(sample: Sample, name: str, causes: Sequence[str]) -> float:
    """Return n log(residual variance) + log(n) times the number of causes; the variance is at least 1e-4."""
    basis = Basis(_column(sample, name), centred=True)
    for cause in causes:
        basis = basis.with_column(_column(sample, cause))
    n = len(sample)
    variance = max(math.fsum(value * value for value in basis.residual) / n, 1e-4)
    return n * float(log(variance)) + float(log(float(n))) * len(causes)


# ------------------------------------------------------------ DirectLiNGAM


def direct_lingam(names: Sequence[str], sample: Sample) -> list[Edge]:
    """Run DirectLiNGAM (Shimizu et al. 2011) with the entropies of Hyvarinen and Smith (2013).

    The causal order comes from pairwise likelihood ratios. Each variable is then regressed on the earlier
    ones by least squares; coefficients above 0.1 in size become edges.
    """
    if len(sample) < 3:
        return []
    order = causal_order(names, sample)
    edges: list[Edge] = []
    for n, name in enumerate(order):
        causes = _independent_columns(sample, order[:n])
        if not causes:
            continue
        columns = [[1.0] * len(sample), *(_column(sample, cause) for cause in causes)]
        if len(columns) > len(sample):
            columns, causes = columns[: len(sample)], causes[: len(sample) - 1]
        solution = solve(columns, _column(sample, name))
        edges += [
            (cause, name) for cause, weight in zip(causes, solution[1:], strict=True) if abs(weight) > 0.1
        ]
    return sorted(edges)


def causal_order(names: Sequence[str], sample: Sample) -> list[str]:
    """Return the causal order of the variables by repeatedly choosing the most exogenous one."""
    left = {name: Basis(_column(sample, name), centred=True).residual for name in names}
    order: list[str] = []
    rest = list(names)
    while rest:
        first = max(rest, key=lambda name: (_exogeneity(name, rest, left), -rest.index(name)))
        order.append(first)
        rest.remove(first)
        left = {name: _regressed(left[name], left[first]) for name in rest} | {first: left[first]}
    return order


def _independent_columns(sample: Sample, names: Sequence[str]) -> list[str]:
    """Return the names whose columns are linearly independent of the earlier ones, in order."""
    basis, kept = Basis([0.0] * len(sample), centred=True), []
    for name in names:
        grown = basis.with_column(_column(sample, name))
        if len(grown.units) > len(basis.units):
            basis = grown
            kept.append(name)
    return kept


def _exogeneity(name: str, rest: Sequence[str], left: Mapping[str, list[float]]) -> float:
    """Return minus the sum of the squared likelihood ratios that favour others as causes of this variable."""
    total = 0.0
    for other in rest:
        if other != name:
            ratio = _ratio(left[name], left[other])
            total += min(0.0, ratio) ** 2
    return -total


def _ratio(x: list[float], y: list[float]) -> float:
    """Return the log-likelihood ratio of x -> y against y -> x, per row."""
    x, y = _standard(x), _standard(y)
    forth, back = _standard(_regressed(y, x)), _standard(_regressed(x, y))
    return (_entropy(y) + _entropy(back)) - (_entropy(x) + _entropy(forth))


def _regressed(y: list[float], x: list[float]) -> list[float]:
    size = math.fsum(v * v for v in x)
    if size <= DEGENERATE:
        return list(y)
    share = math.fsum(a * b for a, b in zip(x, y, strict=True)) / size
    return [b - share * a for a, b in zip(x, y, strict=True)]


def _standard(x: list[float]) -> list[float]:
    mean = math.fsum(x) / len(x)
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in x) / len(x))
    return [(v - mean) / spread if spread > DEGENERATE else 0.0 for v in x]


def _entropy(u: list[float]) -> float:
    """Approximate the differential entropy of standardised values after Hyvarinen."""
    k1, k2, gamma = 79.047, 7.4129, 0.37457
    n = len(u)
    cosh = math.fsum(_log_cosh(v) for v in u) / n
    gauss = math.fsum(v * float(exp(-v * v / 2)) for v in u) / n
    whole = (1 + float(log(2 * math.pi))) / 2
    return whole - k1 * (cosh - gamma) ** 2 - k2 * gauss * gauss


def _log_cosh(v: float) -> float:
    size = abs(v)
    return size + float(log((1 + float(exp(-2 * size))) / 2))

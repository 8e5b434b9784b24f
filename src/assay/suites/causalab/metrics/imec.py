"""Counts of the causal structures that remain possible (the paper's IMEC, which it defines in words only).

`imec_data` counts the directed acyclic graphs for which some real coefficients, including zeros, reproduce
all evidence. `imec_targets` gives the size of the interventional Markov equivalence class of Hauser and
Buehlmann (2012), which depends only on the graph and the set of intervened properties. It is also valid for
shift interventions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.numbers import rng
from assay.suites.causalab.metrics.least_squares import Basis
from assay.suites.causalab.model.scm import Edge
from assay.suites.causalab.model.variables import TARGET

TOLERANCE = 0.05
"""Largest residual with which a linear system counts as solvable, since data are rounded to hundredths."""

LARGEST_DATA = 10
"""Largest number of variables for which `imec_data` is computed."""

EXACT_LEAVES = 20_000
"""Largest number of orientations that are counted one by one; larger numbers are estimated."""

PROBES = 2_000
"""Number of random descents for an estimate."""

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Evidence:
    """The states that an agent observed, with the engine's values.

    `records` are states of unrelated crystals. `states` are the successive states of the manipulator; the
    first precedes any intervention. `targets` names the property set between each state and the next.
    """

    records: Sequence[Mapping[str, float]]
    states: Sequence[Mapping[str, float]]
    targets: Sequence[str]

    @property
    def all_states(self) -> list[Mapping[str, float]]:
        """All records, followed by all states."""
        return [*self.records, *self.states]


# ------------------------------------------------------------ graphs compatible with the data


def imec_data(names: Sequence[str], evidence: Evidence, target_is_parent: bool = False) -> int:
    """Return the exact number of graphs that are compatible with the evidence.

    Args:
        names: The variables, the target included.
        evidence: The observed states.
        target_is_parent: Whether the target may be a cause.

    Raises:
        ValueError: There are more than `LARGEST_DATA` variables.
    """
    if len(names) > LARGEST_DATA:
        raise ValueError(f"counted up to {LARGEST_DATA} variables only, not for {len(names)}")
    records, states = (
        tuple(tuple(state[name] for name in names) for state in of_kind)
        for of_kind in (evidence.records, evidence.states)
    )
    return _graphs_left(tuple(names), records, states, tuple(evidence.targets), target_is_parent)


@lru_cache(maxsize=8192)  # many agents gather the same evidence in a task
def _graphs_left(
    names: tuple[str, ...],
    records: tuple[tuple[float, ...], ...],
    states: tuple[tuple[float, ...], ...],
    targets: tuple[str, ...],
    target_is_parent: bool,
) -> int:
    """Return `imec_data` of evidence whose states are given as values in the order of `names`."""
    shown, passed = ([dict(zip(names, row, strict=True)) for row in rows] for rows in (records, states))
    evidence = Evidence(shown, passed, targets)
    families = [consistent_parents(names, name, evidence, target_is_parent) for name in names]
    never = 0 if target_is_parent else 1 << names.index(TARGET)
    return _counted(tuple(map(tuple, families)), never)


def consistent_parents(
    names: Sequence[str],
    name: str,
    evidence: Evidence,
    target_is_parent: bool = False,
    squares: bool = False,
    tolerance: float = TOLERANCE,
) -> list[int]:
    """Return the minimal parent sets of one variable that the evidence allows, as bit masks over `names`.

    Every superset is allowed as well, since coefficients may be zero. With `squares` each parent has a second
    coefficient, for its square. The target can be a parent only if `target_is_parent` is true.
    """
    at = {other: n for n, other in enumerate(names)}
    allowed = [o for o in names if o != name and (target_is_parent or o != TARGET)]
    rows = _differences(name, evidence)
    goal = [after[name] - before[name] for before, after in rows]
    columns: dict[str, list[list[float]]] = {}
    for other in allowed:
        columns[other] = [[float(after[other] - before[other]) for before, after in rows]]
        if squares:
            columns[other].append([after[other] ** 2 - before[other] ** 2 for before, after in rows])
    minimal: list[int] = []
    fitted: dict[int, Basis] = {0: Basis([float(value) for value in goal], centred=name == TARGET)}
    if fitted[0].worst <= tolerance:
        return [0]
    for size in range(1, len(allowed) + 1):
        grown: dict[int, Basis] = {}
        for chosen in itertools.combinations(allowed, size):
            mask = sum(1 << at[other] for other in chosen)
            if any(mask & small == small for small in minimal):
                continue
            smaller = fitted.get(mask & ~(1 << at[chosen[-1]]))
            if smaller is None:
                continue
            basis = smaller
            for column in columns[chosen[-1]]:
                basis = basis.with_column(column)
            if basis.worst <= tolerance:
                minimal.append(mask)
            else:
                grown[mask] = basis
        fitted = grown
    return minimal


def _differences(name: str, evidence: Evidence) -> list[tuple[Mapping[str, float], Mapping[str, float]]]:
    """Return the pairs of states whose differences constrain a variable's equation.

    A property has the same base in two successive states if it was not set between them; these pairs are
    returned. The target has the same intercept in all crystals, so each of its states is paired with a state
    of zeros.
    """
    if name == TARGET:
        nothing = _Zero()
        return [(nothing, state) for state in evidence.all_states]
    pairs = zip(itertools.pairwise(evidence.states), evidence.targets, strict=True)
    return [pair for pair, target in pairs if target != name]


class _Zero(dict[str, float]):
    """A state of which every value is zero."""

    def __missing__(self, name: str) -> float:
        return 0.0


def count_acyclic(families: Sequence[Sequence[int]], never: int = 0) -> int:
    """Count the acyclic graphs in which the parents of each variable include one of its minimal sets.

    Sets are bit masks; the variables in `never` cannot be parents. The count uses inclusion and exclusion
    over the variables without effects (a weighted form of Robinson 1973) and takes 3**n steps.
    """
    n = len(families)
    full = 1 << n
    sets = [_supersets(list(family), never | 1 << node, n) for node, family in enumerate(families)]
    counts = [0] * full
    counts[0] = 1
    for subset in range(1, full):
        total = 0
        sinks = subset
        while sinks:
            rest = subset & ~sinks
            product = counts[rest]
            if product:
                left = sinks
                while left and product:
                    node = (left & -left).bit_length() - 1
                    product *= sets[node][rest]
                    left &= left - 1
                total += product if sinks.bit_count() & 1 else -product
            sinks = (sinks - 1) & subset
        counts[subset] = total
    return counts[full - 1]


@lru_cache(maxsize=4096)
def _counted(families: tuple[tuple[int, ...], ...], never: int) -> int:
    """Return `count_acyclic`, remembered: agents that saw alike are left with the same sets of causes."""
    return count_acyclic(families, never)


def _supersets(minimal: list[int], never: int, n: int) -> list[int]:
    """Count for each set of variables its subsets that contain a minimal set and no variable of `never`."""
    allowed = [0] * (1 << n)
    for mask in range(1 << n):
        if not mask & never and any(mask & small == small for small in minimal):
            allowed[mask] = 1
    for bit in range(n):
        for mask in range(1 << n):
            if mask >> bit & 1:
                allowed[mask] += allowed[mask ^ (1 << bit)]
    return allowed


# ------------------------------------------------------------ equivalence class for the intervened properties


@dataclass(frozen=True)
class ClassSize:
    """The size of an equivalence class, either exact or estimated with a 95 % confidence interval."""

    count: float
    low: float
    high: float
    exact: bool


def imec_targets(
    names: Sequence[str],
    edges: Sequence[Edge],
    targets: Collection[str],
    sink: bool = False,
    exact_leaves: int = EXACT_LEAVES,
    probes: int = PROBES,
) -> ClassSize:
    """Count the graphs with the same skeleton, colliders and orientation of the edges at the targets.

    With `sink`, the edges at the target variable are fixed as well. Orientations are propagated with Meek's
    rules. The remaining undirected edges form connected parts, whose numbers of orientations are multiplied.
    If a part has more than `exact_leaves` orientations, their number is estimated from random descents (Knuth
    1975) with a seed that is derived from the graph.
    """
    key = (tuple(names), tuple(edges), frozenset(targets), sink, exact_leaves, probes)
    return _class_size(*key)


@lru_cache(maxsize=4096)
def _class_size(
    names: tuple[str, ...],
    edges: tuple[Edge, ...],
    targets: frozenset[str],
    sink: bool,
    exact_leaves: int,
    probes: int,
) -> ClassSize:
    at = {name: n for n, name in enumerate(names)}
    graph = _Orientation(len(names), [(at[a], at[b]) for a, b in edges])
    known = {at[name] for name in targets if name in at} | ({at[TARGET]} if sink and TARGET in at else set())
    for a, b in graph.true:
        if a in known or b in known or graph.in_collider(a, b):
            graph.orient(a, b)
    if not graph.propagate():
        raise AssertionError("the true graph contradicts itself")
    count, variance, exact = 1.0, 0.0, True
    for part in graph.parts():
        size = _count(graph, part, exact_leaves)
        if size is not None:
            count *= size
            variance *= size * size
            continue
        exact = False
        chance = rng.stream(0, "causalab", "imec", *sorted(f"{a}>{b}" for a, b in edges), *sorted(targets))
        samples = [_descend(graph.copy(), part, chance) for _ in range(probes)]
        mean = math.fsum(samples) / probes
        spread = math.fsum((sample - mean) ** 2 for sample in samples) / (probes - 1) / probes
        variance = variance * mean * mean + count * count * spread
        count *= mean
    half = Z95 * math.sqrt(variance)
    return ClassSize(count, count - half, count + half, exact)


def compelled(names: Sequence[str], edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges of a graph that have the same direction in its whole Markov equivalence class."""
    at = {name: n for n, name in enumerate(names)}
    graph = _Orientation(len(names), [(at[a], at[b]) for a, b in edges])
    for a, b in graph.true:
        if graph.in_collider(a, b):
            graph.orient(a, b)
    graph.propagate()
    return [(a, b) for a, b in edges if graph.up[at[b]] >> at[a] & 1]


class _Orientation:
    """A partially oriented graph; `open_at` returns the neighbours to which an edge is not yet oriented."""

    def __init__(self, n: int, true: list[tuple[int, int]]) -> None:
        self.n = n
        self.true = true
        self.near = [0] * n  # bit masks of neighbours
        for a, b in true:
            self.near[a] |= 1 << b
            self.near[b] |= 1 << a
        self.up = [0] * n  # masks of known parents
        self.down = [0] * n  # masks of known children
        self.colliders = [0] * n
        for b in range(n):
            parents = [a for a, c in true if c == b]
            for a in parents:
                if any(other != a and not self.near[a] >> other & 1 for other in parents):
                    self.colliders[b] |= 1 << a

    def in_collider(self, a: int, b: int) -> bool:
        return bool(self.colliders[b] >> a & 1)

    def copy(self) -> _Orientation:
        twin = object.__new__(_Orientation)
        twin.__dict__ = {**self.__dict__, "up": list(self.up), "down": list(self.down)}
        return twin

    def open_at(self, a: int) -> int:
        return self.near[a] & ~self.up[a] & ~self.down[a]

    def orient(self, a: int, b: int) -> None:
        self.up[b] |= 1 << a
        self.down[a] |= 1 << b

    def first_open(self, part: int) -> tuple[int, int] | None:
        for a in _bits(part):
            left = self.open_at(a) & part
            if left:
                return a, (left & -left).bit_length() - 1
        return None

    def parts(self) -> list[int]:
        """Return the connected parts that undirected edges form, each as a bit mask of its variables."""
        seen, joined = 0, []
        for start in range(self.n):
            if seen >> start & 1 or not self.open_at(start):
                continue
            part, grown = 0, 1 << start
            while grown != part:
                part = grown
                for a in _bits(part):
                    grown |= self.open_at(a)
            seen |= part
            joined.append(part)
        return joined

    def propagate(self) -> bool:
        """Apply Meek's first three rules until nothing changes.

        The fourth rule is not needed, because directed cycles are detected. Returns whether the result has
        neither a directed cycle nor a new collider.
        """
        changed = True
        while changed:
            changed = False
            for b in range(self.n):
                for c in _bits(self.open_at(b)):
                    if self._forced(b, c):
                        self.orient(b, c)
                        changed = True
        return self._sound()

    def _forced(self, b: int, c: int) -> bool:
        if self.up[b] & ~self.near[c] & ~(1 << c):
            return True  # a -> b - c with a, c apart: c -> b would be a new collider
        if self.down[b] & self.up[c]:
            return True  # b -> a -> c: c -> b would close a cycle
        middles = _bits(self.open_at(b) & self.up[c])
        return any(not self.near[a] >> other & 1 for n, a in enumerate(middles) for other in middles[:n])

    def _sound(self) -> bool:
        for b in range(self.n):
            if self.up[b] & self.down[b]:
                return False
            for a in _bits(self.up[b]):
                apart = self.up[b] & ~self.near[a] & ~(1 << a)
                if apart and not self.colliders[b] >> a & 1:
                    return False
        waiting = [self.up[b] for b in range(self.n)]
        free = [b for b in range(self.n) if not waiting[b]]
        done = 0
        while free:
            a = free.pop()
            done += 1
            for c in _bits(self.down[a]):
                waiting[c] &= ~(1 << a)
                if not waiting[c]:
                    free.append(c)
        return done == self.n


def _bits(mask: int) -> list[int]:
    bits = []
    while mask:
        low = mask & -mask
        bits.append(low.bit_length() - 1)
        mask ^= low
    return bits


def _branches(graph: _Orientation, part: int) -> list[_Orientation] | None:
    """Return the consistent graphs after orienting one open edge of the part, or None if no edge is open."""
    edge = graph.first_open(part)
    if edge is None:
        return None
    branches = []
    for a, b in (edge, edge[::-1]):
        twin = graph.copy()
        twin.orient(a, b)
        if twin.propagate():
            branches.append(twin)
    return branches


def _count(graph: _Orientation, part: int, most: int) -> int | None:
    """Return the number of ways to orient a part, or None if there are more than `most`."""
    stack, leaves = [graph], 0
    while stack:
        branches = _branches(stack.pop(), part)
        if branches is None:
            leaves += 1
            if leaves > most:
                return None
        else:
            stack.extend(branches)
    return leaves


def _descend(graph: _Orientation, part: int, chance: rng.Stream) -> float:
    """Descend the tree of orientations at random and return the product of the numbers of branches.

    The mean of this product is the number of leaves; a dead end gives 0.
    """
    weight = 1.0
    while True:
        branches = _branches(graph, part)
        if branches is None:
            return weight
        if not branches:
            return 0.0
        weight *= len(branches)
        graph = branches[chance.below(len(branches))]

"""Sampling of models from the families of the released files.

The original generator was never released. This one reproduces the means measured in the files (edges, forks,
colliders, in-degree of the target, roots, connectivity). It draws a number of edges; then it draws a cause
among the properties and an effect among all variables, and keeps the edge if it closes no cycle, until it has
that number. The order of the draws must never change: the same family, size, index and seed give the same
model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.errors import TaskError, UnknownName
from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.suites.causalab.model import continuous
from assay.suites.causalab.model.disturbance import Disturbance
from assay.suites.causalab.model.files import model_of
from assay.suites.causalab.model.scm import Edge, Model, ancestors, direct_causes
from assay.suites.causalab.model.variables import POOL, TARGET, base_key, display, pool, token

LARGEST = 50
"""Largest number of variables of a model; the paper has 3 to 7."""

MOST_REPEATS = 20_000
"""Number of successive draws without a new graph after which `shapes` gives up."""

FAMILIES = ("linear", "quad", "quad_hard", "freqparent")
"""The families of the released files."""

HIDDEN: dict[str, tuple[int, bool, float]] = {
    "hidden_n1": (1, False, 5),
    "hidden_n2": (2, False, 5),
    "hidden_n3": (3, False, 5),
    "hidden_vrange_pm0p5": (1, False, 0.5),
    "hidden_vrange_pm5": (1, False, 5),
    "hidden_vrange_pm50": (1, False, 50),
    "hidden_freqnode_n1": (0, True, 5),
    "hidden_freqnode_n2": (1, True, 5),
    "hidden_freqnode_n3": (2, True, 5),
}
"""The hidden variants: number of shifted properties, whether the target is shifted, size of the shift."""


@dataclass(frozen=True)
class Shape:
    """A topology: variables in order, the target first, and edges in order, the first one into the target."""

    names: tuple[str, ...]
    edges: tuple[Edge, ...]


def shapes(
    nodes: int, seed: int, target_may_cause: bool = False, properties: Sequence[str] = ()
) -> Iterator[Shape]:
    """Yield distinct labelled topologies.

    With more than eight variables the names come from a pool that is longer than the paper's. Raises
    `ValueError` unless there are 3 to `LARGEST` variables, and `TaskError` when hardly any topology is new.
    """
    _check_size(nodes)
    names = tuple(properties) or (POOL if nodes <= len(POOL) else pool(nodes + 1))
    family = "freqparent" if target_may_cause else "linear"
    seen: set[frozenset[Edge]] = set()
    index = last_new = 0
    while index - last_new < MOST_REPEATS:
        shape = _shape(
            rng.stream(seed, "causalab", "shape", family, nodes, index), nodes, names, target_may_cause
        )
        index += 1
        labelled = frozenset(shape.edges)
        if labelled not in seen:
            seen.add(labelled)
            last_new = index
            yield shape
    raise TaskError(
        f"there are hardly more than {len(seen)} different graphs of {nodes} variables",
        "ask for fewer graphs, or for more variables",
    )


def one_shape(stream: Stream, nodes: int) -> Shape:
    """Return a single topology, which may equal another one; used for sweeps of any length."""
    _check_size(nodes)
    return _shape(stream, nodes, POOL if nodes <= len(POOL) else pool(nodes + 1), False)


def _check_size(nodes: int) -> None:
    if not 3 <= nodes <= LARGEST:
        raise ValueError(f"a model has 3 to {LARGEST} variables, not {nodes}")


def _shape(stream: Stream, nodes: int, names: Sequence[str], target_may_cause: bool) -> Shape:
    properties = stream.sample(names, nodes - 1)
    order = [TARGET, *properties]
    most = min(nodes * (nodes - 1) // 2, 2 * nodes)
    wanted = nodes - 1 + stream.below(most - nodes + 2)
    first = stream.choice(properties)
    edges: list[Edge] = [(first, TARGET)]
    below = [1 << n for n in range(nodes)]  # bit masks of each variable and all its effects
    near = [0] * nodes  # bit masks of each variable's neighbours
    _join(below, near, order.index(first), 0)
    sources = list(range(nodes)) if target_may_cause else list(range(1, nodes))
    while len(edges) < wanted:
        a, b = stream.choice(sources), stream.below(nodes)
        if a == b or near[a] >> b & 1 or below[b] >> a & 1:
            continue
        _join(below, near, a, b)
        edges.append((order[a], order[b]))
    return Shape(tuple(order), tuple(edges))


def _join(below: list[int], near: list[int], a: int, b: int) -> None:
    """Record the edge a -> b: all effects of b become effects of a and of the causes of a."""
    near[a] |= 1 << b
    near[b] |= 1 << a
    for n, mask in enumerate(below):
        if mask >> a & 1:
            below[n] = mask | below[b]


def model(family: str, nodes: int, index: int, seed: int, variant: str = "") -> Model:
    """Return a sampled model, which depends on these arguments only.

    The families `quad` and `quad_hard` and all variants have the same topologies as `linear` at each index.

    Args:
        family: One of `FAMILIES`.
        nodes: The number of variables including the target, 3 to `LARGEST`.
        index: The number of the model in its family, from 0.
        seed: The seed of the family.
        variant: A hidden disturbance of `HIDDEN`; empty for none.

    Raises:
        UnknownName: There is no such family or variant.
        ValueError: The size is out of range.

    >>> [len(model("linear", 4, index, 1).edges) for index in range(3)]
    [6, 6, 5]
    """
    if family not in FAMILIES:
        raise UnknownName(f"there is no family {family!r}", f"choose one of {', '.join(FAMILIES)}")
    if variant and variant not in HIDDEN:
        raise UnknownName(f"there is no hidden variant {variant!r}", f"choose one of {', '.join(HIDDEN)}")
    _check_size(nodes)
    shape = shape_at(nodes, seed, family == "freqparent", index)
    key = "freqparent" if family == "freqparent" else "linear"
    stream = rng.stream(seed, "causalab", "numbers", key, nodes, index)
    return complete(shape, family, index, stream, variant)


@cache
def _cached(nodes: int, seed: int, target_may_cause: bool) -> tuple[list[Shape], Iterator[Shape]]:
    return [], shapes(nodes, seed, target_may_cause)


def shape_at(nodes: int, seed: int, target_may_cause: bool, index: int) -> Shape:
    made, source = _cached(nodes, seed, target_may_cause)
    while len(made) <= index:
        made.append(next(source))
    return made[index]


def complete(
    shape: Shape,
    family: str,
    index: int,
    stream: Stream,
    variant: str = "",
    controllable: Sequence[str] | None = None,
) -> Model:
    """Add numbers to a topology and return the model as it would be read from a file.

    `controllable` are the properties that can be set; None means all of them.
    """
    parents = direct_causes(shape.names, shape.edges)
    reachable = set(shape.names[1:] if controllable is None else controllable)
    quadratic = family in ("quad", "quad_hard")
    numbers, more = _NUMBERS[family](shape, parents, stream)
    params: dict[str, float] = {}
    nodes: dict[str, Any] = {}
    for name in shape.names:
        equation = _equation(name, parents[name], quadratic=quadratic)
        nodes[name] = _node(name, name in reachable, equation)
        params |= numbers[name]
    size = len(shape.names)
    ending = {"quad_hard": ", hard quadratic"}.get(family, "") + (
        f", hidden variant {variant}" if variant else ""
    )
    raw: dict[str, Any] = {
        "graph_id": f"{size}nodes_{'quad_hard_' if family == 'quad_hard' else ''}{index}",
        "description": f"{size} nodes, {len(shape.edges)} edges{ending}",
        "nodes": nodes,
        "edges": [{"from": a, "to": b} for a, b in shape.edges],
        "params": params,
        "budget": 4 * (size - 1),
    }
    if family.endswith("freqparent"):
        raw |= {"equation_family": "linear", "frequency_can_be_parent": True}
    if quadratic:
        raw["equation_family"] = "quadratic"
    raw |= more
    if variant:
        raw["hidden_variable"] = disturbance(shape, variant, stream.child("hidden")).to_json()
    return model_of(raw, f"generated model {raw['graph_id']}")


def _node(name: str, controllable: bool, computation: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "is_controllable": controllable,
        "observable": True,
        "property_name": name,
        "display_name": display(name),
        "base_value": {"type": "uniform", "min": 15.0, "max": 45.0},
    }
    # A variable that cannot be set needs a computation, which for a root is just its base.
    if computation is None and not controllable:
        computation = base_key(name)
    if computation is not None:
        entry["computation"] = computation
    return entry


Parents = Mapping[str, Sequence[str]]
Params = dict[str, dict[str, float]]
"""The parameters of each variable's equation: variable to parameter name to value."""


def _equation(name: str, parents: Sequence[str], *, quadratic: bool) -> str | None:
    """Return the computation of a variable, or None for a root."""
    if not parents:
        return None
    terms = [base_key(name)]
    for parent in parents:
        pair = f"{token(parent)}_{token(name)}"
        if quadratic:
            terms += [f"coeff2_{pair} * ({parent} ^ 2)", f"coeff1_{pair} * {parent}"]
        else:
            terms.append(f"coeff_{pair} * {parent}")
    return " + ".join(terms)


def _linear(shape: Shape, parents: Parents, stream: Stream) -> tuple[Params, dict[str, Any]]:
    """Draw integer coefficients from 1 to 3 and integer bases from 15 to 25; the base of a root is 20."""
    params: Params = {}
    for name in shape.names:
        params[name] = {base_key(name): 15.0 + stream.below(11) if parents[name] else 20.0}
        for parent in parents[name]:
            params[name][f"coeff_{token(parent)}_{token(name)}"] = 1 + stream.below(3)
    return params, {}


def _soft(shape: Shape, parents: Parents, stream: Stream) -> tuple[Params, dict[str, Any]]:
    """Draw the bases of the linear model and small quadratic coefficients."""
    bases, _ = _linear(shape, parents, stream)
    params = {name: {base_key(name): bases[name][base_key(name)]} for name in shape.names}
    for name in shape.names:
        for parent in parents[name]:
            pair = f"{token(parent)}_{token(name)}"
            params[name][f"coeff2_{pair}"] = stream.choice((0.001, 0.002, 0.005))
            params[name][f"coeff1_{pair}"] = stream.choice((-0.5, -0.2, 0.2, 0.5))
    return params, {}


def _continuous(shape: Shape, parents: Parents, stream: Stream) -> tuple[Params, dict[str, Any]]:
    """Draw the numbers of sealed sets, from which records without an intervention tell little."""
    return continuous.numbers(shape.names, parents, stream)


def _hard(shape: Shape, parents: Parents, stream: Stream) -> tuple[Params, dict[str, Any]]:
    """Draw parabolas with their vertices in the middle of the range, where a linear fit is uninformative."""
    params: Params = {}
    axes: dict[str, float] = {}
    for name in shape.names:
        low, high = (25.0, 60.0) if name == TARGET else (20.0, 35.0)
        level = 20.0 if not parents[name] else low + (high - low) * stream.uniform()
        params[name] = {base_key(name): 0.0}
        for parent in parents[name]:
            pair = f"{token(parent)}_{token(name)}"
            square = stream.choice((0.008, 0.012, 0.016))
            axis = round(35.0 + 30.0 * stream.uniform(), 6)
            axes[f"{parent}->{name}"] = axis
            params[name][f"coeff2_{pair}"] = square
            params[name][f"coeff1_{pair}"] = round(-2 * square * axis, 6)
            level += square * axis * axis
        params[name][base_key(name)] = round(level, 6)
    properties = shape.names[1:]

    def crystal() -> dict[str, int]:
        return {name: stream.below(101) for name in properties}

    metadata = {
        "controllable_node_order": list(properties),
        "edge_axis_by_name": axes,
        "observation_presets": [crystal(), crystal()],
        "property_manipulator": crystal(),
        "reactor": crystal(),
    }
    return params, {"quadratic_mode": "hard", "quadratic_metadata": metadata}


_NUMBERS = {
    "linear": _linear,
    "freqparent": _linear,
    "quad": _soft,
    "quad_hard": _hard,
    "continuous": _continuous,
    "continuous-freqparent": _continuous,
}


def disturbance(shape: Shape, variant: str, stream: Stream) -> Disturbance:
    """Return the hidden disturbance of a variant.

    The affected properties are chosen among the direct causes of the target first, then among its other
    ancestors, then among the rest. The order within each group is random, but the same for all variants of a
    model.
    """
    count, target, size = HIDDEN[variant]
    direct = {a for a, b in shape.edges if b == TARGET}
    causes = ancestors(shape.edges, TARGET)
    order: list[str] = []
    for tier in (direct, causes - direct, set(shape.names[1:]) - causes):
        members = [name for name in shape.names[1:] if name in tier]
        stream.shuffle(members)
        order += members
    affected = (TARGET,) * target + tuple(order[:count])
    whole = size == int(size)
    values: tuple[float, ...] = (-int(size), 0, int(size)) if whole else (-size, 0, size)
    return Disturbance(values, affected)

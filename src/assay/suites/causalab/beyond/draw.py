"""Drawing the models and crystals of the families beyond the paper's.

All settings of a set have the same graphs up to the names of properties; a cyclic model has one edge more.
Weights and crystals are drawn as in the other sealed sets (`model.continuous`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import TaskError
from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.suites.causalab.beyond import crystal
from assay.suites.causalab.beyond.rules import PRODUCT_DECIMALS
from assay.suites.causalab.model import continuous
from assay.suites.causalab.model.files import model_of
from assay.suites.causalab.model.generator import Shape, complete
from assay.suites.causalab.model.linear import product
from assay.suites.causalab.model.mechanism import CYCLIC, INTERACTION, Mechanism, equation, product_key
from assay.suites.causalab.model.scm import Edge, ancestors, direct_causes
from assay.suites.causalab.model.variables import TARGET, token
from assay.suites.causalab.simulation import sealed

PRODUCT_SPREADS = (0.005, 0.05)
"""Standard deviations of the weight of a product: in the equation of a property, and of the frequency."""

SMALLEST_PRODUCT = 0.0005
"""Weights of products below this size are drawn again."""

LATENT = (10.0, 30.0)
"""Range of the size of a latent cause's factors, which are the standard deviations of its contributions."""

SETTLED = 1e-3
"""A cycle is stable enough if no effect is larger than this after `ROUNDS` doublings of the path's length."""

ROUNDS = 5


def draw(
    cell: Mapping[str, Any], place: int, records: int, seed: int, graphs: int
) -> tuple[Mechanism, sealed.Crystals]:
    """Draw the model and the crystals of a task.

    Args:
        cell: The setting: `nodes`, and the kind in `beyond`.
        place: The number of the graph; settings of one size share their graphs.
        records: The number of prior records.
        seed: The seed of the set.
        graphs: The seed of its graphs, the same or that of another set.

    Raises:
        TaskError: No draw gives a stable model with the reactor's frequency within `sealed.RANGE`.
    """
    nodes, kind = cell["nodes"], cell["beyond"]
    chance = rng.stream(seed, "causalab", "sealed", "beyond", kind, nodes, place)
    shape = sealed.renamed(sealed.shape_of(nodes, place, graphs, False), chance.child("names"))
    for attempt in range(sealed.MOST_DRAWS):
        stream = chance.child("numbers", attempt)
        model = _model(shape, kind, place, stream)
        if model is None:
            continue
        crystals = sealed.crystals_of(model, records, stream.child("crystals"))
        frequency = crystal.reactor(model, crystals["reactor"], crystals["disturbances"])[TARGET]
        if sealed.RANGE[0] <= frequency <= sealed.RANGE[1]:
            return model, crystals
    raise TaskError(f"no model within range for {kind}, graph {place}", "widen RANGE")


def _model(shape: Shape, kind: str, place: int, stream: Stream) -> Mechanism | None:
    """Return a model, or None if its cycle is not stable."""
    linear = complete(shape, "continuous", place, stream)
    family = kind if kind in ("cyclic", "monotone", "interaction") else "linear"
    edges = list(shape.edges)
    params = dict(linear.params)
    if kind == CYCLIC:
        closing = _closing(shape, stream.child("cycle"))
        for cause, effect in closing:
            params[f"coeff_{token(cause)}_{token(effect)}"] = continuous.weight(
                stream.child("cycle", cause), continuous.WEIGHT_SPREAD
            )
        edges += closing
    parents = direct_causes(shape.names, edges)
    if kind == INTERACTION:
        for name in shape.names:
            params |= _products(name, sorted(parents[name]), stream.child("products", name))
    nodes: dict[str, Any] = {}
    for name in shape.names:
        nodes[name] = {key: v for key, v in linear.raw["nodes"][name].items() if key != "computation"}
        text = equation(name, parents[name], family)
        if text is not None:
            nodes[name]["computation"] = text
    raw = {
        **linear.raw,
        "description": f"{len(nodes)} nodes, {len(edges)} edges, {kind}",
        "nodes": nodes,
        "edges": [{"from": a, "to": b} for a, b in edges],
        "params": params,
        "equation_family": family,
        "mechanism": kind,
    }
    if kind == "confounded":
        raw["latent"] = _latent(shape, stream.child("latent"))
    if kind == CYCLIC and not _stable(shape.names[1:], edges, params):
        return None
    model = model_of(raw, f"generated model {raw['graph_id']}")
    if not isinstance(model, Mechanism):
        raise TypeError("a model with the field `mechanism` is a Mechanism")
    return model


def _closing(shape: Shape, stream: Stream) -> list[Edge]:
    """Return the edge that closes a cycle, or both edges of a pair where no property causes another."""
    pairs = [
        (effect, cause)
        for effect in shape.names[1:]
        for cause in sorted(ancestors(shape.edges, effect))
        if (effect, cause) not in shape.edges
    ]
    if pairs:
        return [stream.choice(pairs)]
    a, b = stream.sample(shape.names[1:], 2)
    return [(a, b), (b, a)]


def _stable(names: tuple[str, ...], edges: list[Edge], params: Mapping[str, float]) -> bool:
    """Tell whether effects die out along the cycles, so that a state of balance is reached."""
    power = [
        [params[f"coeff_{token(a)}_{token(b)}"] if (a, b) in edges else 0.0 for a in names] for b in names
    ]
    for _ in range(ROUNDS):
        power = product(power, power)
    return max(abs(value) for row in power for value in row) < SETTLED


def _products(name: str, causes: list[str], stream: Stream) -> dict[str, float]:
    spread = PRODUCT_SPREADS[name == TARGET]
    weights = {}
    for at, first in enumerate(causes):
        for second in causes[at + 1 :]:
            weight = 0.0
            while abs(weight) < SMALLEST_PRODUCT:
                weight = round(continuous.normal(stream, 0.0, spread), PRODUCT_DECIMALS)
            weights[product_key(first, second, name)] = weight
    return weights


def _latent(shape: Shape, stream: Stream) -> dict[str, float]:
    """Draw the two properties that the latent cause acts on, and its factors."""
    low, high = LATENT
    return {
        name: round((low + (high - low) * stream.uniform()) * stream.choice((-1.0, 1.0)), 3)
        for name in sorted(stream.sample(shape.names[1:], 2))
    }

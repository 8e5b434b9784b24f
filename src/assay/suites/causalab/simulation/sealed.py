"""Sealed tasks: nothing that an agent sees before it intervenes comes from a constant of the package.

Start values of all crystals and the sequence of hidden disturbances are drawn from the seed of the task and
stand in its hidden half. Settings of one set share their graphs up to the names of the properties: names,
weights and crystals are drawn anew for every task, and the order of the tasks is shuffled, so that the
published truth of one task says nothing about another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from assay.errors import TaskError
from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.suites.causalab.model import continuous
from assay.suites.causalab.model.files import model_of
from assay.suites.causalab.model.generator import Shape, complete, one_shape, shape_at
from assay.suites.causalab.model.scm import Model
from assay.suites.causalab.model.variables import POOL, TARGET, pool
from assay.suites.causalab.simulation import golden

RANGE = (10.0, 9990.0)
"""Bounds of the reactor crystal's frequency (Hz), so that every episode can be solved."""

PREFIX = "sealed-"
"""Beginning of the names of sealed settings in tables."""

MOST_DRAWS = 1000
"""Largest number of draws until the reactor's frequency lies within `RANGE`."""

Crystals = dict[str, Any]
"""Bases of the records (a list), of the manipulator and of the reactor, and the seed of the disturbances."""


def place_of(seed: int, size: int, index: int) -> int:
    """Return the place of a task before its set was shuffled.

    >>> sorted(place_of(7, 5, index) for index in range(5))
    [0, 1, 2, 3, 4]
    """
    return _order(seed, size)[index]


@lru_cache(maxsize=16)
def _order(seed: int, size: int) -> tuple[int, ...]:
    order = list(range(size))
    rng.stream(seed, "causalab", "sealed", "order", size).shuffle(order)
    return tuple(order)


def draw(cell: Mapping[str, Any], place: int, records: int, seed: int, graphs: int) -> tuple[Model, Crystals]:
    """Draw the model and the crystals of a task.

    Args:
        cell: The setting: `nodes`, and where they differ `family`, `variant`, `controllable`, `golden`.
        place: The number of the graph; settings of one size share their graphs.
        records: The number of prior records.
        seed: The seed of the set.
        graphs: The seed of its graphs, the same or that of another set.

    Raises:
        TaskError: No draw puts the reactor's frequency within `RANGE`.
    """
    nodes, family = cell["nodes"], cell.get("family", "continuous")
    shape = shape_of(nodes, place, graphs, family.endswith("freqparent"))
    setting = rng.stream(seed, "causalab", "sealed", cell["setting"], nodes, place)
    shape = renamed(shape, setting.child("names"))
    for attempt in range(MOST_DRAWS):
        stream = setting.child("numbers", attempt)
        model = complete(
            shape, family, place, stream, cell.get("variant", ""), _reachable(cell, shape, setting)
        )
        crystals = crystals_of(model, records, stream.child("crystals"))
        target = model.evaluate(crystals["reactor"])[TARGET]
        if RANGE[0] <= target <= RANGE[1]:
            break
    else:
        raise TaskError(f"no reactor within range for {cell['setting']}, graph {place}", "widen RANGE")
    if cell.get("golden", False):
        items = golden.to_json(golden.chain(model, setting.child("golden")))
        model = model_of({**model.raw, "bootstrap_past_data": items}, model.graph_id)
    return model, crystals


def shape_of(nodes: int, place: int, seed: int, target_may_cause: bool) -> Shape:
    """Return a graph by its number; settings of one size share it."""
    if nodes > len(POOL):
        return one_shape(rng.stream(seed, "causalab", "sealed", "large", nodes, place), nodes)
    return shape_at(nodes, seed, target_may_cause, place)


def renamed(shape: Shape, stream: Stream) -> Shape:
    """Give the properties other names, and list them in alphabetical order."""
    properties = shape.names[1:]
    available = POOL if len(properties) <= len(POOL) else pool(len(properties))
    names = {TARGET: TARGET, **dict(zip(properties, stream.sample(available, len(properties)), strict=True))}
    edges = tuple((names[a], names[b]) for a, b in shape.edges)
    return Shape((TARGET, *sorted(names[name] for name in properties)), edges)


def _reachable(cell: Mapping[str, Any], shape: Shape, stream: Stream) -> Sequence[str] | None:
    count = cell.get("controllable")
    return None if count is None else sorted(stream.child("controllable").sample(shape.names[1:], count))


def crystals_of(model: Model, records: int, stream: Stream) -> Crystals:
    """Draw the start values of all crystals of a task."""
    drawn = continuous.crystals(model.properties, records + 2, stream)
    return {
        "records": drawn[2:],
        "manipulator": drawn[0],
        "reactor": drawn[1],
        "disturbances": stream.child("disturbances").bits() >> 11,
    }

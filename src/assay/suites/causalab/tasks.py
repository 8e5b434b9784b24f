"""Tasks: a model of a family, and the conditions under which it is played.

A task is a function of its set, its index and the seed; the graphs of a set are those that the generator
makes of the seed, in its order, so that two settings with one seed have the same graphs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import TaskError
from assay.numbers import rng
from assay.protocol import Blobs, TaskSet
from assay.suites.causalab.model.files import ModelError, model_of
from assay.suites.causalab.model.generator import HIDDEN, complete, model, one_shape, shapes
from assay.suites.causalab.model.scm import Model
from assay.suites.causalab.simulation import golden
from assay.suites.causalab.simulation.acceptance import faults
from assay.suites.causalab.simulation.conditions import Conditions, Setup, step_cap
from assay.task import Task

VERSION = 1

GRAPHS = 50
"""Graphs of a setting in the paper."""

SEED = 1
"""Of the graphs: the same in every set, so that settings are compared on equal graphs."""

Cell = Mapping[str, Any]


def _cell(setting: str, nodes: int, records: int = 2, budget: int | None = None, **more: Any) -> Cell:
    return {"setting": setting, "nodes": nodes, "records": records, "budget": budget, **more}


def _scaling(nodes: int, observed: Sequence[int], used: Sequence[int]) -> list[Cell]:
    """One cell a regime: pure observation, pure intervention, mixed."""
    first = observed[0]
    regimes = [(n, 0) for n in observed] + [(0, m) for m in used] + [(first, m) for m in used]
    return [_cell(f"{n}o{m}i", nodes, n, m, flat=False) for n, m in regimes]


SETS: Mapping[str, TaskSet] = {
    "main-v0": TaskSet(
        5 * GRAPHS,
        SEED,
        "Linear models of 3 to 7 variables, two records, four interventions a property.",
        {"cells": [_cell("main", nodes) for nodes in (3, 4, 5, 6, 7)]},
    ),
    "scaling-v0": TaskSet(
        21 * GRAPHS,
        SEED,
        "Linear models of 4 and 6 variables in the regimes of the paper's appendix A.9.",
        {"cells": _scaling(4, (3, 6, 12, 24), (3, 6, 12, 24)) + _scaling(6, (5, 10, 20), (5, 10, 20))},
    ),
    "variants-v0": TaskSet(
        15 * GRAPHS,
        SEED,
        "The paper's follow-ups: hard quadratic mechanisms, nine hidden disturbances, a frequency that may "
        "cause, golden traces, one check of the equation before the reactor is opened.",
        {
            "cells": [
                _cell("quad-hard", 4, family="quad_hard"),
                *(_cell(variant, 4, variant=variant) for variant in HIDDEN),
                *(_cell("freqparent", nodes, family="freqparent", flat=False) for nodes in (4, 6)),
                *(_cell("golden", nodes, 2, 0, golden=True, flat=False) for nodes in (4, 6)),
                _cell("intercept", 4, verification="intercept"),
            ]
        },
    ),
    "conduct-v0": TaskSet(
        5 * GRAPHS,
        SEED,
        "As main-v0, every episode solvable: for the scripted agents that the audit is tested with.",
        {"cells": [_cell("conduct", nodes, mended=True) for nodes in (3, 4, 5, 6, 7)]},
    ),
    "embodied-v0": TaskSet(
        5,
        SEED,
        "The graphs of main-v0 with four variables, in a room with devices and dialogs.",
        {"cells": [_cell("embodied", 4, front="embodied")]},
    ),
    "sweep-v0": TaskSet(
        1_000_000,
        SEED,
        "As main-v0, as long as one likes: graphs may repeat, and each is drawn by itself.",
        {"cells": [_cell("sweep", nodes, sweep=True) for nodes in (3, 4, 5, 6, 7)]},
    ),
    "smoke-v0": TaskSet(
        2,
        SEED,
        "Three variables, every episode solvable: for the smallest language models.",
        {"cells": [_cell("smoke", 3, mended=True)]},
        smoke=True,
    ),
    "beyond-v0": TaskSet(
        7 * GRAPHS,
        7,
        "Beyond the paper, without the reactor's quirks: models that pass every check, half of the "
        "properties "
        "out of reach, and 10, 20 and 50 variables.",
        {
            "cells": [
                *(_cell("mended", nodes, mended=True, mode="fixed") for nodes in (5, 6, 7)),
                _cell("partial", 6, controllable=3, mode="fixed"),
                *(_cell("large", nodes, mode="fixed") for nodes in (10, 20, 50)),
            ]
        },
    ),
}
"""The sets by name. The first three are the paper's suites."""


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """The task with that index: its cell is index modulo the number of cells, its graph what is left."""
    cells: Sequence[Cell] = task_set.params["cells"]
    cell = cells[index % len(cells)]
    place = index // len(cells)
    found = _model(cell, place, seed)
    nodes = cell["nodes"]
    budget = 4 * (nodes - 1) if cell["budget"] is None else cell["budget"]
    conditions = Conditions(
        records=cell["records"],
        budget=budget,
        steps=step_cap(nodes, budget, cell.get("flat", True)),
        front=cell.get("front", "text"),
        mode=cell.get("mode", "compat"),
        verification=cell.get("verification", "none"),
    )
    setting = cell["setting"]
    return Task(
        suite="causalab",
        task_set=set_name,
        task_id=f"{index:05d}-k{nodes}-{setting.replace('_', '-')}",
        # One-way, so that a published task does not betray the seed of its set.
        seed=rng.stream(seed, "causalab", set_name, index).bits() >> 11,
        version=VERSION,
        strata={"nodes": str(nodes), "setting": setting, "family": found.family},
        public={
            "family": found.family,
            "variables": [[v.name, v.display] for v in found.variables],
            "controllable": list(found.controllable),
            "conditions": conditions.to_json(),
        },
        hidden={"model": dict(found.raw)},
    )


def _model(cell: Cell, place: int, seed: int) -> Model:
    """The model of a cell at a place: the place-th of its family, or the place-th that passes all checks."""
    nodes, family = cell["nodes"], cell.get("family", "linear")
    if "controllable" in cell:
        return _partly_controllable(nodes, place, seed, cell["controllable"])
    if cell.get("sweep", False):
        stream = rng.stream(seed, "causalab", "sweep", nodes, place)
        return complete(one_shape(stream, nodes), "linear", place, stream.child("numbers"))
    if not cell.get("mended", False):
        found = model(family, nodes, place, seed, cell.get("variant", ""))
        return _with_chain(found, place, seed) if cell.get("golden", False) else found
    index = passed = -1
    while passed < place:
        index += 1
        found = model(family, nodes, index, seed)
        if not faults(found):
            passed += 1
    return found


def _partly_controllable(nodes: int, place: int, seed: int, count: int) -> Model:
    """A model of which only some properties can be set, drawn at random."""
    source = shapes(nodes, seed)
    for _ in range(place):
        next(source)
    shape = next(source)
    stream = rng.stream(seed, "causalab", "partial", nodes, place)
    names = set(stream.sample(shape.names[1:], count))
    return complete(shape, "linear", place, stream, controllable=[n for n in shape.names[1:] if n in names])


def _with_chain(found: Model, place: int, seed: int) -> Model:
    """The same model with a golden trace."""
    chance = rng.stream(seed, "causalab", "golden", len(found.names), place)
    items = golden.to_json(golden.chain(found, chance))
    return model_of({**found.raw, "bootstrap_past_data": items}, found.graph_id)


def verify(task: Task) -> None:
    """Check that a task can be played; `TaskError` where it cannot."""
    try:
        setup = Setup(task)
        records = setup.records
    except (ModelError, KeyError, TypeError, ValueError) as problem:
        raise _broken(task, str(problem).splitlines()[0]) from problem
    conditions = setup.conditions
    if len(records) != conditions.records:
        raise _broken(task, "it has not as many records as its conditions say")
    if setup.golden and not golden.replays(setup.model, setup.golden):
        raise _broken(task, "its golden trace does not replay")


def _broken(task: Task, what: str) -> TaskError:
    return TaskError(f"{task.task_set}/{task.task_id}: {what}", "generate the task again")

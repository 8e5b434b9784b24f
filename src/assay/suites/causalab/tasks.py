"""Tasks: a model of a family, and the conditions under which it is played.

A task depends only on its set, its index and the seed. The graphs of a set are those that the generator
derives from the seed, in order, so that two settings with the same seed have the same graphs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.config import data
from assay.errors import TaskError
from assay.numbers import rng
from assay.protocol import COMMITTED, Blobs, TaskSet
from assay.suites.causalab.beyond import draw as beyond
from assay.suites.causalab.beyond.rules import rules_of
from assay.suites.causalab.model.files import ModelError, model_of
from assay.suites.causalab.model.generator import complete, model, one_shape, shapes
from assay.suites.causalab.model.scm import Model
from assay.suites.causalab.simulation import golden, sealed
from assay.suites.causalab.simulation.acceptance import faults
from assay.suites.causalab.simulation.conditions import Conditions, Setup, step_cap
from assay.task import Task

DATA_FILES = ("data/sets.yaml",)

VERSION = 1
"""Version of tasks whose crystals are those of the released environment."""

SEALED = 2
"""Version of tasks whose crystals stand in their hidden half (`simulation.sealed`)."""

SEED = 1
"""Default seed of the graphs of a set."""

Cell = Mapping[str, Any]


@dataclass(frozen=True)
class _Entry:
    __pydantic_config__ = data.CLOSED

    size: int
    doc: str
    cells: tuple[Cell, ...]
    seed: int | None = None
    smoke: bool = False
    archived: bool = False
    sealed: bool = False
    graphs: str = ""

    def task_set(self) -> TaskSet:
        cells = [cell for entry in self.cells for cell in _cells(**entry)]
        return TaskSet(
            self.size,
            (COMMITTED if self.sealed else SEED) if self.seed is None else self.seed,
            self.doc,
            {"cells": cells, "sealed": self.sealed, **({"graphs": self.graphs} if self.graphs else {})},
            smoke=self.smoke,
            archived=self.archived,
        )


def _cells(
    setting: str | list[str], nodes: int | list[int], budget: int | None = None, **more: Any
) -> Iterator[Cell]:
    """Yield the cells of an entry: every combination of its settings and sizes."""
    settings, sizes = (value if isinstance(value, list) else [value] for value in (setting, nodes))
    for name, size in itertools.product(settings, sizes):
        regime = re.fullmatch(r"(\d+)o(\d+)i", str(name))
        records, used = (int(regime[1]), int(regime[2])) if regime else (2, budget)
        yield {"setting": name, "nodes": size, "records": records, "budget": used, **more}


_ENTRIES: Mapping[str, _Entry] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, _Entry])

SETS: Mapping[str, TaskSet] = {name: entry.task_set() for name, entry in _ENTRIES.items()}
"""The task sets by name."""


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """Generate one task of a set.

    Args:
        task_set: The set; `params["cells"]` are its settings and sizes.
        set_name: Its name, which is part of the name of the task's random stream.
        index: The task's index. With n cells, `index % n` selects the cell and `index // n` the graph; in a
            sealed set they are shuffled.
        seed: The seed of the graphs.
        blobs: Not used by this suite.

    Returns:
        A model under the conditions of its cell.
    """
    cells: Sequence[Cell] = task_set.params["cells"]
    is_sealed = task_set.params.get("sealed", False)
    at = sealed.place_of(seed, task_set.size, index) if is_sealed else index
    cell, place = cells[at % len(cells)], at // len(cells)
    nodes = cell["nodes"]
    budget = 4 * (nodes - 1) if cell["budget"] is None else cell["budget"]
    conditions = Conditions(
        records=cell["records"],
        budget=budget,
        steps=step_cap(nodes, budget, cell.get("flat", True)),
        front=cell.get("front", "text"),
        mode=cell.get("mode", "fixed" if is_sealed else "compat"),
        verification=cell.get("verification", "none"),
        initial_state=not is_sealed,
        profile=cell.get("profile", "ours"),
    )
    rules = rules_of(cell["beyond"]) if "beyond" in cell else None
    if is_sealed:
        draw = sealed.draw if rules is None else beyond.draw
        scm, crystals = draw(cell, place, conditions.records, seed, _graphs(task_set, seed))
        hidden = {"model": dict(scm.raw), "crystals": crystals}
    else:
        scm = _model(cell, place, seed)
        hidden = {"model": dict(scm.raw)}
    setting = cell["setting"]
    return Task(
        suite="causalab",
        task_set=set_name,
        task_id=f"{index:05d}-k{nodes}-{setting.replace('_', '-')}",
        # A one-way function, so that a published task does not reveal the seed of its set.
        seed=rng.stream(seed, "causalab", set_name, index).bits() >> 11,
        version=SEALED if is_sealed else VERSION,
        strata={
            "nodes": str(nodes),
            # Sealed settings are other conditions than the paper's, so that no table pools them.
            "setting": f"{sealed.PREFIX}{setting}" if is_sealed else setting,
            "family": scm.family,
        },
        public={
            "family": scm.family,
            "variables": [[v.name, v.display] for v in scm.variables],
            "controllable": list(scm.controllable),
            "conditions": conditions.to_json(sealed=is_sealed),
            **({} if rules is None else {"rules": rules.to_json()}),
        },
        hidden=hidden,
    )


def _graphs(task_set: TaskSet, seed: int) -> int:
    """Return the seed of a set's graphs, which a set may take from another one; a fresh seed has its own."""
    source = task_set.params.get("graphs")
    return SETS[source].seed if source and seed == task_set.seed else seed


def _model(cell: Cell, place: int, seed: int) -> Model:
    """Return the model of a cell at a place, counted from 0 in the family or, if `mended`, in those without
    faults."""
    nodes, family = cell["nodes"], cell.get("family", "linear")
    if "controllable" in cell:
        return _partly_controllable(nodes, place, seed, cell["controllable"])
    if cell.get("sweep", False):
        stream = rng.stream(seed, "causalab", "sweep", nodes, place)
        return complete(one_shape(stream, nodes), "linear", place, stream.child("numbers"))
    if not cell.get("mended", False):
        candidate = model(family, nodes, place, seed, cell.get("variant", ""))
        return _with_chain(candidate, place, seed) if cell.get("golden", False) else candidate
    index = passed = -1
    while passed < place:
        index += 1
        candidate = model(family, nodes, index, seed)
        if not faults(candidate):
            passed += 1
    return candidate


def _partly_controllable(nodes: int, place: int, seed: int, count: int) -> Model:
    """Return a model in which only `count` randomly drawn properties can be set."""
    source = shapes(nodes, seed)
    for _ in range(place):
        next(source)
    shape = next(source)
    stream = rng.stream(seed, "causalab", "partial", nodes, place)
    names = set(stream.sample(shape.names[1:], count))
    return complete(shape, "linear", place, stream, controllable=[n for n in shape.names[1:] if n in names])


def _with_chain(plain: Model, place: int, seed: int) -> Model:
    """Return a copy of a model with a golden trace."""
    chance = rng.stream(seed, "causalab", "golden", len(plain.names), place)
    items = golden.to_json(golden.chain(plain, chance))
    return model_of({**plain.raw, "bootstrap_past_data": items}, plain.graph_id)


def released_files(folder: Path) -> list[Path]:
    """List the files in a folder, or below it, that are named like released files or logs of the paper's."""
    from assay.suites.causalab.original import reading
    from assay.suites.causalab.simulation import released

    return [*released.files(folder).values(), *reading.files(folder)]


def read_released(folder: Path, set_name: str, blobs: Blobs) -> Iterator[Task]:
    """Yield the tasks of all settings of the paper whose file is in a folder, and of the runs that are
    logged there.

    A folder that holds runs has their tasks alone, so that agents do not play the settings again beside
    them. `blobs` stays as it is.

    Raises:
        ModelError: A file breaks a rule of the format; the message names file, line and field.
        BadLog: A log of a run is damaged, or of another graph than the files.
    """
    from assay.suites.causalab.original import reading
    from assay.suites.causalab.simulation import released

    if reading.folders(folder):
        from assay.suites.causalab.original.tasks import read_logs

        for _, task in read_logs(folder, set_name):
            yield task
        return
    for setting in released.settings(folder, set_name):
        yield from setting.tasks


def verify(task: Task) -> None:
    """Check that a task can be played.

    Raises:
        TaskError: The model is malformed, the number of records is wrong, or its golden trace does not
            replay.
    """
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

"""How hard an item is: its size, what distracts, and what chance and a reader of the text would score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.numbers import rng
from assay.protocol import Materials, Measure
from assay.suites.sgi.columns import column
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.frame.tasks import is_v1
from assay.suites.sgi.items import Row, item_of
from assay.suites.sgi.metrics.dry_runs import TESTS
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.released import answers
from assay.suites.sgi.released.items import is_released
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step, parse_text
from assay.suites.sgi.v0 import replies
from assay.suites.sgi.v0.recorded import recorded
from assay.task import Task


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Size, distraction, and what chance and the reference without the truth would score (in %).

    `units`: steps, masked functions, documents to be read, or readings. `details`: parameters, conventions,
    steps, slots, or panels. `distractors`: decoys, tests that the textbook's version passes, traps, known
    solutions, or options that a named error leads to. `chance` is null where nothing random is right.
    """
    item = item_of(task)
    if is_released(item):
        yield from answers.measures(task.public["family"], item)
        return
    measures = _v1 if is_v1(item) else MEASURES[task.public["family"]]
    yield from measures(task, item, settings, materials)


def _v1(task: Task, row: Row, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Open inferences, all decisions, named wrong values; random sound replies and the prompt-only solver."""
    family = family_of(task.public["family"])
    yield Measure("units", float(len(row["x_inferences"])))
    yield Measure("details", float(len(row["x_right"])))
    yield Measure("distractors", float(sum(len(one["fallacies"]) for one in row["x_inferences"])))
    stream = rng.stream(task.seed, "sgi", "calibration", task.task_id)
    count = family.GUESSES or settings["guesses"]
    guesses = [_headline(task, family.play(row, family.random(row, stream))) for _ in range(count)]
    yield Measure("chance", math.fsum(guesses) / len(guesses))
    yield Measure("reference", _headline(task, family.solved(row)))


def _wet(task: Task, row: Row, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    steps = parse_text(row["answer"]).steps
    yield Measure("units", float(len(steps)))
    yield Measure("details", float(sum(len(step.arguments) for step in steps)))
    yield Measure("distractors", float(len(row["x_decoys"])))
    stream = rng.stream(task.seed, "sgi", "calibration", task.task_id)
    guesses = []
    for _ in range(settings["guesses"]):
        names = pool_names(row["action_pool"])
        stream.shuffle(names)
        guess = replies.wet(Step(f"out_{at}", name, {}) for at, name in enumerate(names, 1))
        guesses.append(_headline(task, guess))
    yield Measure("chance", math.fsum(guesses) / len(guesses))
    yield Measure("reference", _recorded(task, row, "planner"))


def _dry(task: Task, row: Row, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    yield Measure("units", float(len(row["incomplete_functions"])))
    yield Measure("details", float(len(row["x_conventions"])))
    yield Measure("distractors", float(row["x_textbook"]))
    yield Measure("chance")
    yield Measure("reference", 100.0 * (row["x_textbook"] == TESTS))


def _reasoning(task: Task, row: Row, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """The reference read the scene as tables."""
    labels = [label for label in row["x_option_labels"] if label not in ("filling", "right")]
    yield Measure("units", float(len(row["x_readings"])))
    yield Measure("details", float(sum(len(image) for image in row["x_scene"])))
    yield Measure("distractors", float(len(labels)))
    yield Measure("chance", 100 / len(row["options"]))
    yield Measure("reference", _recorded(task, row, "tabulator"))


def _ideas(task: Task, row: Row, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Steps, slots and known solutions; as `reference` what a copy of known work scores."""
    yield Measure("units", float(len(row["x_step_types"])))
    yield Measure("details", float(sum(map(len, row["x_slots"].values()))))
    yield Measure("distractors", float(len(literal(row["existing_solutions"]))))
    yield Measure("chance")
    yield Measure("reference", _headline(task, replies.copied(str(task.public["columns"]["question"]))))


def _research(task: Task, row: Row, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Documents to be read, steps and traps; the reader's score where there is a literature to read."""
    yield Measure("units", float(len(row["x_docs"]) + len(row["x_docs_read"])))
    yield Measure("details", float(len(row["x_steps"])))
    yield Measure("distractors", float(sum(trap["answer"] is not None for trap in row["x_traps"])))
    yield Measure("chance")
    yield Measure("reference", _recorded(task, row, "reader") if task.blobs else None)


MEASURES: Mapping[Family, Callable[[Task, Row, Mapping[str, Any], Materials], Iterable[Measure]]] = {
    "wet_experiment": _wet,
    "dry_experiment": _dry,
    "deep_research": _research,
    "idea_generation": _ideas,
    "experimental_reasoning": _reasoning,
}
"""Of each family what is measured of an item."""


def _recorded(task: Task, row: Row, solver: str) -> float:
    """The score of what a solver of version 0 answered."""
    calls = recorded(solver, task.public["family"], row)
    return _headline(task, calls[-1][1]["text"] if calls else "")


def _headline(task: Task, reply: str) -> float:
    for value in column.score(task.public["family"], item_of(task), reply):
        if value.metric == "headline" and value.value is not None:
            return 100 * value.value
    return 0.0

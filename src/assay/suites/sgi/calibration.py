"""How hard an item is: its size, what distracts, and what chance and a reader of the text would score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay import rng
from assay.protocol import Materials, Measure
from assay.suites.sgi.columns import column
from assay.suites.sgi.ideas.wrong import copied
from assay.suites.sgi.items import item_of
from assay.suites.sgi.metrics.dry_runs import TESTS
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.research import reader
from assay.suites.sgi.research.library import Library
from assay.suites.sgi.research.papers import from_lines
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step, parse_text
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet import planner
from assay.task import Task


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Size, distraction, and what chance and the reference without the truth would score (in %).

    `units`: steps, masked functions, or documents to be read. `details`: parameters, conventions, or steps.
    `distractors`: decoys, tests that the textbook's version passes, or traps. `chance` is null for dry items
    and deep research: a program at random is none, and a number at random is not right.
    """
    row = item_of(task)
    if task.public["family"] == "dry_experiment":
        yield Measure("units", float(len(row["incomplete_functions"])))
        yield Measure("details", float(len(row["x_conventions"])))
        yield Measure("distractors", float(row["x_textbook"]))
        yield Measure("chance")
        yield Measure("reference", 100.0 * (row["x_textbook"] == TESTS))
        return
    if task.public["family"] == "idea_generation":
        yield from _ideas(task, row)
        return
    if task.public["family"] == "deep_research":
        yield from _research(task, row, materials)
        return
    steps = parse_text(row["answer"]).steps
    yield Measure("units", float(len(steps)))
    yield Measure("details", float(sum(len(step.arguments) for step in steps)))
    yield Measure("distractors", float(len(row["x_decoys"])))
    stream = rng.stream(task.seed, "sgi", "calibration", task.task_id)
    guesses = []
    for _ in range(settings["guesses"]):
        names = pool_names(row["action_pool"])
        stream.shuffle(names)
        guess = wet.reply(Step(f"out_{at}", name, {}) for at, name in enumerate(names, 1))
        guesses.append(_headline(task, guess))
    yield Measure("chance", math.fsum(guesses) / len(guesses))
    planned = wet.reply(planner.plan(row["question"], row["action_pool"]))
    yield Measure("reference", _headline(task, planned))


def _ideas(task: Task, row: Mapping[str, Any]) -> Iterable[Measure]:
    """Steps, slots and known solutions; as `reference` what a copy of known work scores."""
    yield Measure("units", float(len(row["x_step_types"])))
    yield Measure("details", float(sum(map(len, row["x_slots"].values()))))
    yield Measure("distractors", float(len(literal(row["existing_solutions"]))))
    yield Measure("chance")
    yield Measure("reference", _headline(task, copied(str(task.public["columns"]["question"]))))


def _research(task: Task, row: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Documents to be read, steps and traps; the reader's score where there is a literature to read."""
    yield Measure("units", float(len(row["x_docs"]) + len(row["x_docs_read"])))
    yield Measure("details", float(len(row["x_steps"])))
    yield Measure("distractors", float(sum(trap["answer"] is not None for trap in row["x_traps"])))
    yield Measure("chance")
    if not task.blobs:
        yield Measure("reference")
        return
    library = Library(from_lines(materials.blobs.get(task.blobs[0].sha256)))
    found = reader.answer(row["question"], library.call)
    yield Measure("reference", _headline(task, found or ""))


def _headline(task: Task, reply: str) -> float:
    for value in column.score(task.public["family"], item_of(task), reply):
        if value.metric == "headline" and value.value is not None:
            return 100 * value.value
    return 0.0

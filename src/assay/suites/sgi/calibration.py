"""How hard an item is: its size, what distracts, and what chance and a reader of the text would score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay import rng
from assay.protocol import Materials, Measure
from assay.suites.sgi.columns import column
from assay.suites.sgi.items import item_of
from assay.suites.sgi.metrics.dry_runs import TESTS
from assay.suites.sgi.reasoning import baselines
from assay.suites.sgi.reasoning.arms import lettered
from assay.suites.sgi.reasoning.listing import listed
from assay.suites.sgi.reasoning.options import GRID, RIGHT
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step, parse_text
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet import planner
from assay.task import Task


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Size, distraction, and what chance and the reference without the truth would score (in %).

    `units`: steps, or masked functions. `details`: parameters, or conventions. `distractors`: decoys, or
    the tests that the textbook's version passes. `chance` is null for dry items: a program at random is none.
    Of reasoning: readings, panels, options that a named error leads to; the reference reads tables.
    """
    row = item_of(task)
    if task.public["family"] == "dry_experiment":
        yield Measure("units", float(len(row["incomplete_functions"])))
        yield Measure("details", float(len(row["x_conventions"])))
        yield Measure("distractors", float(row["x_textbook"]))
        yield Measure("chance")
        yield Measure("reference", 100.0 * (row["x_textbook"] == TESTS))
        return
    if task.public["family"] == "experimental_reasoning":
        labels = [label for label in row["x_option_labels"] if label not in (RIGHT, GRID)]
        yield Measure("units", float(len(row["x_readings"])))
        yield Measure("details", float(sum(len(image) for image in row["x_scene"])))
        yield Measure("distractors", float(len(labels)))
        yield Measure("chance", 100 / len(row["options"]))
        shown = lettered(row["options"])
        yield Measure(
            "reference",
            _headline(task, baselines.read_tables(row["question"], shown, listed(row["x_scene"]))),
        )
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


def _headline(task: Task, reply: str) -> float:
    for value in column.score(task.public["family"], item_of(task), reply):
        if value.metric == "headline" and value.value is not None:
            return 100 * value.value
    return 0.0

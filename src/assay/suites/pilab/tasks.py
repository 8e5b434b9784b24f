"""Tasks: a lab's world is all in its seed, so a task is a seed, with what its field holds as strata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from assay import rng
from assay.errors import TaskError
from assay.protocol import Blobs, TaskSet
from assay.suites.pilab.booms import Boom, boom
from assay.suites.pilab.lab import Lab
from assay.suites.pilab.parameters import PUBLISHED, Mode
from assay.task import Task

VERSION = 1

SETS: Mapping[str, TaskSet] = {
    "reference-v0": TaskSet(
        size=8,
        seed=101,
        doc="The eight reference seeds of the paper, 101 to 108.",
        params={"consecutive": True},
    ),
    "many-v0": TaskSet(size=1000, seed=20_261_122, doc="Fresh seeds, for sweeps."),
}
"""The sets by name. Seeds of a consecutive set follow each other; all others are drawn, one-way."""


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """The task with that index: the seed of its world, and when and how big the field's boom is."""
    if task_set.params.get("consecutive"):
        lab_seed = seed + index
    else:
        # One-way, so that a published task does not betray the seed of its set.
        lab_seed = rng.stream(seed, "pilab", set_name, index).bits() >> 11
    found = boom(lab_seed)
    return Task(
        suite="pilab",
        task_set=set_name,
        task_id=f"lab-{index:05d}",
        seed=lab_seed,
        version=VERSION,
        strata={"boom": found.size, "onset": found.time},
        public={"months": PUBLISHED.months, "mode": "mended"},
        hidden={"lab_seed": lab_seed},
    )


def verify(task: Task) -> None:
    """Check that the task can be played; `TaskError` where it cannot."""
    seed, mode = task.hidden.get("lab_seed"), task.public.get("mode")
    if not isinstance(seed, int) or seed < 0 or mode not in get_args(Mode):
        raise TaskError(
            f"{task.task_set}/{task.task_id}: a lab needs a whole number as its seed and a known mode",
            "generate the task again",
        )
    found: Boom = boom(seed)
    if dict(task.strata) != {"boom": found.size, "onset": found.time}:
        raise TaskError(
            f"{task.task_set}/{task.task_id}: the strata are not those of its world",
            "generate the task again",
        )


def lab_of(task: Task) -> Lab:
    """The lab of a task, in its first month."""
    return Lab(task.hidden["lab_seed"], PUBLISHED, task.public["mode"])

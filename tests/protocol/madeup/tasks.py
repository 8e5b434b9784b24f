"""Urns: how many balls is public, which of them are red is hidden."""

from __future__ import annotations

from collections.abc import Mapping

from assay.errors import TaskError
from assay.numbers import rng
from assay.protocol import Blobs, TaskSet
from assay.task import Task
from tests.protocol.madeup import picture

SETS: Mapping[str, TaskSet] = {
    "madeup-v0": TaskSet(7, 2001, "seven urns, frozen", {"small": 8, "large": 24}),
    "madeup-many": TaskSet(1000, 2002, "many small urns", {"small": 6, "large": 10}),
    "madeup-early": TaskSet(3, 1999, "three urns of an earlier generator, which put in fives", archived=True),
}


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """The urn of that index: a function of the set, its index and the seed."""
    task_id = f"urn-{index:04d}"
    tier = "large" if index % 2 else "small"
    mix = "skewed" if index % 4 > 1 else "even"
    balls = task_set.params[tier]
    stream = rng.stream(seed, "madeup", set_name, task_id, "colours")
    red = 1 + stream.below(balls // 4) if mix == "skewed" else balls // 2 - 1 + stream.below(3)
    colours = list("r" * red + "b" * (balls - red))
    stream.shuffle(colours)
    return Task(
        suite="madeup",
        task_set=set_name,
        task_id=task_id,
        seed=seed,
        version=1,
        strata={"tier": tier, "mix": mix},
        public={"balls": balls},
        hidden={"colours": "".join(colours)},
        blobs=(blobs.put(picture.draw(balls), "image/png"),),
    )


def verify(task: Task) -> None:
    """Check that the task makes sense; `TaskError` where it does not."""
    colours, balls = task.hidden["colours"], task.public["balls"]
    if len(colours) != balls or set(colours) != {"r", "b"}:
        raise TaskError(
            f"{task.task_set}/{task.task_id}: an urn of {balls} balls needs {balls} colours, both r and b",
            "generate the task again",
        )

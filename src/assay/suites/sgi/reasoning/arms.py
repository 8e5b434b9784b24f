"""The three arms of experimental reasoning: with pictures, blind, and with the figures as tables.

Only the arm `image` is the benchmark. `blind` shows what question and options give away, `table` what
reasoning is worth without perception. Items of one index are the same in all arms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.protocol import Blobs, TaskSet
from assay.suites.sgi.arms import Arm
from assay.suites.sgi.families import HEADLINE_ARMS
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.reasoning.listing import listed
from assay.suites.sgi.reasoning.pictures import pictures
from assay.task import Task

ARMS = ("image", "blind", "table")

SETS: Mapping[str, TaskSet] = {
    f"reasoning-{name}v0": TaskSet(
        size, 1, doc, {"family": "experimental_reasoning", "arm": arm}, archived=True
    )
    for name, arm, size, doc in (
        ("", "image", 20, "Experimental reasoning: one item of each image type and type of reasoning."),
        ("blind-", "blind", 10, "The same without pictures: what question and options give away."),
        ("table-", "table", 10, "The same with tables for pictures: reasoning without perception."),
    )
}


def of(task_set: TaskSet, row: Mapping[str, Any], blobs: Blobs) -> Arm:
    """The arm of an item in a set; its pictures are put into `blobs`."""
    arm: str = task_set.params.get("arm", HEADLINE_ARMS["experimental_reasoning"])
    strata = {"image_type": row["image_type"], "arm": arm}
    if arm == "image":
        refs = tuple(blobs.put(picture, "image/png") for picture in pictures(row))
        return Arm(strata, {"arm": arm}, refs)
    return Arm(strata, {"arm": arm, "table": listed(row["x_scene"])} if arm == "table" else {"arm": arm})


def lettered(options: list[str]) -> str:
    """The options as they are shown, a line each."""
    return "\n".join(f"{letter(k)}. {option}" for k, option in enumerate(options))


def parts(task: Task) -> tuple[Any, ...]:
    """What is shown of a task: the question, its options, and the pictures or tables of its arm."""
    columns = task.public["columns"]
    table = [task.public["table"]] if "table" in task.public else []
    return (columns["question"], lettered(columns["options"]), *table, *task.blobs)

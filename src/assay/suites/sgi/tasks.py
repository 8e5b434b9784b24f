"""Tasks: one item each, its columns shown or hidden as a model would get them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from assay.errors import AssayError, TaskError
from assay.protocol import Blobs, TaskSet
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.frame import tasks as v1
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.items import item_of
from assay.suites.sgi.released.items import is_released, read_released, released_files
from assay.suites.sgi.released.loader import check
from assay.suites.sgi.v0 import check as archived
from assay.task import Task

__all__ = ["SETS", "generate", "read_released", "released_files", "verify"]

_archived = partial(TaskSet, seed=1, archived=True)
_research = {"family": "deep_research"}
_figures = {"family": "experimental_reasoning"}

SETS: Mapping[str, TaskSet] = {
    "wet-v0": _archived(
        20, doc="Wet experiments: protocols of twelve families.", params={"family": "wet_experiment"}
    ),
    "dry-v0": _archived(
        20, doc="Dry experiments: functions of six types.", params={"family": "dry_experiment"}
    ),
    "ideas-v0": _archived(
        16, doc="Ideas for problems of eight archetypes.", params={"family": "idea_generation"}
    ),
    "research-v0": _archived(
        12, doc="Deep research: a literature behind a search.", params={**_research, "arm": "agent"}
    ),
    "research-closed-v0": _archived(
        4, seed=2, doc="Deep research without any document: a probe.", params={**_research, "arm": "closed"}
    ),
    "research-given-v0": _archived(
        4, seed=3, doc="Deep research with the documents given.", params={**_research, "arm": "documents"}
    ),
    "reasoning-v0": _archived(
        20,
        doc="Experimental reasoning: one item of each image type and type of reasoning.",
        params={**_figures, "arm": "image"},
    ),
    "reasoning-blind-v0": _archived(
        10,
        doc="The same without pictures: what question and options give away.",
        params={**_figures, "arm": "blind"},
    ),
    "reasoning-table-v0": _archived(
        10,
        doc="The same with tables for pictures: reasoning without perception.",
        params={**_figures, "arm": "table"},
    ),
    **v1.SETS,
    "smoke-v0": _archived(
        4, doc="Wet and dry in turn, easy and short: for a first look at a small model.", smoke=True
    ),
}


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """The task of that index: a function of its family, its index and the seed.

    Raises:
        TaskError: If the set is archived: its generator has changed or is gone.
    """
    if task_set.archived:
        raise TaskError(
            f"{set_name} is archived, and its generator is gone", "read its tasks from their files"
        )
    return v1.generate(task_set, set_name, index, seed, blobs)


def verify(task: Task) -> None:
    """Check what the generator promises of an item; `TaskError` where it does not hold."""
    try:
        row = item_of(task)
        if is_released(row):
            check(task.task_id, task.public["family"], row)
        elif v1.is_v1(row):
            family_of(task.public["family"]).verify(row)
        else:
            archived.verify(task.public["family"], row)
    except (Rejected, AssayError, KeyError, TypeError, ValueError) as problem:
        raise TaskError(
            f"the task {task.task_id} of {task.task_set} is not sound: {problem}",
            "restore it from git, or generate it anew; a frozen set is never edited",
        ) from problem

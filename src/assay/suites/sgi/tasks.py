"""Tasks: one item each, its columns shown or hidden as a model would get them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from assay.errors import AssayError, TaskError
from assay.protocol import COMMITTED, Blobs, TaskSet
from assay.suites.sgi import items
from assay.suites.sgi.arms import NO_ARM, Arm
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.families import INVESTIGATION, Family
from assay.suites.sgi.frame import tasks as v1
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.ideas import items as ideas
from assay.suites.sgi.investigation import inquiry
from assay.suites.sgi.items import SHOWN, TYPES, Row
from assay.suites.sgi.reasoning import arms as reasoning_arms
from assay.suites.sgi.reasoning import items as reasoning
from assay.suites.sgi.released.items import is_released, read_released, released_files
from assay.suites.sgi.released.loader import check
from assay.suites.sgi.research import arms as research_arms
from assay.suites.sgi.research import items as research
from assay.suites.sgi.seeding import item_seed
from assay.suites.sgi.wet import items as wet
from assay.task import Task

VERSION = 1

__all__ = ["SETS", "generate", "read_released", "released_files", "verify"]

_archived = partial(TaskSet, archived=True)

SETS: Mapping[str, TaskSet] = {
    "wet-v0": _archived(
        20, 1, "Wet experiments: protocols of twelve families.", {"family": "wet_experiment"}
    ),
    "dry-v0": _archived(20, 1, "Dry experiments: functions of six types.", {"family": "dry_experiment"}),
    "ideas-v0": _archived(16, 1, "Ideas for problems of eight archetypes.", {"family": "idea_generation"}),
    **research_arms.SETS,
    **reasoning_arms.SETS,
    **v1.SETS,
    "investigation-v1": TaskSet(
        10,
        COMMITTED,
        "The inquiry: one hidden world through five stages, on one's own results and on a reference's.",
        {"family": INVESTIGATION, "generation": v1.GENERATION},
    ),
    "smoke-v0": TaskSet(
        4,
        1,
        "Wet and dry in turn, easy and short: for a first look at a small model.",
        smoke=True,
        archived=True,
    ),
}

ARMS: Mapping[Family, Callable[[TaskSet, Row, Blobs], Arm]] = {
    "deep_research": research_arms.of,
    "experimental_reasoning": reasoning_arms.of,
}
"""Of families whose items come in several arms: what the arm of a set adds."""

IN_CONTENTS = ("x_corpus",)
"""Columns that a task has among its contents, where its arm has any."""

SMOKE_FAMILIES: tuple[Family, ...] = ("wet_experiment", "dry_experiment")
SMOKE_DRAWS = 24
"""Items of the lowest level of which the one with the shortest prompt is taken."""


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """The task of that index: a function of its family, its index and the seed."""
    if task_set.params.get("family") == INVESTIGATION:
        return inquiry.task_of(set_name, index, seed, v1.level_of(index), v1.GENERATION)
    if task_set.params.get("generation") == v1.GENERATION:
        return v1.generate(task_set, set_name, index, seed)
    if "family" in task_set.params:
        family: Family = task_set.params["family"]
        item = index
        row = items.generate(family, seed, item)
        task_id = row["idx"].casefold()
    else:
        family = SMOKE_FAMILIES[index % len(SMOKE_FAMILIES)]
        item, row = _shortest(family, seed, range(index * SMOKE_DRAWS, (index + 1) * SMOKE_DRAWS))
        task_id = f"smoke_{index:04d}"
    arm = ARMS[family](task_set, row, blobs) if family in ARMS else NO_ARM
    elsewhere = {*SHOWN[family], *IN_CONTENTS}
    return Task(
        suite="sgi",
        task_set=set_name,
        task_id=task_id,
        seed=item_seed(seed, family, item),
        version=VERSION,
        strata={
            "family": family,
            "discipline": row["discipline"],
            "type": row[TYPES[family]],
            "level": str(row["x_level"]),
            **arm.strata,
        },
        public={"family": family, "columns": {key: row[key] for key in SHOWN[family]}, **arm.public},
        hidden={key: value for key, value in row.items() if key not in elsewhere},
        blobs=arm.contents,
    )


def _shortest(family: Family, seed: int, drawn: range) -> tuple[int, Row]:
    """Of the items drawn the one with the shortest prompt, with its index; the first of several."""
    rows = ((item, items.generate(family, seed, item, level=1)) for item in drawn)
    return min(rows, key=lambda found: (sum(len(str(found[1][key])) for key in SHOWN[family]), found[0]))


VERIFIERS: Mapping[Family, Callable[[Row], None]] = {
    "wet_experiment": wet.validate,
    "dry_experiment": dry.validate,
    "deep_research": research.verify_frozen,
    "idea_generation": ideas.validate,
    "experimental_reasoning": reasoning.validate,
}
"""Of each family what the generator promises of an item."""


def verify(task: Task) -> None:
    """Check what the generator promises of an item; `TaskError` where it does not hold."""
    try:
        row = items.item_of(task)
        if is_released(row):
            check(task.task_id, task.public["family"], row)
        elif inquiry.is_inquiry(row):
            inquiry.verify(row)
        elif v1.is_v1(row):
            family_of(task.public["family"]).verify(row)
        else:
            VERIFIERS[task.public["family"]](row)
    except (Rejected, AssayError, KeyError, TypeError, ValueError) as problem:
        raise TaskError(
            f"the task {task.task_id} of {task.task_set} is not sound: {problem}",
            "restore it from git, or generate it anew; a frozen set is never edited",
        ) from problem

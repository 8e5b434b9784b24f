"""Tasks: each is the seed of a lab's world, with size and time of the world's boom as strata."""

from __future__ import annotations

from collections.abc import Mapping

from assay.errors import TaskError
from assay.numbers import rng
from assay.protocol import Blobs, TaskSet
from assay.suites.pilab.environment.parameters import PUBLISHED, RULES, TURNS
from assay.suites.pilab.experiments.booms import boom
from assay.task import Task

VERSION = 1

REPLIES = PUBLISHED.months * TURNS
TOKENS = 5_000_000
"""Tokens that a run of 60 months may take; the paper's models took up to 2.5 million."""

SETS: Mapping[str, TaskSet] = {
    "reference-v0": TaskSet(
        size=8,
        seed=101,
        doc="The eight reference seeds of the paper, 101 to 108.",
        params={"consecutive": True},
        replies=REPLIES,
        tokens=TOKENS,
    ),
    "no-memory-v0": TaskSet(
        size=8,
        seed=101,
        doc="The reference seeds without a memory: the paper's ablation of the harness.",
        params={"consecutive": True, "memory": False},
        replies=REPLIES,
        tokens=TOKENS,
    ),
    "many-v0": TaskSet(
        size=1000, seed=20_261_122, doc="Fresh seeds, for sweeps.", replies=REPLIES, tokens=TOKENS
    ),
    "closed-v1": TaskSet(
        size=24,
        seed=3_754_755_490_079_805_707,
        doc="Worlds whose seeds nobody chose, in the mode in which every gain has its cost: the headline.",
        params={"mode": "closed"},
        replies=REPLIES,
        tokens=TOKENS,
    ),
    "as-published-v1": TaskSet(
        size=8,
        seed=200_323_535_003_671_728,
        doc="Worlds whose seeds nobody chose, in the game of the paper's agents, loopholes included.",
        params={"mode": "as-published"},
        replies=REPLIES,
        tokens=TOKENS,
    ),
    "smoke-v0": TaskSet(
        size=1,
        seed=104,
        doc="One year with one turn a month, for models that are too small for five: no score of the paper.",
        params={"consecutive": True, "months": 12, "turns": 1},
        smoke=True,
    ),
}
"""The sets by name. The public seeds of a consecutive set follow each other; all others are drawn one-way."""


def generate(task_set: TaskSet, set_name: str, index: int, seed: int, blobs: Blobs) -> Task:
    """Generate the task with this index.

    Args:
        task_set: the recipe; with `consecutive` the seeds of its public tasks follow each other.
        set_name: name of the set that is made, which differs from the recipe's for a private set.
        index: number of the task, from 0.
        seed: seed of the set.
        blobs: not used, since a task of this suite has no files.

    Returns:
        A task whose hidden part is the seed of its world; its strata are size and time of the largest boom.
    """
    if task_set.params.get("consecutive") and seed == task_set.seed:
        lab_seed = seed + index
    else:
        # One-way, so that a published task does not reveal the seed of its set.
        lab_seed = rng.stream(seed, "pilab", set_name, index).bits() >> 11
    params = task_set.params
    months = params.get("months", PUBLISHED.months)
    return Task(
        suite="pilab",
        task_set=set_name,
        task_id=f"lab-{index:05d}",
        seed=lab_seed,
        version=VERSION,
        strata=_strata(lab_seed, months),
        public={
            "months": months,
            "mode": params.get("mode", "mended"),
            **{name: params[name] for name in ("memory", "turns") if name in params},
        },
        hidden={"lab_seed": lab_seed},
    )


def _strata(lab_seed: int, months: int) -> dict[str, str]:
    """Return size and time of a world's boom, and the horizon if it is shorter than the published one."""
    largest = boom(lab_seed, months)
    short = {} if months == PUBLISHED.months else {"horizon": f"{months} months"}
    return {"boom": largest.size, "onset": largest.time, **short}


def verify(task: Task) -> None:
    """Check that the task can be played.

    Raises:
        TaskError: seed, mode, horizon or strata are not those of a lab's world.
    """
    seed, mode = task.hidden.get("lab_seed"), task.public.get("mode")
    if not isinstance(seed, int) or seed < 0 or mode not in RULES:
        raise _unplayable(task, "a lab needs a whole number as its seed and a known mode")
    months, turns, most = task.public.get("months"), task.public.get("turns", TURNS), PUBLISHED.months
    if months not in range(2, most + 1) or turns not in range(1, TURNS + 1):
        raise _unplayable(task, f"a run takes 2 to {most} months of 1 to {TURNS} turns")
    if dict(task.strata) != _strata(seed, months):
        raise _unplayable(task, "the strata are not those of its world")


def _unplayable(task: Task, reason: str) -> TaskError:
    return TaskError(f"{task.task_set}/{task.task_id}: {reason}", "generate the task again")

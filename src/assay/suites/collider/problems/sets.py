"""The task sets of the suite, read from `data/sets.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.config.secret import SUFFIX
from assay.protocol import TaskSet
from assay.suites.collider.formats import documents

DATA_FILES = ("../data/sets.yaml",)

CHAIN = "chain"
MOCK = "mock"
OBJECTS = "objects"
"""Kinds of generators.

Those of CHAIN and OBJECTS are the physics chain, at two levels of the task: an event is given as the
variables of a paper (the level `cuts`), or as candidates of its objects (the level `objects`).
"""


def _task_set(
    *,
    size: int,
    seed: int,
    about: str,
    smoke: bool = False,
    only: list[str] | None = None,
    without: list[str] | None = None,
    **params: Any,
) -> TaskSet:
    lists = {"only": only, "without": without}
    chosen = {name: tuple(entries) for name, entries in lists.items() if entries is not None}
    return TaskSet(size, seed, about, {**params, **chosen}, smoke=smoke)


SETS: Mapping[str, TaskSet] = {
    name: _task_set(**entry) for name, entry in documents.packaged("sets.yaml").items()
}

MOCK_TASKS = SETS["mock-v0"].size


def generator_of(task_set: str) -> str | None:
    """Return the kind of generator in the tasks of a set: CHAIN, OBJECTS, MOCK, or None.

    Tasks of sets with None do not have the tool `generate`.
    """
    name: str | None = SETS[task_set.removesuffix(SUFFIX)].params.get("generator")
    return name


def without(task_set: str) -> tuple[str, ...]:
    """Return the tools that a set takes away: an ablation, as in appendix D.1 of the paper."""
    taken: tuple[str, ...] = SETS[task_set.removesuffix(SUFFIX)].params.get("without", ())
    return taken

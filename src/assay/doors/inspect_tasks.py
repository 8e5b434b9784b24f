"""Every task set as a task of Inspect AI: `inspect eval assay/petri_core_v0 --model ...`.

Inspect finds this module by the entry point of the package and reads which sets there are from the
configuration: a suite's set `core-v0` is `assay/<suite>_core_v0`. Each sample is one of our tasks behind our
harness, which offers the tools: limits, refusals and the log are what they are for everybody, and the score
is ours. The solver may be replaced (`--solver`), for the tools come with the setup of a sample.

The sample's store keeps the recording of the episode; `assay import` makes it one of ours.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from assay.config.loading import load
from assay.config.models import Generated, SuiteConfig
from assay.doors.inspect_episode import TURNS, at_the_harness, clean_up, configured, headline, tool_loop
from assay.sessions.taskfiles import folder
from assay.task import read_frozen

CONFIG = Path(os.environ.get("ASSAY_CONFIG", "config/config.yaml"))
"""The configuration that says which suites and sets there are."""

ALIASES: Mapping[str, tuple[str, str]] = {
    "petri_l1": ("petri", "core-v0"),
    "petri_l2": ("petri", "l2-v0"),
    "petri_l3": ("petri", "l3-v0"),
    "petri_l4": ("petri", "l4-v0"),
}
"""Other names of tasks."""


def inspect_task(suite: str, task_set: str, turns: int = TURNS, config: str | Path = CONFIG) -> Task:
    """A task set as a task of Inspect; `turns` are the replies that a model has in an episode."""
    found = configured(suite, config)
    samples = [
        Sample(
            input=f"{suite} {task_set}/{index}",
            id=name,
            metadata={"suite": suite, "task_set": task_set, "index": index, **strata},
        )
        for index, (name, strata) in enumerate(_samples(found, task_set))
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{suite} {task_set}"),
        setup=at_the_harness(suite, str(config)),
        solver=tool_loop(turns),
        scorer=headline(suite, str(config)),
        cleanup=clean_up,
    )


def _samples(config: SuiteConfig, task_set: str) -> list[tuple[str, dict[str, str]]]:
    """Name and strata of each task; a generated one is named by its index, and made when it is played."""
    entry = config.file.sets[task_set]
    if isinstance(entry, Generated):
        return [(str(index), {}) for index in range(entry.count)]
    tasks = map(read_frozen, sorted(folder(config, task_set).glob("*.json")))
    return [(each.task_id, dict(each.strata)) for each in tasks]


def names() -> dict[str, tuple[str, str]]:
    """Suite and set of each task that Inspect can name; none where there is no configuration."""
    if not CONFIG.is_file():
        return {}
    found = {
        f"{name}_{task_set}".replace("-", "_").replace(".", "_"): (name, task_set)
        for name, suite in load(CONFIG).suites.items()
        for task_set in suite.file.sets
    }
    return found | {alias: meant for alias, meant in ALIASES.items() if meant in found.values()}


def _register(name: str, suite: str, task_set: str) -> None:
    def made(turns: int = TURNS) -> Task:
        return inspect_task(suite, task_set, turns)

    made.__doc__ = f"The tasks of {suite} {task_set}."
    task(name=name)(made)


for _name, (_its_suite, _its_set) in names().items():
    _register(_name, _its_suite, _its_set)

"""Every task set as a task of Inspect AI: `inspect eval assay/petri_core_v0 --model ...`.

Inspect finds this module by an entry point of the package. The module registers each task set of the
configuration: a suite's set `core-v0` becomes the Inspect task `assay/<suite>_core_v0`. A sample is one task
of the set. Its tools call the harness, so limits, refusals, log and score are the same as in every other
interface. Users may replace the solver (`--solver`), because the setup of a sample, not the solver, adds the
tools.

The sample's store holds the recording of the episode, from where `assay import` adds it to the recordings of
the checkout.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai._util.registry import registry_name  # there is no public way to ask for it
from inspect_ai.dataset import MemoryDataset, Sample

from assay.config.loading import load
from assay.doors.inspect_episode import TURNS, at_the_harness, clean_up, configured, headline, tool_loop
from assay.sessions.programs.catalogue import tasks_of

CONFIG = Path(os.environ.get("ASSAY_CONFIG", "config/config.yaml"))
"""The path of the configuration whose suites and sets are registered."""

ALIASES: Mapping[str, tuple[str, str]] = {
    "petri_l1": ("petri", "core-v0"),
    "petri_l2": ("petri", "l2-v0"),
    "petri_l3": ("petri", "l3-v0"),
    "petri_l4": ("petri", "l4-v0"),
}
"""Additional names of tasks, each with its suite and set."""


def inspect_task(suite: str, task_set: str, turns: int = TURNS, config: str | Path = CONFIG) -> Task:
    """Make an Inspect task from a task set.

    Args:
        suite: The name of the suite.
        task_set: The name of the set.
        turns: The largest number of replies that a model may give in an episode.
        config: The path of the configuration.
    """
    suite_config = configured(suite, config)
    samples = [
        Sample(
            input=f"{suite} {listed.name}",
            id=listed.task_id,
            metadata={"suite": suite, "task_set": task_set, "index": listed.index, **listed.strata},
        )
        for listed in tasks_of(suite_config, task_set)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{suite} {task_set}"),
        setup=at_the_harness(suite, str(config)),
        solver=tool_loop(turns),
        scorer=headline(suite, str(config)),
        cleanup=clean_up,
    )


def names() -> dict[str, tuple[str, str]]:
    """The suite and set of each task, by its name in Inspect. Empty if there is no configuration."""
    if not CONFIG.is_file():
        return {}
    tasks = {
        f"{name}_{task_set}".replace("-", "_").replace(".", "_"): (name, task_set)
        for name, suite in load(CONFIG).suites.items()
        for task_set in suite.file.sets
    }
    return tasks | {alias: target for alias, target in ALIASES.items() if target in tasks.values()}


def _register(name: str, suite: str, task_set: str) -> None:
    def made(turns: int = TURNS) -> Task:
        return inspect_task(suite, task_set, turns)

    made.__doc__ = f"The tasks of {suite} {task_set}."
    # Inspect puts the package's name before a task's. It does not know ours in a checkout, because there the
    # distribution, which has another name than the package, is installed for editing.
    task(name=name if registry_name(made, name) != name else f"assay/{name}")(made)


for _name, (_its_suite, _its_set) in names().items():
    _register(_name, _its_suite, _its_set)

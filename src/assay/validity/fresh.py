"""Scores that are kept in committed files, since playing takes too long for a build.

What shortcuts, chance and honest agents score in hundreds of fresh tasks of a recipe is in
`config/fresh/<suite>/<set>.json`, written by `assay fresh SUITE SET`. What planted abilities and the dear
shortcuts score in the tasks of a frozen set is in `config/kept/<suite>/<set>.json`, written by
`assay keep SUITE SET`. A build reads the files, and the long tier plays the tasks again and compares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import ConfigError
from assay.protocol import Yardstick

SUFFIX = ".fresh"
"""The set `<set>.fresh` stands for the fresh tasks of a recipe in the table `contamination`."""

TASKS = 200
"""Fresh tasks on which it is decided whether a set can be gamed, where there are as many."""

SEED = 2026
"""Base seed of fresh tasks; no set of a suite has it."""

DIGITS = 9
"""Decimals of a score in a fresh task that is kept."""

Episode = tuple[str, str, int]
"""An episode of an agent: set, task and attempt."""


@dataclass(frozen=True)
class Fresh:
    """Scores of agents in fresh tasks of one recipe, or in the tasks of a frozen set.

    Attributes:
        task_set: The set whose recipe gave the tasks, or that was played itself.
        seed: The seed from which the seeds of fresh tasks follow; `None` where the set itself was played.
        tasks: The number of tasks.
        roles: The role of each agent, by its name.
        scores: The score of each agent in each task, by its name and in the order of the tasks.
        ids: The identifiers of the tasks of a frozen set, so that a card draws the same intervals from kept
            scores as from played ones; empty for fresh tasks, which have numbers.
    """

    task_set: str
    seed: int | None
    tasks: int
    roles: Mapping[str, str]
    scores: Mapping[str, Sequence[float]]
    ids: Sequence[str] = ()

    @property
    def shortcuts(self) -> list[str]:
        """The shortcuts among the agents."""
        return sorted(name for name, role in self.roles.items() if role == "shortcut")

    def mean(self, agent: str) -> float:
        """Return the mean score of an agent."""
        return math.fsum(self.scores[agent]) / self.tasks

    def to_text(self) -> str:
        """Return the text of the file, one agent a line."""
        head: dict[str, Any] = {"task_set": self.task_set, "seed": self.seed, "tasks": self.tasks}
        if self.ids:
            head["ids"] = list(self.ids)
        agents = {
            name: {"role": self.roles[name], "scores": list(scores)}
            for name, scores in sorted(self.scores.items())
        }
        lines = [f"{canonical.dumps(name)}:{canonical.dumps(value)}" for name, value in agents.items()]
        return canonical.dumps(head)[:-1] + ',"agents":{\n' + ",\n".join(lines) + "\n}}\n"


def kept_path(suite: str, task_set: str) -> str:
    """Return the path, below the project, of the scores that were kept of a frozen set.

    >>> kept_path("petri", "core-v1")
    'config/kept/petri/core-v1.json'
    """
    return f"config/kept/{suite}/{task_set}.json"


def read(path: Path) -> Fresh:
    """Read a file of scores in fresh tasks.

    Raises:
        ConfigError: If the file cannot be read, or is no such file.
    """
    try:
        value: Any = canonical.loads(path.read_bytes())
        agents = value["agents"]
        fresh = Fresh(
            value["task_set"],
            value["seed"],
            value["tasks"],
            {name: agent["role"] for name, agent in agents.items()},
            {name: tuple(map(float, agent["scores"])) for name, agent in agents.items()},
            tuple(value.get("ids", ())),
        )
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ConfigError(
            f"{path} holds no kept scores ({type(problem).__name__})",
            "restore it from git, or write it: assay fresh SUITE SET, or assay keep SUITE SET",
        ) from problem
    lists = [*fresh.scores.values(), *([fresh.ids] if fresh.ids else [])]
    if any(len(values) != fresh.tasks for values in lists) or fresh.tasks < 2:
        raise ConfigError(
            f"{path}: an agent has not {fresh.tasks} scores, or there are not as many identifiers",
            "write it again: assay fresh SUITE SET, or assay keep SUITE SET",
        )
    return fresh


def worth(
    scores: Iterable[Mapping[str, Any]], flags: Iterable[Mapping[str, Any]], yardstick: Yardstick
) -> dict[Episode, float | None]:
    """Return what each episode counts: its headline score, or 0 where it does not pass the yardstick's gate.

    Args:
        scores: Rows of the table `scores`.
        flags: Rows of the table `audit`; they are read only where there is a gate.
        yardstick: How the suite's scores are read.
    """
    counted = {
        _episode(row): row["value"]
        for row in scores
        if row["profile"] == "default" and is_final(row["step"]) and row["metric"] == "score"
    }
    if yardstick.gate is None:
        return counted
    statement, verdict = yardstick.gate
    passed = {
        _episode(row)
        for row in flags
        if row["flag"] == statement and row["label"].partition(",")[0] == verdict
    }
    return {episode: value if episode in passed else 0.0 for episode, value in counted.items()}


def is_final(step: Any) -> bool:
    """Return whether a score is about the whole episode; in a data frame a missing step is NA."""
    return step is None or step != step or str(step) == "<NA>"


def _episode(row: Mapping[str, Any]) -> Episode:
    return row["task_set"], row["task_id"], row["attempt"]

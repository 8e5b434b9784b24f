"""A ceiling for each world: the most IMPACT that a search by whole runs found, knowing all that is hidden.

The search is a lower bound of what could be had: it improves the constants of `Clairvoyant` world by world,
each step a complete run. It takes minutes, so the results are a committed file (`data/ceilings.csv`), which
the long tier computes again.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.numbers import rng
from assay.suites.pilab.environment.parameters import PUBLISHED
from assay.suites.pilab.experiments.runs import play
from assay.suites.pilab.lab import papers
from assay.suites.pilab.measures.ceilings import FILE, known
from assay.suites.pilab.measures.records import DIGITS
from assay.suites.pilab.policies.clairvoyant import Clairvoyant, Foresight, changed
from assay.task import Task

__all__ = ["FILE", "SETS", "ceiling", "known", "write"]

ROLLOUTS = 50
"""Runs of each search."""

SETS = ("closed-v1", "as-published-v1", "reference-v0")
"""Task sets whose worlds have a ceiling."""


def ceiling(seed: int, mode: str, rollouts: int = ROLLOUTS) -> float:
    """Return the most IMPACT that the search finds in a world.

    Args:
        seed: seed of the world.
        mode: the rules of the game.
        rollouts: number of whole runs.
    """

    def impact(constants: Foresight) -> float:
        return papers.impact(play(lambda lab: Clairvoyant(lab, constants), seed, PUBLISHED, mode))

    best = Foresight()
    most = impact(best)
    for at in range(1, rollouts):
        stream = rng.stream(seed, "pilab", "ceiling", at)
        # Every fourth trial starts anew, so that the search does not stay with its first idea.
        trial = changed(Foresight() if at % 4 == 0 else best, stream)
        value = impact(trial)
        if value > most:
            best, most = trial, value
    return round(most, DIGITS)


def write(tasks: Iterable[Task]) -> str:
    """Return the text of the committed file for these tasks."""
    rows = ["task_set,task_id,ceiling"]
    for task in tasks:
        value = ceiling(task.hidden["lab_seed"], task.public["mode"])
        rows.append(f"{task.task_set},{task.task_id},{value}")
    return "\n".join(rows) + "\n"

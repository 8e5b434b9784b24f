"""The card of a task set: chance, shortcuts, planted abilities, honest agents, ceiling, resolution.

`cards` computes one row of the table `validity` for each set from the scores of all who played it whole.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from assay.numbers import rng
from assay.numbers.power import tasks_needed
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Yardstick
from assay.tables.schemas.validity import ABILITIES

MARGIN = 0.05
"""Share of the scale by which a shortcut may lie above chance before the set counts as gameable."""

RESOLUTION = 10_000
"""Whole numbers in which differences of scores are compared, to the length of a scale."""


@dataclass(frozen=True)
class Played:
    """What an agent scored in a set that it played whole.

    Attributes:
        agent: its name in the configuration.
        role: see `assay.build.planning.contents.Contents.roles`; `chance` for the agent that plays by chance.
        privileged: whether it was told the truth.
        episodes: what each episode counts, by task and attempt.
    """

    agent: str
    role: str
    privileged: bool
    episodes: Mapping[tuple[str, int], float]

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """By task: the mean over attempts."""
        values: dict[str, list[float]] = defaultdict(list)
        for (task, _), value in sorted(self.episodes.items()):
            values[task].append(value)
        return {task: math.fsum(found) / len(found) for task, found in values.items()}

    @property
    def mean(self) -> float:
        """The mean over tasks."""
        return math.fsum(self.scores.values()) / len(self.scores)

    @property
    def error(self) -> float:
        """The standard error of the mean; 0 for fewer than two tasks."""
        n, centre = len(self.scores), self.mean
        if n < 2:
            return 0.0
        return math.sqrt(math.fsum((s - centre) * (s - centre) for s in self.scores.values()) / (n - 1) / n)

    def interval(self) -> tuple[float | None, float | None]:
        """The 95 % bootstrap interval of the mean; None for fewer than two tasks."""
        if len(self.scores) < 2:
            return None, None
        return bootstrap_interval(
            list(self.scores.values()), rng.stream(0, "validity", self.agent, *self.scores)
        )


def card(
    suite: str, task_set: str, tasks: int, yardstick: Yardstick, played: Iterable[Played]
) -> dict[str, Any]:
    """The row of a set.

    Args:
        suite: the suite's name; it names the random stream of the simulation.
        task_set: the set's name.
        tasks: how many tasks the set has.
        yardstick: how the suite's scores are read.
        played: everybody who played every task of the set.
    """
    players = {one.agent: one for one in sorted(played, key=lambda one: one.agent)}
    shortcut = _best(one for one in players.values() if one.role == "shortcut")
    honest = _best(
        one for one in players.values() if one.role in ("reference", "model") and not one.privileged
    )
    chance = chance_of(yardstick, players)
    scale = yardstick.scale
    if scale is None and honest is not None and chance is not None:
        scale = honest.mean - chance
    able = {share: players.get(f"able-{share}") for share in ABILITIES}
    measured = {share: one for share, one in able.items() if one is not None and one.role == "able"}
    size, remarks = resolution(suite, task_set, scale, measured)
    low, high = shortcut.interval() if shortcut else (None, None)
    note = (yardstick.notes.get(""), yardstick.notes.get(task_set), *remarks)
    return {
        "task_set": task_set,
        "tasks": tasks,
        "chance": chance,
        "shortcut": shortcut.mean if shortcut else None,
        "shortcut_agent": shortcut.agent if shortcut else "",
        "shortcut_low": low,
        "shortcut_high": high,
        "honest": honest.mean if honest else None,
        "honest_agent": honest.agent if honest else "",
        "ceiling": ceiling(yardstick, players.values()),
        **{f"able_{share}": one.mean if one else None for share, one in able.items()},
        "resolution": size,
        **dict.fromkeys(("public_less_fresh", "fresh_low", "fresh_high", "fresh_p")),
        "gameable": is_gameable(shortcut, chance, scale),
        "scale": scale,
        "note": "; ".join(text for text in note if text),
    }


def is_gameable(shortcut: Played | None, chance: float | None, scale: float | None) -> bool:
    """Whether a shortcut, less one standard error, lies more than `MARGIN` of the scale above chance."""
    if shortcut is None or chance is None or scale is None:
        return False
    return shortcut.mean - shortcut.error - chance > MARGIN * scale


def chance_of(yardstick: Yardstick, players: Mapping[str, Played]) -> float | None:
    """The mean score of chance: a number, or that of the first agent named that played."""
    if isinstance(yardstick.chance, float | int):
        return float(yardstick.chance)
    return next((players[name].mean for name in yardstick.chance if name in players), None)


def ceiling(yardstick: Yardstick, players: Iterable[Played]) -> float | None:
    """The best score that can be had; where it is not known, the best that was reached but by conduct."""
    if yardstick.ceiling is not None:
        return yardstick.ceiling
    return max((one.mean for one in players if one.role not in ("conduct", "scripted")), default=None)


def resolution(
    suite: str, task_set: str, scale: float | None, able: Mapping[int, Played]
) -> tuple[int | None, list[str]]:
    """Tasks that tell every two neighbouring abilities apart with 80 % power, and what is to be remarked.

    Differences are paired over tasks. Where the score falls from one ability to the next by more than its
    interval allows, a remark says so.
    """
    if not scale or set(able) != set(ABILITIES):
        return None, ["no planted abilities" if not able else "planted abilities are incomplete"]
    needed: list[int | None] = []
    remarks = []
    for lower, upper in pairwise(ABILITIES):
        names = ("validity", suite, task_set, lower, upper)
        differences = _differences(able[upper], able[lower])
        if len(differences) > 1 and bootstrap_interval(differences, rng.stream(0, *names))[1] < 0:
            remarks.append(f"the score falls from able-{lower} to able-{upper}")
        whole = [math.floor(d / scale * RESOLUTION + 0.5) for d in differences]
        needed.append(tasks_needed(whole, rng.stream(0, *names, "power")))
    sizes = [size for size in needed if size is not None]
    if len(sizes) < len(needed):
        return None, [*remarks, "some neighbouring abilities are not told apart by any number of tasks"]
    return max(sizes), remarks


def _differences(upper: Played, lower: Played) -> Sequence[float]:
    """Of each episode that both played: an attempt counts as a task."""
    both = sorted(upper.episodes.keys() & lower.episodes.keys())
    return [upper.episodes[key] - lower.episodes[key] for key in both]


def _best(players: Iterable[Played]) -> Played | None:
    return max(players, key=lambda one: one.mean, default=None)

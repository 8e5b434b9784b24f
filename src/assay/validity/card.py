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
from assay.validity.contamination import Gap, gap
from assay.validity.fresh import Fresh

MARGIN = 0.05
"""Share of the scale by which a shortcut may lie above chance before the set counts as gameable."""

RESOLUTION = 10_000
"""Whole numbers in which differences of scores are compared, to the length of a scale."""


@dataclass(frozen=True)
class Played:
    """The scores of an agent in a set of which it played every task.

    Attributes:
        agent: Its name in the configuration.
        role: Its role (`assay.build.planning.contents.Contents.roles`); `chance` if it plays by chance.
        privileged: Whether it was told the truth.
        episodes: The score that each episode counts with, by task and attempt.
    """

    agent: str
    role: str
    privileged: bool
    episodes: Mapping[tuple[str, int], float]

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """The mean over attempts at each task, by task."""
        values: dict[str, list[float]] = defaultdict(list)
        for (task, _), value in sorted(self.episodes.items()):
            values[task].append(value)
        return {task: math.fsum(attempts) / len(attempts) for task, attempts in values.items()}

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


def players_of(fresh: Fresh) -> dict[str, Played]:
    """Return kept scores by agent, as if each agent had played each task once."""
    episodes = [(task, 0) for task in fresh.ids or (f"{at:05d}" for at in range(fresh.tasks))]
    return {
        agent: Played(agent, fresh.roles[agent], False, dict(zip(episodes, scores, strict=True)))
        for agent, scores in fresh.scores.items()
    }


def card(
    suite: str,
    task_set: str,
    tasks: int,
    yardstick: Yardstick,
    played: Iterable[Played],
    fresh: Mapping[str, Played] | None = None,
    most: float | None = None,
) -> dict[str, Any]:
    """Return the row of a set in the table `validity`.

    Args:
        suite: The name of the suite, which also names the random stream of the simulation.
        task_set: The name of the set.
        tasks: The number of tasks in the set.
        yardstick: The scale of the suite's scores, and its level of chance.
        played: The scores of all agents that played every task of the set.
        fresh: The scores of agents in fresh tasks of the same recipe, by agent.
        most: The ceiling of this set, where a search found one; None: as the yardstick says.
    """
    fresh = fresh or {}
    players = {player.agent: player for player in sorted(played, key=lambda player: player.agent)}
    shortcut = _best(tricks_of(yardstick, players))
    honest = _best(player for player in players.values() if is_honest(player))
    chance = chance_of(yardstick, players)
    scale = yardstick.scale
    if scale is None and honest is not None and chance is not None:
        scale = honest.mean - chance
    able = {share: players.get(f"able-{share}") for share in ABILITIES}
    measured = {
        share: player for share, player in able.items() if player is not None and player.role == "able"
    }
    size, remarks = resolution(suite, task_set, scale, measured)
    low, high = shortcut.interval() if shortcut else (None, None)
    gameable, on_fresh = is_gameable(shortcut, chance, scale), ""
    trick = _best(tricks_of(yardstick, fresh))
    luck = chance_of(yardstick, fresh)
    if trick is not None and luck is not None:
        gameable = is_gameable(trick, luck, scale)
        on_fresh = (
            f"whether it can be gamed was decided on {len(trick.scores)} fresh tasks: {trick.agent} "
            f"{trick.mean:.4g}, chance {luck:.4g}"
        )
    elif shortcut is not None and chance is not None:
        on_fresh = "no fresh tasks were kept, so whether it can be gamed was decided on its own tasks"
    seen = gap_of(honest, fresh)
    note = (yardstick.notes.get(""), yardstick.notes.get(task_set), on_fresh, *remarks)
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
        "ceiling": ceiling(yardstick, players.values()) if most is None else most,
        **{f"able_{share}": player.mean if player else None for share, player in able.items()},
        "resolution": size,
        "public_less_fresh": seen.difference if seen else None,
        "fresh_low": seen.low if seen else None,
        "fresh_high": seen.high if seen else None,
        "fresh_p": seen.p if seen else None,
        "gameable": gameable,
        "scale": scale,
        "note": "; ".join(text for text in note if text),
    }


def is_honest(player: Played) -> bool:
    """Whether a player is a reference solver or a recorded model that was not told the truth."""
    return player.role in ("reference", "model") and not player.privileged


def gap_of(player: Played | None, fresh: Mapping[str, Played]) -> Gap | None:
    """Public less fresh of a player; None where it did not play two fresh tasks."""
    other = fresh.get(player.agent) if player else None
    if player is None or other is None or min(len(player.scores), len(other.scores)) < 2:
        return None
    return gap(list(player.scores.values()), list(other.scores.values()))


def is_gameable(shortcut: Played | None, chance: float | None, scale: float | None) -> bool:
    """Whether a shortcut, less one standard error, lies more than `MARGIN` of the scale above chance."""
    if shortcut is None or chance is None or scale is None:
        return False
    return shortcut.mean - shortcut.error - chance > MARGIN * scale


def chance_of(yardstick: Yardstick, players: Mapping[str, Played]) -> float | None:
    """The mean score of chance: a number, or that of the first agent named that played."""
    if isinstance(yardstick.chance, float | int):
        return float(yardstick.chance)
    agent = _chance_agent(yardstick, players)
    return None if agent is None else players[agent].mean


def tricks_of(yardstick: Yardstick, players: Mapping[str, Played]) -> list[Played]:
    """Return the shortcuts without the one whose score is chance: no set could fail against it."""
    guess = _chance_agent(yardstick, players)
    return [player for name, player in players.items() if player.role == "shortcut" and name != guess]


def _chance_agent(yardstick: Yardstick, players: Mapping[str, Played]) -> str | None:
    if isinstance(yardstick.chance, float | int):
        return None
    return next((name for name in yardstick.chance if name in players), None)


def ceiling(yardstick: Yardstick, players: Iterable[Played]) -> float | None:
    """The best score that can be had; where it is not known, the best that was reached but by conduct."""
    if yardstick.ceiling is not None:
        return yardstick.ceiling
    return max(
        (player.mean for player in players if player.role not in ("conduct", "scripted")), default=None
    )


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
    return max(players, key=lambda player: player.mean, default=None)

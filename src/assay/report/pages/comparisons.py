"""Pages on which agents are compared task by task: the matrix, the tasks, and two episodes side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from assay import canonical
from assay.build import links
from assay.protocol import BlobRef
from assay.report.viewer import STATUS_WORDS, Shown, words
from assay.report.words import cut as cut_off
from assay.task import Task

LEVELS = 10
"""The number of shades of a cell."""

LONGEST = 240
"""Characters of arguments and results that are shown of a call."""

CALLS = 30
"""Calls that are shown of each of two episodes, from the first one that differs."""


@dataclass(frozen=True)
class Call:
    """A call of an agent, as a page shows it."""

    tool: str
    arguments: str
    result: str
    ok: bool


@dataclass(frozen=True)
class Played:
    """An episode, as these pages show it.

    Attributes:
        agent: Who played it.
        address: Its page and anchor in the site.
        score: Its score; None if it has none.
        solved: Whether it is solved; None if that is not decided.
        ended: How it ended, in words.
        flags: The raised flags, in words.
        answer: The submission, cut.
        n_calls: The number of its calls.
        calls: Its calls; None if its log is not kept in full.
        privileged: Whether the agent was told the truth.
    """

    agent: str
    address: tuple[str, str]
    score: float | None
    solved: bool | None
    ended: str
    flags: str
    answer: str
    n_calls: int
    calls: tuple[Call, ...] | None
    privileged: bool


Attempts = Mapping[str, Sequence[Played]]
"""The episodes at a task by agent, in the order of the attempts."""


def played(shown: Shown, rank: int, *, with_calls: bool) -> Played:
    """Return an episode in the form that these pages show.

    Args:
        shown: The episode with its scores and flags.
        rank: The index of its row in the table of the agent's episodes.
        with_calls: Whether its calls are kept; only first attempts are shown side by side.
    """
    episode = shown.episode
    values = {s.metric: s.value for s in shown.scores if s.step is None and s.profile == "default"}
    solved = values.get("solved")
    calls = [event for event in episode.events if event.kind == "call"]
    page, _, anchor = links.episode(episode.suite, episode.agent, rank, shown.name).partition("#")
    return Played(
        agent=episode.agent,
        address=(page, anchor),
        score=values.get("score"),
        solved=None if solved is None else solved == 1,
        ended=STATUS_WORDS[episode.status],
        flags=", ".join(words(flag.flag) for flag in shown.flags if flag.raised),
        answer="nothing" if episode.submission is None else _cut(canonical.dumps(episode.submission), 600),
        n_calls=int(episode.counters.get("calls", len(calls))),
        calls=tuple(map(_call, calls)) if shown.logged and with_calls else None,
        privileged=episode.privileged,
    )


def _cut(text: str, length: int) -> str:
    """Return a text of at most `length` characters, with an ellipsis if something was cut off."""
    kept, note = cut_off(text, length)
    return f"{kept} …" if note else kept


def _call(event: Any) -> Call:
    parts = " ".join(map(_part, event.parts))
    return Call(
        event.tool,
        _cut(canonical.dumps(event.arguments), LONGEST),
        _cut(event.error or parts, LONGEST),
        event.ok,
    )


def _part(part: Any) -> str:
    if isinstance(part, BlobRef):
        return f"[{part.media_type}, {part.size} bytes]"
    return part if isinstance(part, str) else canonical.dumps(part)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None, or None if there are none."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def matrix(
    suite: str,
    tasks: Sequence[tuple[int, Task]],
    by_task: Mapping[str, Attempts],
    scale: tuple[float, float | None],
) -> dict[str, Any]:
    """Return the values of the template `matrix.html`.

    Args:
        suite: The suite.
        tasks: The tasks of the set, each with its index.
        by_task: The episodes at each task.
        scale: The lowest and the highest score; None for a score without a highest one.
    """
    scores = {
        (task.task_id, agent): value
        for _, task in tasks
        for agent, attempts in by_task.get(task.task_id, {}).items()
        if (value := mean(each.score for each in attempts)) is not None
    }
    low = scale[0]
    high = scale[1] if scale[1] is not None else max(scores.values(), default=low + 1)
    means = {
        agent: mean(scores.get((task.task_id, agent)) for _, task in tasks)
        for agent in sorted({agent for _, agent in scores})
    }
    order = sorted(means, key=lambda agent: (-(means[agent] or 0.0), agent))
    rows = []
    for index, task in tasks:
        cells: list[dict[str, Any] | None] = []
        for agent in order:
            value = scores.get((task.task_id, agent))
            if value is None:
                cells.append(None)
                continue
            share = (value - low) / (high - low) if high > low else 0.0
            cells.append(
                {
                    "value": round(value, 6),
                    "level": min(LEVELS - 1, max(0, math.floor(share * LEVELS))),
                    "address": by_task[task.task_id][agent][0].address,
                }
            )
        address = links.task(suite, task.task_set, index, task.task_id)
        page, _, anchor = address.partition("#")
        rows.append(
            {"task_id": task.task_id, "strata": _strata(task), "address": (page, anchor), "cells": cells}
        )
    return {
        "agents": [{"name": name, "mean": means[name]} for name in order],
        "rows": rows,
        **_digits(low, high),
    }


def _digits(low: float, high: float) -> dict[str, int]:
    return {"digits": 2 if high - low <= 2 else 0}


def leader(attempts: Attempts) -> str | None:
    """Return the agent with a full log that scores most at a task, or None if fewer than two have one.

    Agents that were told the truth come last.
    """
    logged = [agent for agent, each in attempts.items() if each[0].calls is not None]
    if len(logged) < 2:
        return None
    return min(
        logged,
        key=lambda agent: (
            attempts[agent][0].privileged,
            -(mean(each.score for each in attempts[agent]) or 0.0),
            agent,
        ),
    )


def task_page(
    suite: str, index: int, task: Task, attempts: Attempts, notices: Sequence[str]
) -> dict[str, Any]:
    """Return the values of a task in the template `tasks.html`."""
    best = leader(attempts)
    players: list[dict[str, Any]] = []
    for agent, episodes in attempts.items():
        solved = [each.solved for each in episodes if each.solved is not None]
        beside = None
        if best is not None and agent != best and episodes[0].calls is not None:
            page, _, anchor = links.beside(suite, task.task_set, index, task.task_id, agent).partition("#")
            beside = (page, anchor)
        players.append(
            {
                "agent": agent,
                "privileged": episodes[0].privileged,
                "score": mean(each.score for each in episodes),
                "solved": f"{sum(solved)} of {len(solved)}" if solved else "",
                "all": bool(solved) and all(solved),
                "calls": mean(float(each.n_calls) for each in episodes),
                "ended": "; ".join(dict.fromkeys(each.ended for each in episodes)),
                "flags": "; ".join(dict.fromkeys(each.flags for each in episodes if each.flags)),
                "episodes": [each.address for each in episodes],
                "beside": beside,
            }
        )
    players.sort(key=lambda row: (-(row["score"] if row["score"] is not None else -1e300), row["agent"]))
    return {
        "task_id": task.task_id,
        "anchor": quote(task.task_id),
        "strata": _strata(task),
        "players": players,
        "solvers": sum(row["all"] for row in players),
        "leader": best,
        "notices": notices,
        "public": json.dumps(task.public, indent=1, ensure_ascii=False, sort_keys=True),
        "hidden": json.dumps(task.hidden, indent=1, ensure_ascii=False, sort_keys=True),
    }


def side_by_side(suite: str, index: int, task: Task, attempts: Attempts) -> list[dict[str, Any]]:
    """Return the pairs of a task in the template `beside.html`: its leader with every other agent."""
    best = leader(attempts)
    if best is None:
        return []
    return [
        pair(suite, index, task, attempts[best][0], episodes[0])
        for agent, episodes in sorted(attempts.items())
        if agent != best and episodes[0].calls is not None
    ]


def pair(
    suite: str, index: int, task: Task, left: Played, right: Played, most: int = CALLS
) -> dict[str, Any]:
    """Return the values of two episodes, aligned up to the first call that differs.

    Args:
        suite: The suite.
        index: The index of the task in its set.
        task: The task.
        left: One episode.
        right: The other.
        most: The number of calls that are shown from the first one that differs.
    """
    ours, theirs = left.calls or (), right.calls or ()
    equal = 0
    while equal < min(len(ours), len(theirs)) and ours[equal] == theirs[equal]:
        equal += 1
    rows = [
        (
            number + 1,
            ours[number] if number < len(ours) else None,
            theirs[number] if number < len(theirs) else None,
        )
        for number in range(equal, min(equal + most, max(len(ours), len(theirs))))
    ]
    page, _, anchor = links.task(suite, task.task_set, index, task.task_id).partition("#")
    name = f"{task.task_id}.{right.agent}"
    return {
        "id": name,
        "anchor": quote(name),
        "task_id": task.task_id,
        "task": (page, anchor),
        "equal": ours[:equal],
        "rows": rows,
        "left": {**vars(left), "more": max(0, len(ours) - equal - most)},
        "right": {**vars(right), "more": max(0, len(theirs) - equal - most)},
    }


def _strata(task: Task) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(task.strata.items()))

"""Why the best agent of a set is ahead: the parts of a score, and the flags, that tell it from others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.report.results import Raised, SuiteResults, ranked
from assay.report.standings import digits, scale
from assay.report.words import number
from assay.tables.schemas.leaderboard import is_partial
from assay.tables.tabulation import mean

SMALLEST = 0.05
"""A gap below this part of a metric's range, or of the episodes, is not named."""

NAMED = 3
"""Gaps of a kind that are named at most."""


@dataclass(frozen=True)
class Gap:
    """A metric in which the best is ahead, or a flag that the others raise more often."""

    name: str
    doc: str
    best: float
    others: float
    size: float
    proof: str | None = None
    witness: str = ""


@dataclass(frozen=True)
class Reasons:
    """Who leads a set (and who does as well), who is behind, and what tells them apart.

    `nobody` says why a set has no leader; then `best` is None. `ceiling` is the best agent that was told the
    truth, `unranked` are those that played a part of the set: both lead nobody and are not among the others.
    """

    task_set: str
    digits: int
    nobody: str = ""
    best: Mapping[str, Any] | None = None
    equal: Sequence[Mapping[str, Any]] = ()
    behind: Sequence[Mapping[str, Any]] = ()
    metrics: Sequence[Gap] = ()
    flags: Sequence[Gap] = ()
    episode: str | None = None
    ceiling: Mapping[str, Any] | None = None
    unranked: Sequence[Mapping[str, Any]] = ()


def is_ceiling(row: Mapping[str, Any]) -> bool:
    """Whether a row shows what can be reached: a whole set, by an agent that was told the truth."""
    return row["kind"] == "privileged" and row["score"] is not None and not is_partial(row)


def reasons(suite: SuiteResults, task_set: str) -> Reasons | None:
    """What tells the best agent of a set from those with a lower score; None where nobody has a score.

    A script whose conduct was written to try the audit leads nobody, but it may be behind.
    """
    rows = [
        row
        for row in ranked(suite.standings)
        if row["task_set"] == task_set and row["kind"] != "quoted" and row["score"] is not None
    ]
    if not rows:
        return None
    decimals = digits(suite, task_set)
    if suite.task_set(task_set).smoke:
        return Reasons(task_set, decimals, "This is a smoke set: it shows that an agent runs, not how well.")
    aside: dict[str, Any] = {
        "ceiling": next(filter(is_ceiling, rows), None),
        "unranked": [row for row in rows if is_partial(row)],
    }
    complete = [row for row in rows if not is_partial(row) and row["kind"] != "privileged"]
    agents = [row for row in complete if row["kind"] != "scripted"]
    if nobody := _nobody(rows, agents, complete, scale(suite, task_set)[0]):
        return Reasons(task_set, decimals, nobody, **aside)
    best = agents[0]
    behind = [row for row in complete if row["score"] < best["score"]]
    names = [row["agent"] for row in behind]
    return Reasons(
        task_set,
        decimals,
        best=best,
        equal=[row for row in agents[1:] if row["score"] == best["score"]],
        behind=behind,
        metrics=_metrics(suite, task_set, best["agent"], names),
        flags=_flags([one for one in suite.raised if one.task_set == task_set], suite, best["agent"], names),
        episode=suite.first_episode(best["agent"], task_set),
        **aside,
    )


def _nobody(
    rows: Sequence[Mapping[str, Any]],
    agents: Sequence[Mapping[str, Any]],
    complete: Sequence[Mapping[str, Any]],
    lowest: float,
) -> str:
    """Why a set has no leader, as a sentence; empty where it has one.

    `rows` are all, `complete` those in the ranking, `agents` those of them that may lead, each by score.
    """
    if not agents:
        others = {
            "scripts": any(row["kind"] == "scripted" for row in complete),
            "agents that were told the truth": any(row["kind"] == "privileged" for row in rows),
            "agents with a part of its tasks": any(map(is_partial, rows)),
        }
        players = " and ".join(who for who, played in others.items() if played)
        return f"Nobody leads: only {players} played this set."
    if agents[0]["score"] <= lowest:
        return f"Nobody leads: no agent has scored more than {number(lowest)}."
    if len(complete) == 1:
        return f"Nobody leads: {agents[0]['agent']} is the only agent in the ranking."
    if complete[-1]["score"] >= agents[0]["score"]:
        return f"Nobody leads: nobody in the ranking has a lower score than {agents[0]['agent']}."
    return ""


def _metrics(suite: SuiteResults, task_set: str, best: str, others: Sequence[str]) -> list[Gap]:
    found = []
    mine = suite.means[task_set, best]
    for name, metric in suite.metrics.items():
        if metric.headline or name == "solved" or metric.direction == "neither" or name not in mine:
            continue
        if metric.low is None or metric.high is None:
            continue
        theirs = [means[name] for other in others if name in (means := suite.means[task_set, other])]
        average = mean(theirs)
        if 2 * len(theirs) < len(others) or average is None:
            continue
        size = (mine[name] - average) / (metric.high - metric.low)
        size = size if metric.direction == "higher" else -size
        if size >= SMALLEST:
            found.append(Gap(name, metric.doc, mine[name], average, size))
    return sorted(found, key=lambda gap: (-gap.size, gap.name))[:NAMED]


def _flags(raised: Sequence[Raised], suite: SuiteResults, best: str, others: Sequence[str]) -> list[Gap]:
    found = []
    for flag, spec in suite.flags.items():
        ours = [one for one in raised if one.flag == flag and one.agent == best]
        theirs = [one for one in raised if one.flag == flag and one.agent in others]
        mine, average = _share(ours), _share(theirs)
        if average is None or average - (mine or 0.0) < SMALLEST:
            continue
        witness = max(theirs, key=lambda one: (one.raised, one.agent))
        found.append(
            Gap(flag, spec.doc, mine or 0.0, average, average - (mine or 0.0), witness.proof, witness.agent)
        )
    return sorted(found, key=lambda gap: (-gap.size, gap.name))[:NAMED]


def _share(found: Sequence[Raised]) -> float | None:
    """The mean over agents of the shares of their decided episodes: who plays more counts no more."""
    return mean([one.raised / one.decided for one in found if one.decided])

"""Explains why an agent leads a set, by the metrics in which it is better and the flags that it avoids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.report.leaderboard import digits, scale
from assay.report.results import Raised, SuiteResults, ranked
from assay.report.words import number
from assay.tables.schemas.leaderboard import is_partial
from assay.tables.tabulation import mean

SMALLEST = 0.05
"""Smallest gap that is reported: a fraction of the metric's range, or a difference of shares of episodes."""

NAMED = 3
"""Largest number of metrics, and of flags, that are reported."""


@dataclass(frozen=True)
class Gap:
    """A metric in which the best agent is better, or a flag that is raised less often on it than on others.

    Attributes:
        name: The metric or flag.
        doc: The description of the metric or flag.
        best: The best agent's mean of the metric, or its share of decided episodes with the flag raised.
        others: The mean of this quantity over the agents behind it.
        size: The gap as a fraction of the metric's range, or as a difference of shares.
        proof: Address of an episode in which the flag was raised, or None for a metric.
        witness: The agent that played that episode; empty for a metric.
    """

    name: str
    doc: str
    best: float
    others: float
    size: float
    proof: str | None = None
    witness: str = ""


@dataclass(frozen=True)
class Reasons:
    """Which agent leads a set, and what distinguishes it from the agents behind it.

    Attributes:
        task_set: The set.
        digits: Number of decimals of its scores.
        nobody: A sentence that says why the set has no leader; empty if it has one.
        best: The leader's row of the leaderboard, or None if the set has no leader.
        equal: Rows of agents with the same score as the leader.
        behind: Rows of agents with a lower score.
        metrics: Metrics in which the leader does better.
        flags: Flags that are raised less often on the leader than on the others.
        episode: Address of an episode of the leader, or None if it has none.
        ceiling: The row of the best privileged agent, which is not ranked, or None if there is none.
        unranked: Rows of agents that played only a part of the set and are therefore not ranked.
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
    """Whether a row is a ceiling, which means that a privileged agent played the whole set."""
    return row["kind"] == "privileged" and row["score"] is not None and not is_partial(row)


def reasons(suite: SuiteResults, task_set: str) -> Reasons | None:
    """Find what distinguishes the best agent of a set from those with a lower score.

    A scripted agent can be among those with a lower score, but is never the leader.

    Returns:
        The reasons, or None if no agent has a score in the set.
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
        return Reasons(
            task_set, decimals, "This is a smoke set, which shows that an agent runs, not how well."
        )
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
    raised = [entry for entry in suite.raised if entry.task_set == task_set]
    return Reasons(
        task_set,
        decimals,
        best=best,
        equal=[row for row in agents[1:] if row["score"] == best["score"]],
        behind=behind,
        metrics=_metrics(suite, task_set, best["agent"], names),
        flags=_flags(raised, suite, best["agent"], names),
        episode=suite.first_episode(best["agent"], task_set),
        **aside,
    )


def _nobody(
    rows: Sequence[Mapping[str, Any]],
    agents: Sequence[Mapping[str, Any]],
    complete: Sequence[Mapping[str, Any]],
    lowest: float,
) -> str:
    """Explain why a set has no leader. The text is empty if it has one.

    Args:
        rows: All rows of the set with a score, best first.
        agents: The rows in the ranking that may lead, best first.
        complete: All rows in the ranking, best first.
        lowest: The lowest possible score.
    """
    if not agents:
        others = {
            "scripts": any(row["kind"] == "scripted" for row in complete),
            "agents that were told the truth": any(row["kind"] == "privileged" for row in rows),
            "agents with a part of its tasks": any(map(is_partial, rows)),
        }
        players = " and ".join(who for who, played in others.items() if played)
        return f"No agent leads, because only {players} played this set."
    if agents[0]["score"] <= lowest:
        return f"No agent leads, because none has scored more than {number(lowest)}."
    if len(complete) == 1:
        return f"No agent leads, because {agents[0]['agent']} is the only one in the ranking."
    if complete[-1]["score"] >= agents[0]["score"]:
        return f"No agent leads, because none in the ranking has a lower score than {agents[0]['agent']}."
    return ""


def _metrics(suite: SuiteResults, task_set: str, best: str, others: Sequence[str]) -> list[Gap]:
    gaps = []
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
            gaps.append(Gap(name, metric.doc, mine[name], average, size))
    return sorted(gaps, key=lambda gap: (-gap.size, gap.name))[:NAMED]


def _flags(raised: Sequence[Raised], suite: SuiteResults, best: str, others: Sequence[str]) -> list[Gap]:
    gaps = []
    for flag, spec in suite.flags.items():
        ours = [entry for entry in raised if entry.flag == flag and entry.agent == best]
        theirs = [entry for entry in raised if entry.flag == flag and entry.agent in others]
        mine, average = _share(ours), _share(theirs)
        if average is None or average - (mine or 0.0) < SMALLEST:
            continue
        witness = max(theirs, key=lambda entry: (entry.raised, entry.agent))
        gaps.append(
            Gap(flag, spec.doc, mine or 0.0, average, average - (mine or 0.0), witness.proof, witness.agent)
        )
    return sorted(gaps, key=lambda gap: (-gap.size, gap.name))[:NAMED]


def _share(raised: Sequence[Raised]) -> float | None:
    """The share of decided episodes with the flag raised, averaged over agents with equal weights."""
    return mean([entry.raised / entry.decided for entry in raised if entry.decided])

"""What recorded opinions add up to: the columns of the paper that need judges, and how far judges agree.

A column is empty where an item has no opinion, and its note says so. Nothing stands in for a judge.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.suites.sgi.judging.roles import MARKS, VOTES
from assay.suites.sgi.metrics.ideas import DIMENSIONS, with_votes
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean, strata

JUDGED = Schema(
    "opinions-columns",
    1,
    (
        Column("agent", "string", "who answered"),
        Column("task_set", "string", "the items"),
        Column("column", "string", "`sla`, `rv`, `dry_quality`, `ideas`, or `wins_` and a dimension"),
        Column("profile", "string", "the profile that the column belongs to; `judged` for ours"),
        Column("n", "int64", "attempts at items"),
        Column("judged", "int64", "those of which there is an opinion"),
        Column("opinions", "int64", "opinions on them"),
        Column("value", "float64", "the mean; null if an attempt has no opinion", nullable=True, unit="%"),
        Column("note", "string", "why there is no value; empty where there is one"),
    ),
    key=("agent", "task_set", "column", "profile"),
    partition="agent",
    doc="One row an agent, a set and a column that needs judges. No score rests on it.",
)

AGREEMENT = Schema(
    "opinions-agreement",
    1,
    (
        Column("task_set", "string", "the items"),
        Column("first", "string", "a judge and its role"),
        Column("second", "string", "another judge, or the same one with the ideas in the other order"),
        Column("n", "int64", "votes or marks that both gave on the same replies"),
        Column("agreement", "float64", "share of equal votes, or of marks at most 0.1 apart"),
        Column("kappa", "float64", "votes: Cohen's kappa; null where it is undefined", nullable=True),
        Column("correlation", "float64", "marks: Pearson's correlation", nullable=True),
    ),
    key=("task_set", "first", "second"),
    doc="One row a pair of judges that judged the same replies in comparable roles.",
)

COLUMNS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "deep_research": ("sla", "steps", ("paper", "released")),
    "experimental_reasoning": ("rv", "reasoning", ("paper", "released")),
    "dry_experiment": ("dry_quality", "dry-quality", ("judged",)),
}
"""By family: the column that needs a judge, the role that fills it, and the profiles that have it."""

NOBODY = "needs a judge: nobody was asked"
SIX = 6

Attempt = tuple[str, str, str, int]
"""Agent, set, task and attempt."""


def _given(tables: Tables) -> dict[Attempt, list[Any]]:
    found: dict[Attempt, list[Any]] = defaultdict(list)
    for row in tables["opinions"].itertuples(index=False):
        if row.status == "given":
            found[row.agent, row.task_set, row.task_id, int(row.attempt)].append(row)
    return found


def judged(tables: Tables) -> pd.DataFrame:
    """The table `opinions-columns`."""
    families = {key: own["family"] for key, own in strata(tables).items()}
    given, parts = _given(tables), _objective_parts(tables)
    values: dict[tuple[str, str, str, str], list[tuple[float | None, int]]] = defaultdict(list)
    scores = tables["scores"]
    headline = scores[
        (scores["metric"] == "score") & (scores["profile"] == "default") & scores["step"].isna()
    ]
    for row in headline.itertuples(index=False):
        attempt = (row.agent, row.task_set, row.task_id, int(row.attempt))
        family = families[row.task_set, row.task_id]
        if family in COLUMNS:
            column, role, profiles = COLUMNS[family]
            marks = [float(one.value) for one in given.get(attempt, ()) if one.role == role]
            for profile in profiles:
                values[row.agent, row.task_set, column, profile].append((mean(marks), len(marks)))
        elif family == "idea_generation":
            votes = [one.label.split() for one in given.get(attempt, ()) if one.role in VOTES]
            for column, profile, value in of_ideas(attempt, votes, parts):
                values[row.agent, row.task_set, column, profile].append((value, len(votes)))
    rows = []
    for key, own in sorted(values.items()):
        known = [value for value, _ in own if value is not None]
        complete = len(known) == len(own)
        note = (
            "" if complete else NOBODY if not known else f"{len(own) - len(known)} of {len(own)} not judged"
        )
        count = sum(number for _, number in own)
        whole = mean(known) if complete else None
        rows.append((*key, len(own), len(known), count, None if whole is None else 100 * whole, note))
    return frame(rows, JUDGED)


def _objective_parts(tables: Tables) -> dict[tuple[Attempt, str], dict[str, float]]:
    """Of ideas the part of each dimension that needs no judge, by attempt and profile."""
    scores = tables["scores"]
    names = {f"{name}_objective": name for name in DIMENSIONS}
    found: dict[tuple[Attempt, str], dict[str, float]] = defaultdict(dict)
    for row in scores[scores["metric"].isin(list(names)) & scores["step"].isna()].itertuples(index=False):
        if not pd.isna(row.value):
            attempt = (row.agent, row.task_set, row.task_id, int(row.attempt))
            found[attempt, row.profile][names[row.metric]] = float(row.value)
    return found


def of_ideas(
    attempt: Attempt,
    votes: Sequence[Sequence[str]],
    parts: Mapping[tuple[Attempt, str], Mapping[str, float]],
) -> Iterator[tuple[str, str, float | None]]:
    """Column, profile and value of an idea; the gates of the released code are made for six votes."""
    won = {name: sum(name in vote for vote in votes) for name in DIMENSIONS}
    for name in DIMENSIONS:
        yield f"wins_{name}", "judged", won[name] / len(votes) if votes else None
    for profile in ("paper", "released"):
        own = parts.get((attempt, profile), {})
        if not votes or set(own) != set(DIMENSIONS):
            yield "ideas", profile, None
            continue
        finals = [
            with_votes(100 * own[name], name, won[name])
            if profile == "released"
            else (100 * own[name] + 100 * won[name] / SIX) / 2
            for name in DIMENSIONS
        ]
        yield "ideas", profile, math.fsum(finals) / len(finals) / 100


def agreement(tables: Tables) -> pd.DataFrame:
    """The table `opinions-agreement`."""
    pairs: dict[tuple[str, str, str], list[tuple[Any, Any]]] = defaultdict(list)
    for attempt, own in _given(tables).items():
        for one, other in combinations(sorted(own, key=lambda row: (row.judge, row.role)), 2):
            names = tuple(f"{row.judge} as {row.role}" for row in (one, other))
            if one.role in VOTES and other.role in VOTES:
                votes = [(name in one.label.split(), name in other.label.split()) for name in DIMENSIONS]
                pairs[attempt[1], names[0], names[1]] += votes
            elif one.role == other.role and one.role in MARKS:
                pairs[attempt[1], names[0], names[1]].append((float(one.value), float(other.value)))
    rows: list[tuple[Any, ...]] = []
    for key, both in sorted(pairs.items()):
        voted = isinstance(both[0][0], bool)
        share = sum(a == b if voted else abs(a - b) <= 0.1 + 1e-9 for a, b in both) / len(both)
        rows.append((*key, len(both), share, *((kappa(both), None) if voted else (None, correlation(both)))))
    return frame(rows, AGREEMENT)


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa of two raters with two answers; None where both always give the same answer.

    Example:
        >>> kappa([(True, True), (True, False), (False, False), (False, False)])
        0.5
    """
    n = len(pairs)
    equal = sum(a == b for a, b in pairs) / n
    first, second = (sum(pair[at] for pair in pairs) / n for at in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else (equal - chance) / (1 - chance)


def correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's correlation; None with fewer than 3 pairs, or where a rater gives one mark throughout."""
    if len(pairs) < 3 or any(len({pair[at] for pair in pairs}) == 1 for at in (0, 1)):
        return None
    means = [math.fsum(pair[at] for pair in pairs) / len(pairs) for at in (0, 1)]
    cross = math.fsum((a - means[0]) * (b - means[1]) for a, b in pairs)
    squares = [math.fsum((pair[at] - means[at]) ** 2 for pair in pairs) for at in (0, 1)]
    return cross / math.sqrt(squares[0] * squares[1])

"""Tables of agents beside a quantity of the same runs: a ceiling of each world, and hours of mentoring."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from assay.protocol import Tables
from assay.suites.pilab.experiments.ceilings import known
from assay.suites.pilab.tables.readings import Run, by_set, frame, grouped, interval, mean, pooled, runs
from assay.suites.pilab.tables.schemas import SCHEMAS

CEILINGS = SCHEMAS["ceilings"]
MENTORING = SCHEMAS["mentoring"]

PAPER: dict[str, float] = {"1 researcher": 15.5, "7 researchers": 6.0, "quit": 10.1, "stayed": 10.9}
"""Hours of mentoring that the paper's text gives."""


def ceilings(tables: Tables) -> Any:
    """Return the table `ceilings`: what part of the ceiling of each world an agent had."""
    most = known()
    rows = []
    for (task_set, agent), group in grouped(runs(tables)):
        shares = [
            run.impact / most[run.task_set, run.task_id]
            for run in group
            if most.get((run.task_set, run.task_id))
        ]
        if shares:
            tops = [most[run.task_set, run.task_id] for run in group if most.get((run.task_set, run.task_id))]
            rows.append(
                (
                    *(task_set, agent, group[0].privileged, len(shares), mean(tops), mean(shares)),
                    *interval(shares, task_set, agent, "ceiling"),
                )
            )
    return frame(rows, CEILINGS)


def mentoring(tables: Tables) -> Any:
    """Return the table `mentoring`: hours for each person, by how many there are and by who leaves."""
    rows = []
    for task_set, group in by_set(pooled(tables)).items():
        hours: dict[str, list[float]] = {}
        for name, value in (pair for run in group for pair in _hours(run)):
            hours.setdefault(name, []).append(value)
        rows += [
            (task_set, name, len(values), mean(values), PAPER.get(name)) for name, values in hours.items()
        ]
    return frame(rows, MENTORING)


def _hours(run: Run) -> Iterator[tuple[str, float]]:
    """Yield mean hours by the number of researchers for each month, and by fate for each person."""
    fates = {
        (person["ability"], person["growth"], person["independence"], person["role"]): person["status"]
        for person in run.record["people"]
    }
    received: dict[tuple[Any, ...], list[float]] = {}
    for _, people in run.record["mentoring"]:
        if people:
            count = len(people)
            total = math.fsum(row[0] for row in people)
            yield f"{count} researcher{'s' * (count > 1)}", total / count
        for hours, *traits in people:
            received.setdefault(tuple(traits), []).append(hours)
    for traits, values in received.items():
        fate = fates.get(traits)
        if fate is not None:
            yield "quit" if fate == "quit" else "stayed", math.fsum(values) / len(values)

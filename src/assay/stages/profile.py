"""Profile: describe the method of every agent in every suite along axes that logged evidence defines."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from assay.build.job import Job
from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Evidence
from assay.report.axes import AXES, measured, spoken
from assay.stages.shared.added import write_beside_frozen
from assay.suite import suite
from assay.tables.reader import read_table
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.profile import PROFILE
from assay.tables.schemas.scores import SCORES

RESAMPLES = 1000

METHOD = f"bootstrap over tasks, {RESAMPLES} resamples, 95 %"

Numbers = Mapping[tuple[str, str], Mapping[tuple[str, str, int], tuple[float | None, bool | None, str]]]
"""Evidence of one agent: (value, raised, label) by (kind, name) of the evidence and (set, task, attempt)."""


def run(job: Job) -> None:
    """Write the table `profile`."""
    rows = [row for name, of_suite in job.config["suites"].items() for row in _of_suite(job, name, of_suite)]
    rows.sort(key=lambda row: tuple(row[column] for column in PROFILE.key))
    write_beside_frozen(job, rows, PROFILE)


def _of_suite(job: Job, name: str, of_suite: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    profile = suite(of_suite["suite"], of_suite["package"]).room("reporting").PROFILE
    evidence = [item for evidences in profile.values() for item in evidences]
    wanted: set[tuple[str, str]] = {(item.kind, item.name) for item in evidence}
    scores = {path.stem: path for path in job.parts(f"{name}/scores")}
    audits = {path.stem: path for path in job.parts(f"{name}/audit")}
    for agent in of_suite["agents"]:
        numbers = _numbers(scores[agent], audits[agent], wanted)
        for axis in AXES:
            evidences = profile.get(axis, ())
            by_task = _by_task(evidences, numbers)
            means = [math.fsum(values) / len(values) for values in by_task.values()]
            stream = rng.stream(0, "profile", name, agent, axis)
            low, high = bootstrap_interval(means, stream, RESAMPLES) if len(means) > 1 else (None, None)
            yield {
                "agent": agent,
                "suite": name,
                "axis": axis,
                "evidence": spoken(evidences),
                "n": sum(map(len, by_task.values())),
                "tasks": len(means),
                "value": math.fsum(means) / len(means) if means else None,
                "low": low,
                "high": high,
                "method": "" if low is None else METHOD,
            }


def _by_task(evidences: tuple[Evidence, ...], numbers: Numbers) -> dict[tuple[str, str], list[float]]:
    """Return the values of the episodes of each task, in order of tasks.

    The value of an episode is the mean over those of `evidences` that it has.
    """
    by_episode: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for evidence in evidences:
        for episode, (value, raised, label) in numbers.get((evidence.kind, evidence.name), {}).items():
            number = measured(evidence, value, raised, label)
            if number is not None:
                by_episode[episode].append(number)
    by_task: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (task_set, task_id, _), values in sorted(by_episode.items()):
        by_task[task_set, task_id].append(math.fsum(values) / len(values))
    return by_task


def _numbers(scores: Any, audit: Any, wanted: set[tuple[str, str]]) -> Numbers:
    """Read the wanted evidence, given as (kind, name), from the tables `scores` and `audit` of one agent."""
    numbers: dict[tuple[str, str], dict[tuple[str, str, int], Any]] = defaultdict(dict)
    episode = ("task_set", "task_id", "attempt")
    metrics = [name for kind, name in sorted(wanted) if kind == "metric"]
    for name in metrics:
        table = read_table(scores, SCORES, where={"metric": name, "profile": "default", "step": None})
        columns = [table.column(column).to_pylist() for column in (*episode, "value")]
        for *key, value in zip(*columns, strict=True):
            numbers["metric", name][tuple(key)] = (value, None, "")
    for kind, name in sorted(wanted):
        if kind != "metric":
            table = read_table(audit, AUDIT, where={"flag": name})
            columns = [table.column(column).to_pylist() for column in (*episode, "raised", "label")]
            for *key, raised, label in zip(*columns, strict=True):
                numbers[kind, name][tuple(key)] = (None, raised, label)
    return numbers

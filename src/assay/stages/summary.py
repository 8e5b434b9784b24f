"""Summary: mean and confidence interval of each metric of one agent, in every level of every stratum."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay import canonical
from assay.build.job import Job
from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.stages.shared.missing import zeros
from assay.tables.reader import read_rows
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.scores import SCORES
from assay.tables.schemas.summary import SUMMARY
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table

RESAMPLES = 1000

METHOD = f"bootstrap over tasks, {RESAMPLES} resamples, 95 %"


def run(job: Job) -> None:
    """Write the agent's part of the table `summary`."""
    config = job.config
    levels = _levels(job.input("tasks"), set(config["sets"]))
    episodes = read_rows(job.input("episodes"), EPISODES)
    values: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    absent = zeros(job)
    for row in [*read_rows(job.input("scores"), SCORES), *absent]:
        if row["step"] is None:
            of_task = values[row["profile"], row["metric"]][row["task_set"], row["task_id"]]
            if row["value"] is not None:
                of_task.append(row["value"])
    note = "" if episodes else "not recorded" if config["kind"] == "model" else "no episodes"
    if absent:
        note = "missing sessions count as zero"
    rows = [
        {
            "suite": config["suite"],
            "agent": config["agent"],
            "privileged": any(e["privileged"] for e in episodes),
            "profile": profile,
            "stratum": stratum,
            "level": level,
            "metric": metric,
            "note": note,
            **_statistics(
                {task: values[profile, metric].get(task, []) for task in tasks},
                config["attempts"],
                rng.stream(0, "summary", config["suite"], config["agent"], profile, stratum, level, metric),
            ),
        }
        for profile, metric in sorted(values) or [("default", "score"), ("default", "solved")]
        for (stratum, level), tasks in sorted(levels.items())
    ]
    rows.sort(key=lambda r: tuple(r[name] for name in SUMMARY.key))
    write_table(rows, job.output("summary"), SUMMARY)


def _levels(path: Path, sets: set[str]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the tasks (set, id) in each level of each stratum, by (stratum, level).

    In addition to the strata of the tasks there are `all`, with one level, and `task_set`, with a level for
    each set.
    """
    levels: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for row in read_rows(path, TASKS):
        if row["task_set"] not in sets:
            continue
        strata: Mapping[str, str] = canonical.loads(row["strata"])
        for stratum in [("all", "all"), ("task_set", row["task_set"]), *strata.items()]:
            levels[stratum].append((row["task_set"], row["task_id"]))
    return levels


def _statistics(by_task: Mapping[Any, Sequence[float]], attempts: int, stream: rng.Stream) -> dict[str, Any]:
    """Return mean, standard deviation and interval of a metric.

    Mean and standard deviation are over episodes. The interval is a bootstrap over tasks, because the
    attempts at one task are not independent.

    Args:
        by_task: The values of the metric by task, one for each episode that has a value.
        attempts: The number of episodes that each task should have.
        stream: The random numbers of the bootstrap.
    """
    every = [value for values in by_task.values() for value in values]
    n = len(every)
    mean = math.fsum(every) / n if n else None
    sd = None
    if mean is not None and n > 1:
        sd = math.sqrt(math.fsum((v - mean) * (v - mean) for v in every) / (n - 1))
    means = [math.fsum(values) / len(values) for values in by_task.values() if values]
    low = high = None
    if len(means) > 1:
        low, high = bootstrap_interval(means, stream, RESAMPLES)
    return {
        "n": n,
        "n_missing": len(by_task) * attempts - n,
        "mean": mean,
        "sd": sd,
        "low": low,
        "high": high,
        "method": "" if low is None else METHOD,
    }

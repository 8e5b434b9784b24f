"""Leaderboard: the scores of every agent in every set of every suite, and the figures quoted from papers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.build.job import Job
from assay.config.yaml import read_published
from assay.errors import ConfigError
from assay.protocol import NEVER_SCORED, Quoted
from assay.stages.shared.added import write_beside_frozen
from assay.suite import suite
from assay.tables.reader import read_rows, read_table
from assay.tables.rivals import PAIRS, PASSES
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.leaderboard import LEADERBOARD, is_partial
from assay.tables.schemas.summary import SUMMARY

LEVEL = 0.05
"""Level of significance of a comparison, after Holm's correction over all pairs of a set."""


def run(job: Job) -> None:
    """Write the table `leaderboard`."""
    rows: list[dict[str, Any]] = []
    for name, of_suite in job.config["suites"].items():
        rows += _played(job, name, of_suite)
        rows += _quoted(job, name, of_suite)
    rows.sort(key=lambda row: tuple(row[column] for column in LEADERBOARD.key))
    write_beside_frozen(job, rows, LEADERBOARD)


def _played(job: Job, name: str, of_suite: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    summary = {
        (row["level"], row["agent"], row["metric"]): row
        for row in read_rows(job.input(f"{name}/summary"), SUMMARY, where={"stratum": "task_set"})
        if row["profile"] == "default" and row["metric"] in ("score", "solved")
    }
    privileged, tasks = _episodes(job.parts(f"{name}/episodes"))
    coverage = {
        key: {"tasks": len(tasks[key]), "set_tasks": of_suite["sets"][key[0]]}
        for key in ((task_set, agent) for task_set, agent, _ in summary)
    }
    own_tables = {path.stem: path for path in job.parts(f"{name}/own")}
    passes = _passes(own_tables.get("passes"))
    above, below, compared = _pairs(
        own_tables.get("pairs"), {key for key, row in coverage.items() if is_partial(row)}
    )
    for task_set, agent, metric in sorted(summary):
        if metric != "score":
            continue
        score = summary[task_set, agent, "score"]
        solved = summary.get((task_set, agent, "solved"))
        spent = passes.get((task_set, agent), {})
        key = (task_set, agent)
        yield {
            "suite": name,
            "task_set": task_set,
            "kind": "privileged"
            if key in privileged and job.config["kinds"][agent] == "solver"
            else job.config["kinds"][agent],
            "agent": agent,
            **coverage[key],
            "episodes": score["n"],
            "score": score["mean"],
            "low": score["low"],
            "high": score["high"],
            "method": score["method"],
            "solved": None if solved is None else solved["mean"],
            "calls": spent.get("calls"),
            "tokens": spent.get("tokens"),
            "compared": compared.get(key),
            "above": above[key] if key in compared else None,
            "below": below[key] if key in compared else None,
            "note": score["note"] or "; ".join(_notes(coverage[key], key in privileged)),
        }


def _notes(coverage: Mapping[str, int], privileged: bool) -> Iterator[str]:
    if is_partial(coverage):
        yield f"played {coverage['tasks']} of {coverage['set_tasks']} tasks: not ranked"
    if privileged:
        yield "told the truth, so it is compared with nobody"


def quotes(name: str, package: str | None, path: Path) -> list[Quoted]:
    """Return the figures that a suite quotes from its paper.

    Args:
        name: The name of the suite.
        package: The package of the suite; `None` for the default.
        path: The YAML file with the figures.

    Raises:
        ConfigError: If the file cannot be read, or is not of the form that the suite reads.
    """
    remedy = "restore the file from git, or write it as the suite's room `reporting` reads it"
    published = read_published(path)
    try:
        return list(suite(name, package).room("reporting").quoted(published))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
        raise ConfigError(f"{path}: not the figures that {name} quotes ({problem!r})", remedy) from problem


def _quoted(job: Job, name: str, of_suite: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for path in job.parts(f"{name}/published"):
        for row in quotes(of_suite["suite"], of_suite["package"], path):
            yield {
                **dict.fromkeys(("tasks", "set_tasks", "episodes", "compared", "above", "below")),
                "suite": name,
                "task_set": row.task_set,
                "kind": "quoted",
                "agent": row.agent,
                "score": row.score,
                "low": row.low,
                "high": row.high,
                "method": "as the paper gives it" if row.low is not None else "",
                "solved": row.solved,
                "calls": row.calls,
                "tokens": row.tokens,
                "note": row.note,
            }


def _episodes(paths: Iterable[Path]) -> tuple[set[tuple[str, str]], Mapping[tuple[str, str], set[str]]]:
    """Return the pairs (set, agent) with a privileged episode, and the scored tasks of each pair.

    A task counts as scored if one of its episodes was scored.
    """
    privileged: set[tuple[str, str]] = set()
    tasks: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in paths:
        table = read_table(path, EPISODES)
        table = table.select(["task_set", "agent", "task_id", "status", "privileged"])
        for task_set, agent, task_id, status, knows in zip(
            *(column.to_pylist() for column in table.columns), strict=True
        ):
            if knows:
                privileged.add((task_set, agent))
            if status not in NEVER_SCORED:
                tasks[task_set, agent].add(task_id)
    return privileged, tasks


def _passes(path: Path | None) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows with score and cost over all attempts, by set and agent."""
    rows = read_rows(path, PASSES, where={"attempt": None}) if path else []
    return {(row["task_set"], row["agent"]): row for row in rows}


def _pairs(
    path: Path | None, partial: Collection[tuple[str, str]]
) -> tuple[Counter[Any], Counter[Any], Counter[Any]]:
    """Count the significant comparisons of each agent in each set.

    Args:
        path: The table `pairs` of the suite; `None` if the suite has none.
        partial: Pairs (set, agent) that are not compared, because not all tasks were played.

    Returns:
        Three counters by (set, agent): how many agents it beats, how many beat it, and how many it is
        compared with.
    """
    above: Counter[Any] = Counter()
    below: Counter[Any] = Counter()
    compared: Counter[Any] = Counter()
    for row in read_rows(path, PAIRS) if path else []:
        first, second = (row["task_set"], row["first"]), (row["task_set"], row["second"])
        if first in partial or second in partial:
            continue
        compared.update((first, second))
        if row["p_holm"] < LEVEL and row["margin"]:
            better, worse = (first, second) if row["margin"] > 0 else (second, first)
            above[better] += 1
            below[worse] += 1
    return above, below, compared

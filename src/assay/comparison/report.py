"""What can be said about two agents, or about all pairs of them, as values for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from assay.comparison.attempts import Attempts, checked, from_logs, from_results, from_table
from assay.errors import ConfigError, UnknownName
from assay.numbers import bayes, paired, passes, rankings, rng
from assay.numbers.stats import holm_fractions

PROBES = ("able-", "shortcut-")
"""Agents with these names measure task sets (docs/validity.md); they are compared only if named."""

LEVEL = 0.05
"""The level of significance, after Holm's correction over all pairs."""


def compare(
    first: str | None = None,
    second: str | None = None,
    *,
    task_set: str | None = None,
    table: Any = None,
    logs: Sequence[Path | str] = (),
    cluster: str | None = None,
    scorer: str | None = None,
    metric: str = "score",
    results: Path | str = "results",
) -> dict[str, Any]:
    """Compare two agents, or all pairs of agents.

    Args:
        first: One agent; a difference is its score less that of `second`. None compares all pairs.
        second: The other agent.
        task_set: A task set of Assay's results, as suite/set.
        table: A path to a CSV or Parquet file, or a data frame, with one row an attempt (see `from_table`).
        logs: Logs of Inspect AI.
        cluster: The column whose values cluster the tasks; by default `cluster` where there is such a column,
            else each task is a cluster of its own.
        scorer: The scorer of logs; by default the only one.
        metric: The metric of Assay's results.
        results: The folder of Assay's results.

    Returns:
        The values that `assay compare --json` prints.

    Raises:
        ConfigError: If not exactly one source is given, or only one agent is.
        AssayError: If a source cannot be read, or an agent is unknown.

    Example:
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"agent": list("aabb"), "task": list("xyxy"), "score": [1.0, 0.5, 0.0, 0.0]})
        >>> result = compare("a", "b", table=frame)
        >>> result["difference"], result["se"], result["tasks"]
        (0.75, 0.25, 2)
    """
    attempts = _attempts(task_set, table, logs, scorer, metric, Path(results))
    if (first is None) != (second is None) or (first is not None and first == second):
        raise ConfigError("a comparison needs two agents", "name two, or none for all pairs")
    if first is not None and second is not None:
        return pair(attempts, first, second, cluster)
    return every_pair(attempts, cluster)


def _attempts(
    task_set: str | None,
    table: Any,
    logs: Sequence[Path | str],
    scorer: str | None,
    metric: str,
    results: Path,
) -> Attempts:
    if sum((task_set is not None, table is not None, bool(logs))) != 1:
        raise ConfigError(
            "a comparison needs one source of scores", "give a task set, a table, or logs of Inspect AI"
        )
    if task_set is not None:
        suite, _, name = task_set.partition("/")
        if not name:
            raise UnknownName(f"{task_set!r} names no task set", "name it as suite/set, e.g. petri/core-v0")
        return from_results(results, suite, name, metric)
    if logs:
        return from_logs([Path(log) for log in logs], scorer)
    return from_table(Path(table)) if isinstance(table, Path | str) else checked(table, "the table")


def pair(attempts: Attempts, first: str, second: str, cluster: str | None = None) -> dict[str, Any]:
    """Compare two agents over the tasks that both played; see `compare` for the values."""
    ours, theirs = attempts.scores(first), attempts.scores(second)
    clusters = attempts.clusters(cluster)
    if not ours.keys() & theirs.keys():
        raise UnknownName(
            f"{attempts.source}: {first} and {second} have no task in common",
            "compare agents of the same set",
        )
    result = paired.compare(ours, theirs, clusters)
    stream = rng.stream(0, "compare", first, second)
    by = "task" if clusters is None else cluster or "cluster"
    intervals = [
        result.interval,
        paired.percentile_interval(result.values, stream),
        paired.studentised_interval(result.values, stream),
    ]
    plan = paired.plan(ours, theirs)
    values: dict[str, Any] = {
        "first": first,
        "second": second,
        "difference": result.difference,
        "se": result.se,
        "low": result.interval.low,
        "high": result.interval.high,
        "p": float(result.signed_rank.p),
        "method": f"Student's interval, clustered by {by}; Wilcoxon's signed-rank p"
        + ("" if result.signed_rank.exact else " (normal approximation)"),
        "clusters": result.clusters,
        "tasks": result.tasks,
        "attempts": result.attempts,
        "needed": result.needed,
        "better": result.signed_rank.better,
        "worse": result.signed_rank.worse,
        "equal": result.signed_rank.equal,
        "tests": {"signed_rank": float(result.signed_rank.p), "sign": float(result.sign), "t": result.t},
        "intervals": {interval.method: [interval.low, interval.high] for interval in intervals},
        "variance": {"tasks": plan.between, "attempts": plan.within},
        "only_first": len(ours.keys() - theirs.keys()),
        "only_second": len(theirs.keys() - ours.keys()),
        "agents": {name: _alone(scores, clusters) for name, scores in ((first, ours), (second, theirs))},
    }
    if (scale := _scale(attempts)) is not None:
        posterior = bayes.difference((result.values.sums / result.values.sizes).tolist(), scale)
        values["intervals"]["Bayesian"] = [posterior.low, posterior.high]
    return values


def _scale(attempts: Attempts) -> float | None:
    """Return the length of the scale of the scores: 1 or 100 where all lie within, else None."""
    low, high = attempts.frame["score"].min(), attempts.frame["score"].max()
    return next((scale for scale in (1.0, 100.0) if low >= 0.0 and high <= scale), None)


def _alone(scores: Mapping[str, Sequence[float]], clusters: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return mean and clustered error of an agent's attempts; of scores 0 and 1, pass@k and pass^k, too."""
    tasks = [task for task, values in scores.items() for _ in values]
    values = [value for of_task in scores.values() for value in of_task]
    of = paired.clustered(values, tasks if clusters is None else [clusters[task] for task in tasks])
    alone: dict[str, Any] = {"mean": of.mean, "se": of.error, "tasks": len(scores), "attempts": len(values)}
    if set(values) <= {0.0, 1.0}:
        solved = {task: [value == 1.0 for value in of_task] for task, of_task in scores.items()}
        posterior = bayes.share(solved)
        alone["share"] = {"mean": posterior.mean, "low": posterior.low, "high": posterior.high}
        most = max(map(len, scores.values()))
        for name, estimator in (("pass_at", passes.once_in), ("pass_all", passes.always_in)):
            alone[name] = {str(k): passes.over_tasks(estimator, k, solved)[0] for k in range(1, most + 1)}
    return alone


def every_pair(attempts: Attempts, cluster: str | None = None) -> dict[str, Any]:
    """Compare all pairs of agents, with Holm's correction, intervals of ranks and tie groups."""
    clusters = attempts.clusters(cluster)
    scores = {agent: attempts.scores(agent) for agent in attempts.agents if not agent.startswith(PROBES)}
    together = [
        (first, second)
        for first, second in combinations(scores, 2)
        if scores[first].keys() & scores[second].keys()
    ]
    results = {key: paired.compare(scores[key[0]], scores[key[1]], clusters) for key in together}
    adjusted = holm_fractions([result.signed_rank.p for result in results.values()])
    beats = {
        (key if result.difference > 0 else key[::-1])
        for (key, result), p in zip(results.items(), adjusted, strict=True)
        if p < LEVEL
    }
    alone = {agent: _alone(values, clusters) for agent, values in scores.items()}
    order = sorted(scores, key=lambda agent: (-alone[agent]["mean"], agent))
    letters = rankings.tie_groups(order, beats)
    return {
        "agents": [
            {
                "agent": agent,
                **alone[agent],
                "ranks": list(rankings.rank_interval(agent, order, beats)),
                "group": letters[agent],
            }
            for agent in order
        ],
        "pairs": [
            {
                "first": first,
                "second": second,
                "difference": result.difference,
                "se": result.se,
                "low": result.interval.low,
                "high": result.interval.high,
                "p": float(result.signed_rank.p),
                "p_holm": float(p),
                "tasks": result.tasks,
                "needed": result.needed,
            }
            for ((first, second), result), p in zip(results.items(), adjusted, strict=True)
        ],
    }

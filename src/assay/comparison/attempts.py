"""Attempts of agents at tasks, from wherever they were recorded, in one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from assay.errors import ConfigError, NotBuilt, RecordingError, TableError, UnknownName
from assay.tables.reader import read_frame
from assay.tables.schemas.scores import SCORES

REQUIRED = ("agent", "task", "score")
OPTIONAL = ("suite", "task_set", "attempt", "stratum", "cluster")


@dataclass(frozen=True)
class Attempts:
    """Attempts of agents at tasks.

    Attributes:
        frame: One row an attempt: `agent`, `task` (with suite and set, where known), `score`, and any of
            `OPTIONAL`.
        source: Where they come from, for messages.
    """

    frame: pd.DataFrame
    source: str

    @property
    def agents(self) -> list[str]:
        """The names of the agents, sorted."""
        return sorted(self.frame["agent"].unique())

    def scores(self, agent: str) -> dict[str, list[float]]:
        """Return the scores of an agent's attempts, by task.

        Raises:
            UnknownName: If the agent has no attempt.
        """
        rows = self.frame[self.frame["agent"] == agent]
        if rows.empty:
            raise UnknownName(
                f"{self.source}: no attempt of {agent!r}", f"its agents are {', '.join(self.agents)}"
            )
        scores: dict[str, list[float]] = {}
        for task, score in zip(rows["task"], rows["score"], strict=True):
            scores.setdefault(task, []).append(score)
        return scores

    def clusters(self, column: str | None) -> dict[str, Any] | None:
        """Return the cluster of each task.

        Args:
            column: The column that names the clusters; None for the column `cluster`, if there is one.

        Returns:
            The clusters by task; None where each task is a cluster of its own.

        Raises:
            TableError: If there is no such column, a value is missing, or a task lies in two clusters.
        """
        if column == "task" or (column is None and "cluster" not in self.frame):
            return None
        name = column or "cluster"
        if name not in self.frame:
            raise TableError(
                f"{self.source}: there is no column {name!r} to cluster by",
                f"name one of {', '.join(self.frame.columns)}",
            )
        clusters: dict[str, Any] = {}
        for task, cluster in zip(self.frame["task"], self.frame[name], strict=True):
            if pd.isna(cluster) or clusters.setdefault(task, cluster) != cluster:
                reason = "has no cluster" if pd.isna(cluster) else "lies in two clusters"
                raise TableError(
                    f"{self.source}: the task {task} {reason}", f"give each task one value in {name!r}"
                )
        return clusters


def from_table(path: Path) -> Attempts:
    """Read a tidy table: a CSV or Parquet file with one row an attempt.

    Args:
        path: A file with the columns `agent`, `task` and `score`, and any of `suite`, `task_set`, `attempt`,
            `stratum` and `cluster`.

    Raises:
        TableError: If the file cannot be read, lacks a column, or holds a row that makes no sense. The
            message names the row.
    """
    text = dict.fromkeys(("agent", "task", "suite", "task_set"), str)
    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values={"score": [""]})
    except (OSError, ValueError) as problem:  # pandas and pyarrow raise subclasses of these
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise TableError(
            f"{path} cannot be read as a table ({reason})", "give a CSV or Parquet file"
        ) from problem
    return checked(frame, str(path))


def checked(frame: pd.DataFrame, source: str) -> Attempts:
    """Return the attempts in a table, in the form that comparisons need.

    Raises:
        TableError: If a column is missing, a score is no finite number, or an attempt occurs twice.
    """
    missing = [name for name in REQUIRED if name not in frame]
    if missing:
        raise TableError(
            f"{source}: there is no column {missing[0]!r}",
            f"one row an attempt, with the columns {', '.join(REQUIRED)} "
            f"and, where known, {', '.join(OPTIONAL)}",
        )
    frame = frame.copy()
    scores = pd.to_numeric(frame["score"], errors="coerce").astype("float64")
    bad = ~scores.between(float("-inf"), float("inf"), inclusive="neither")
    if bad.any():
        row = int(bad.to_numpy().argmax())
        raise TableError(
            f"{source}, row {row + 1}: the score {frame['score'].iloc[row]!r} is no finite number",
            "give a number; an attempt that never counts has no row, one that failed has the lowest score",
        )
    frame["score"] = scores
    names = [frame[name].astype(str) for name in ("suite", "task_set", "task") if name in frame]
    frame["task"] = ["/".join(parts) for parts in zip(*names, strict=True)]
    frame["agent"] = frame["agent"].astype(str)
    if "attempt" in frame:
        twice = frame.duplicated(["agent", "task", "attempt"]).to_numpy()
        if twice.any():
            row = int(twice.argmax())
            values = frame.iloc[row]
            raise TableError(
                f"{source}, row {row + 1}: attempt {values['attempt']} of {values['agent']} at "
                f"{values['task']} occurs twice",
                "one row an attempt: give each its own number in `attempt`",
            )
    return Attempts(frame, source)


def from_results(folder: Path, suite: str, task_set: str, metric: str = "score") -> Attempts:
    """Read the scores of a task set from the results of a build.

    Args:
        folder: The folder of results, `results`.
        suite: The name of the suite.
        task_set: The name of the set.
        metric: The metric; by default the headline score of the suite.

    Raises:
        NotBuilt: If there are no scores of the suite.
        UnknownName: If nobody has the metric in the set.
    """
    paths = sorted((folder / suite / "scores").glob("*.parquet"))
    if not paths:
        raise NotBuilt(f"{folder / suite / 'scores'} holds no scores", "build them first: make reproduce")
    frames = [read_frame(path, SCORES, {"metric": metric, "profile": "default"}) for path in paths]
    rows = pd.concat([frame for frame in frames if len(frame)] or frames[:1])
    rows = rows[rows["step"].isna() & rows["value"].notna()]
    sets = sorted(rows["task_set"].unique())
    rows = rows[rows["task_set"] == task_set]
    if rows.empty:
        raise UnknownName(
            f"nobody has the metric {metric!r} in {suite}/{task_set}",
            f"sets with this metric: {', '.join(sets) or 'none'}",
        )
    rows = rows.rename(columns={"task_id": "task", "value": "score"})
    return checked(rows[["agent", "task", "attempt", "score"]], f"{suite}/{task_set}")


def from_logs(paths: Iterable[Path], scorer: str | None = None) -> Attempts:
    """Read logs of Inspect AI; an agent is the model of a log, and each key of the metadata is a column.

    Args:
        paths: Logs (`.eval` or `.json`).
        scorer: The scorer whose scores count; by default, the only one.

    Raises:
        RecordingError: If a file is no log, or a sample has no score by this scorer.
        ConfigError: If the package `inspect_ai` is not installed.
    """
    rows = []
    for path in paths:
        log = read_log(path)
        from inspect_ai.scorer import value_to_float

        number = value_to_float()
        for sample in log.samples or ():
            scores: Mapping[str, Any] = sample.scores or {}
            names = [scorer] if scorer is not None else list(scores)
            if len(names) != 1 or names[0] not in scores:
                raise RecordingError(
                    f"{path}, sample {sample.id}: its scores are {', '.join(scores) or 'none'}",
                    "name one of them as the scorer: --scorer NAME",
                )
            rows.append(
                {
                    **{key: value for key, value in (sample.metadata or {}).items() if key not in REQUIRED},
                    "agent": log.eval.model,
                    "task": f"{log.eval.task}/{sample.id}",
                    "attempt": sample.epoch,
                    "score": number(scores[names[0]].value),
                }
            )
    frame = pd.DataFrame(rows, columns=None if rows else [*REQUIRED, "attempt"])
    return checked(frame.drop(columns=["suite", "task_set"], errors="ignore"), "the logs")


def read_log(path: Path) -> Any:
    """Read a log of Inspect AI.

    Raises:
        RecordingError: The file is not a log of Inspect.
        ConfigError: The package `inspect_ai` is not installed.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as problem:
        raise ConfigError(
            "logs of Inspect need the extra `models`", "install it: make setup EXTRAS=models"
        ) from problem
    try:
        return read_eval_log(str(path))
    except Exception as problem:  # errors of zipfile, JSON and pydantic have no common base class
        raise RecordingError(
            f"{path} is no log of Inspect ({type(problem).__name__})", "name a file that `inspect eval` wrote"
        ) from problem

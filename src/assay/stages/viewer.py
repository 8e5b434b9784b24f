"""Viewer: the episodes of a suite as pages to read, from its tables alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay import canonical
from assay.episode import from_rows
from assay.job import Job
from assay.protocol import Flag, Score
from assay.report.viewer import Shown
from assay.schemas.audit import AUDIT
from assay.schemas.episodes import EPISODES, EVENTS
from assay.schemas.scores import SCORES
from assay.schemas.tasks import TASKS
from assay.tables import read_rows, read_table
from assay.task import Task


def shown_of(
    tasks: Mapping[tuple[str, str], Task], episodes: Path, events: Path | None, scores: Path, audit: Path
) -> Iterator[Shown]:
    """The episodes of one agent in the order of their table, with events where its log is kept.

    All tables have that order, so each is cut where the next episode begins.
    """
    own_scores = _grouped(read_rows(scores, SCORES))
    own_flags = _grouped(read_rows(audit, AUDIT))
    log = None if events is None else read_table(events, EVENTS)
    at = 0
    for row in read_rows(episodes, EPISODES):
        key = _key(row)
        kept: list[dict[str, Any]] = []
        if log is not None:
            kept = log.slice(at, row["n_events"]).to_pylist()
            at += row["n_events"]
            if any(_key(event) != key for event in kept):
                raise ValueError(f"{events} does not hold the events of {key}, which {episodes} counts")
        yield Shown(
            task=tasks[row["task_set"], row["task_id"]],
            episode=from_rows(row, kept),
            scores=tuple(
                Score(s["metric"], s["value"], s["label"], s["profile"], s["step"])
                for s in own_scores.get(key, ())
            ),
            flags=tuple(
                Flag(f["flag"], f["raised"], f["label"], canonical.loads(f["evidence"]))
                for f in own_flags.get(key, ())
            ),
            logged=log is not None,
            n_events=row["n_events"],
        )


def _key(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return row["task_set"], row["task_id"], row["attempt"]


def _grouped(rows: list[dict[str, Any]]) -> dict[tuple[str, str, int], list[dict[str, Any]]]:
    found: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(_key(row), []).append(row)
    return found


def tasks_of(job: Job) -> dict[tuple[str, str], Task]:
    """The suite's tasks by set and id."""
    return {
        (row["task_set"], row["task_id"]): Task.from_row(row) for row in read_rows(job.input("tasks"), TASKS)
    }

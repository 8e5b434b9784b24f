"""Runs of the paper's harness, scored and audited, and kept as recordings of an agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.errors import ConfigError
from assay.sessions.assessment import assess
from assay.sessions.session import open_task
from assay.suite import suite
from assay.suites.causalab.original.reading import BadLog, Run
from assay.suites.causalab.original.replaying import replay, replies, texts_of
from assay.suites.causalab.original.tasks import read_logs
from assay.suites.causalab.tables.released import SHOWN
from assay.task import Task


def rows(
    folder: Path, graphs: Path | None, config: Path, agent: str | None = None, task_set: str | None = None
) -> Iterator[dict[str, Any]]:
    """Replay the runs in a folder; yield a row of metrics and flags for each.

    Args:
        folder: The folder of the runs.
        graphs: A folder with released files, one of which must have the graph of each run.
        config: The project's configuration.
        agent: The agent whose recordings the runs become; None to keep none.
        task_set: The set of the configuration that names the folder by `path:`.

    Raises:
        BadLog: A run is damaged, or our laboratory shows something else; no later run is read.
        ConfigError: Agent and set are not given together, or the folder has no runs.
    """
    if (agent is None) != (task_set is None):
        raise ConfigError(
            "an agent's recordings belong to a set", "give both --agent and --set, or neither of them"
        )
    causalab, empty = suite("causalab"), True
    for run, task in read_logs(folder, task_set or "logs", graphs):
        empty = False
        episode = replay(run, task)
        judged = assess(causalab, task, episode, materials_for(causalab, MemoryBlobs()))
        if agent is not None:
            _record(run, task, agent, config)
        yield {
            "run": run.folder.relative_to(folder).as_posix(),
            "task": task.task_id,
            "steps": len(run.texts),
            **{metric: judged.metrics.get(metric) for metric in SHOWN},
            "flags": ", ".join(judged.raised),
        }
    if empty:
        raise BadLog(f"{folder} has no run", "name a folder with folders that hold graph_config.json")


def _record(run: Run, task: Task, agent: str, config: Path) -> None:
    """Write the recording of a run, whose task is that of a configured set."""
    name = f"{task.task_set}/{task.task_id}"
    session = open_task("causalab", name, agent=agent, record=True, config=config)
    with session:
        if session.task.digest != task.digest and session.task.public != task.public:
            raise ConfigError(
                f"{name} is another run than {run.folder}", f"let the set {task.task_set} name its folder"
            )
        replies(texts_of(run), lambda text: session.call("record", {"text": text}))
        session.score()

"""Episodes of a build with their scores; those whose log is a digest are played again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

import yaml

from assay.agents.solver import SolverAgent
from assay.episode import from_rows
from assay.episodes.artefacts import KeyedArtefacts
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.protocol import NEVER_SCORED, Materials
from assay.suite import solver_room, suite
from assay.tables.reader import read_rows
from assay.tables.schemas.episodes import BLOBS, EPISODES, EVENTS
from assay.tables.schemas.scores import SCORES
from assay.tables.schemas.tasks import TASKS
from assay.task import Task


def key(row):
    return (row["task_set"], row["task_id"], row["agent"], row["attempt"])


@dataclass(frozen=True)
class Results:
    """The results of one suite in the folder of a build."""

    build: Path
    name: str

    @property
    def folder(self):
        return self.build / "results" / self.name

    @cached_property
    def tasks(self):
        rows = read_rows(self.folder / "tasks.parquet", TASKS)
        return {(row["task_set"], row["task_id"]): Task.from_row(row) for row in rows}

    @cached_property
    def blobs(self):
        tables = sorted((self.folder / "shards").glob("*/blobs*/**/*.parquet"))
        tables += sorted((self.folder / "shards" / "blobs").glob("**/*.parquet"))
        kept = {row["sha256"]: row["data"] for path in tables for row in read_rows(path, BLOBS)}
        return MemoryBlobs(kept.get)

    @cached_property
    def materials(self):
        files = sorted((self.folder / "artefacts").glob("*"))
        return Materials(self.blobs, KeyedArtefacts(suite(self.name), files, self.blobs))

    @cached_property
    def solvers(self):
        """The solver of each agent, where it has another name."""
        found = {}
        for path in (self.build / "config/agents.yaml", self.build / "config/test/real-agents.yaml"):
            for name, entry in yaml.safe_load(path.read_text("utf-8"))["agents"].items():
                if entry.get("solver"):
                    found[name] = entry["solver"]
        return found

    @property
    def agents(self):
        return sorted(path.stem for path in (self.folder / "episodes").glob("*.parquet"))

    def episodes(self, needs_events) -> Iterator:
        """Task, episode and scores by (profile, metric, step) of every episode that says something.

        An episode whose events are not kept is played again where `needs_events(task)`: its log must have the
        hash that the table has.
        """
        for agent in self.agents:
            path = self.folder / "events" / f"{agent}.parquet"
            events = {k: list(v) for k, v in groupby(read_rows(path, EVENTS), key)} if path.exists() else {}
            scores = read_rows(self.folder / "scores" / f"{agent}.parquet", SCORES)
            values = {
                k: {(r["profile"], r["metric"], r["step"]): r["value"] for r in rows}
                for k, rows in groupby(scores, key)
            }
            for row in read_rows(self.folder / "episodes" / f"{agent}.parquet", EPISODES):
                if row["status"] in NEVER_SCORED:
                    continue
                task = self.tasks[row["task_set"], row["task_id"]]
                episode = from_rows(row, events.get(key(row), []))
                if len(episode.events) != row["n_events"] and needs_events(task):
                    episode = self.played_again(task, row)
                yield task, episode, values[key(row)]

    def played_again(self, task, row):
        found = suite(self.name)
        name = self.solvers.get(row["agent"], row["agent"])
        room, collection = solver_room(name)
        agent = SolverAgent(getattr(found.load(room), collection)[name], task, self.blobs)
        episode = play(found, task, row["agent"], agent, row["attempt"], self.materials)
        assert episode.log_sha256 == row["log_sha256"], (task.task_id, row["agent"])
        return episode

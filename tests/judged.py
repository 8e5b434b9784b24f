"""A small checkout in the working directory with built episodes and a judge, as the workflow leaves it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from assay import canonical
from assay.agents.solver import SolverAgent
from assay.build.job import Job
from assay.build.planning.plan import Plan
from assay.config.loading import load
from assay.episode import episode_row, event_rows
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.sessions.taskfiles import find_task
from assay.stages import opinions
from assay.stages.shared.inputs import write_blobs
from assay.suite import suite
from assay.tables.reader import read_rows
from assay.tables.schemas.episodes import EPISODES, EVENTS
from assay.tables.schemas.opinions import OPINIONS
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table

FROZEN = Path(__file__).parent / "protocol/tasks/madeup/madeup-v0"
SUITE = suite("madeup", "tests.protocol.madeup")
CONFIG = Path("config/config.yaml")
AGENTS = Path("config/agents.yaml")
RESULTS = Path("results/madeup")
TASK_COUNT = 4
PLAYERS = ("coder", "exact", "guess", "privileged", "silent")
QUESTIONS = TASK_COUNT * (len(PLAYERS) - 1)
"""Of `silent` there is nothing to judge."""

JUDGE: dict[str, Any] = {
    "kind": "judge",
    "transport": {"kind": "fake", "script": "tests.agents.scripts:juror", "seed": 3},
    "judges": {"madeup": {"role": "support"}},
    "access": {"retries": 0},
}


def write_checkout(**judge: Any) -> None:
    """The configuration, with keys of the judge replaced; frozen tasks; no results yet."""
    folder = Path("tasks/madeup/madeup-v0")
    folder.mkdir(parents=True)
    for file in sorted(FROZEN.glob("*.json"))[:TASK_COUNT]:
        shutil.copy(file, folder)
    CONFIG.parent.mkdir()
    suites = {"madeup": {"package": SUITE.package, "settings": "config/madeup.yaml"}}
    CONFIG.write_text(yaml.safe_dump({"suites": suites}))
    Path("config/madeup.yaml").write_text(yaml.safe_dump({"sets": {"madeup-v0": "frozen"}}))
    write_agents(**judge)


def write_agents(**judge: Any) -> None:
    """The agents, with keys of the judge replaced."""
    agents: dict[str, Any] = {
        name: {"kind": "solver", "suites": {"madeup": ["madeup-v0"]}} for name in PLAYERS
    }
    AGENTS.write_text(yaml.safe_dump({"agents": {**agents, "juror": {**JUDGE, **judge}}}))


def build() -> None:
    """What the workflow makes up to the episodes."""
    config = load(CONFIG).suites["madeup"]
    blobs = MemoryBlobs()
    tasks = [find_task(config, f"madeup-v0/{n}", blobs) for n in range(TASK_COUNT)]
    write_table([t.to_row(n) for n, t in enumerate(tasks)], RESULTS / "shards/tasks/0.parquet", TASKS)
    write_blobs(blobs, RESULTS / "shards/tasks/0.blobs.parquet")
    for name in PLAYERS:
        shown = MemoryBlobs(blobs.get)
        materials = materials_for(SUITE, shown)
        solver = SUITE.find("solvers", "SOLVERS", name)
        episodes = [play(SUITE, task, name, SolverAgent(solver, task), 0, materials) for task in tasks]
        write_table(map(episode_row, episodes), RESULTS / f"episodes/{name}.parquet", EPISODES)
        events = (row for episode in episodes for row in event_rows(episode))
        write_table(events, RESULTS / f"events/{name}.parquet", EVENTS)
        write_blobs(shown, RESULTS / f"shards/blobs/{name}/0.parquet")


def replayed() -> list[dict[str, Any]]:
    """The rows of the table `opinions`, made as the workflow's job makes it."""
    plan = Plan(load(CONFIG))
    inputs = {
        "tasks": plan.inputs.tasks_of_opinions("madeup", "juror"),
        "blobs": plan.inputs.blobs_of_opinions("madeup", "juror"),
        "episodes": plan.inputs.judged("episodes", "madeup", "juror"),
        "events": plan.inputs.judged("events", "madeup", "juror"),
        "recordings": plan.inputs.recorded_opinions("madeup", "juror"),
    }
    (out,) = map(Path, plan.inputs.merged("opinions", "madeup"))
    job = Job(
        canonical.loads(plan.parameters.opinions_config("madeup", "juror")),
        {name: tuple(map(Path, paths)) for name, paths in inputs.items()},
        {"opinions": out},
    )
    opinions.run(job)
    rows: list[dict[str, Any]] = list(read_rows(out, OPINIONS))
    return rows

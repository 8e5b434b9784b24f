"""How the costs of a run grow: with episodes, shards and cores. Each size is a build, without the store.

What a job needs (processor time, memory) is in its provenance: a loaded machine spoils wall times alone.
The rows are printed, and kept in `extra_info` of the saved figures; with `--record` also in the result files
of docs/performance.md. `test_ten_agents` builds
ten agents of petri; its larger sizes take long, so each can be chosen:

    make bench ARGS="-k 'test_ten_agents and 1000_episodes' --record"
    python benchmarks/tables.py --write
"""

from __future__ import annotations

import json
import re
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from benchmarks.measurements import Record
from tests.workflow.checkout import REAL, SMOKE, Checkout

SETTINGS = "config/test/grow.yaml"
SUITE = """\
sets: {{scaling-v0: {{count: {tasks}}}}}
costs: {{task: 0.02, calibration: 0.01, check: 2, episode: 0.03}}
settings:
  validation: {{graphs: 10, checks: [structures]}}
  analysis: {{tables: [structures]}}
  figures: {{figures: [scaling]}}
"""
AGENTS = """\
agents:
  exhaustive: {kind: solver, log: digest, suites: {causalab: [scaling-v0]}}
  greedy: {kind: solver, log: digest, suites: {causalab: [scaling-v0]}}
"""
PROJECT = """\
suites: {{causalab: {{settings: config/test/grow-suite.yaml}}}}
agents: config/test/grow-agents.yaml
seconds_per_job: {seconds}
"""
SCALE = "config/scale-petri.yaml"

AGENTS_OF_PETRI = 10
"""Number of agents of `config/scale-agents.yaml`, each of which plays every task once."""

SECONDS_OF_A_JOB = 60
"""Estimated seconds of a shard at which 100 tasks already make work for two cores."""


PEAK = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
sys.exit(code)
"""
"""A program that runs a command and then prints the memory (bytes) of the command's largest process."""


def growing(root: Path, tasks: int, seconds: float = 30) -> Checkout:
    """A checkout that plays so many graphs of causalab twice, in jobs of so many seconds."""
    checkout = Checkout.fresh(root, SETTINGS)
    (root / SETTINGS).write_text(PROJECT.format(seconds=seconds))
    (root / "config/test/grow-suite.yaml").write_text(SUITE.format(tasks=tasks))
    (root / "config/test/grow-agents.yaml").write_text(AGENTS)
    return checkout


def provenance(checkout: Checkout) -> list[dict[str, Any]]:
    """What each job needed."""
    files = sorted((checkout.root / "results/provenance").rglob("*.json"))
    return [json.loads(file.read_bytes()) for file in files]


def told(benchmark: Any, **facts: Any) -> None:
    """Keep and print the facts of one size."""
    benchmark.extra_info.update(facts)
    print("\n" + ", ".join(f"{name} {value}" for name, value in facts.items()))


@pytest.mark.parametrize("tasks", [252, 1008, 4032])
def test_episodes(benchmark: Any, tmp_path: Path, tasks: int) -> None:
    checkout = growing(tmp_path / "checkout", tasks)
    benchmark.pedantic(lambda: checkout.build(cores="2", ASSAY_STORE="off"), rounds=1)
    jobs = provenance(checkout)
    tables = list((checkout.root / "results").glob("causalab/*/*.parquet"))
    began = time.perf_counter()
    assert checkout.assay("verify").code != 1
    told(
        benchmark,
        episodes=2 * tasks,
        jobs=len(jobs),
        cpu_ms_an_episode=round(1000 * sum(job["cpu_seconds"] for job in jobs) / (2 * tasks), 1),
        largest_job_mb=max(job["max_rss_bytes"] for job in jobs) >> 20,
        bytes_an_episode=sum(file.stat().st_size for file in tables) // (2 * tasks),
        verify_s=round(time.perf_counter() - began, 1),
    )


@pytest.mark.parametrize("seconds", [1, 5, 25])
def test_sizes_of_shards(benchmark: Any, tmp_path: Path, seconds: float) -> None:
    checkout = growing(tmp_path / "checkout", 1008, seconds)
    benchmark.pedantic(lambda: checkout.build(cores="2", ASSAY_STORE="off"), rounds=1)
    jobs = provenance(checkout)
    told(
        benchmark,
        seconds_per_job=seconds,
        jobs=len(jobs),
        cpu_s=round(sum(job["cpu_seconds"] for job in jobs)),
        largest_job_mb=max(job["max_rss_bytes"] for job in jobs) >> 20,
    )


@pytest.mark.parametrize("cores", [1, 2])
def test_tasks_against_cores(benchmark: Any, tmp_path: Path, cores: int) -> None:
    checkout = growing(tmp_path / "checkout", 4032, 10)
    target = "results/causalab/tasks.parquet"
    benchmark.pedantic(lambda: checkout.build(cores=str(cores), target=target, ASSAY_STORE="off"), rounds=1)
    told(benchmark, cores=cores, tasks_a_second=round(4032 / benchmark.stats.stats.min, 1))


def peak(log: str) -> int:
    """Return the memory (bytes) of the largest process, which `PEAK` printed as the last line."""
    return int(log.rstrip().rpartition("\n")[2])


@pytest.mark.parametrize("tasks", [10, 100, 300, 1000], ids="{}0_episodes".format)
def test_ten_agents(benchmark: Any, tmp_path: Path, record: Record, tasks: int) -> None:
    """A build from nothing with everything that `all` has; then what it says of ten times the episodes."""
    checkout = Checkout.fresh(tmp_path / "checkout", "config/scale.yaml")
    checkout.replace(SCALE, "count: 100000", f"count: {tasks}")
    checkout.replace("config/scale.yaml", "seconds_per_job: 900", f"seconds_per_job: {SECONDS_OF_A_JOB}")
    command = [".venv/bin/python", "-c", PEAK, *checkout.build_command(cores="2")]
    run = benchmark.pedantic(lambda: checkout.do(*command, ASSAY_STORE="off"), rounds=1)
    assert run.code == 0, run.output
    figures = figures_of(checkout, tasks, benchmark.stats.stats.min, peak(run.output))
    record("scale", figures)
    told(benchmark, **figures)
    projections = projected(checkout, tasks, benchmark.stats.stats.min)
    for projection in projections:
        record("projection", projection)
        told(benchmark, **{f"{projection['episodes']} episodes, {k}": v for k, v in projection.items()})


def figures_of(checkout: Checkout, tasks: int, wall: float, largest: int | None) -> dict[str, Any]:
    """Return the row of a build that took so many seconds, with its largest process in bytes."""
    jobs, episodes = provenance(checkout), AGENTS_OF_PETRI * tasks
    folder = checkout.root / "results/petri"
    assert sum(pq.read_metadata(path).num_rows for path in (folder / "episodes").glob("*")) == episodes
    tables = [path for path in folder.rglob("*.parquet") if "shards" not in path.parts]
    return {
        "episodes": episodes,
        "jobs": len(jobs),
        "wall, s": round(wall),
        "processor time of the jobs, s": round(sum(job["cpu_seconds"] for job in jobs)),
        "largest job, MiB": max(job["max_rss_bytes"] for job in jobs) >> 20,
        "largest process, MiB": None if largest is None else largest >> 20,
        "tables, MB": round(sum(path.stat().st_size for path in tables) / 1e6, 2),
    }


def projected(checkout: Checkout, tasks: int, wall: float) -> list[dict[str, Any]]:
    """Return the rows that a build of so many tasks projects for ten and for a hundred times as many.

    The wall time grows as the makespan on two cores does, so a load of the machine is projected too.
    """
    present, rows, count = makespan(checkout), [], tasks
    for times in (10, 100):
        checkout.replace(SCALE, f"count: {count}", f"count: {times * tasks}")
        count = times * tasks
        larger = makespan(checkout)
        ratio = larger["schedules"][0]["makespan"] / present["schedules"][0]["makespan"]
        rows.append(
            {
                "episodes": AGENTS_OF_PETRI * count,
                "projected from episodes": AGENTS_OF_PETRI * tasks,
                "jobs": larger["jobs"],
                "wall on 2 cores, s": round(wall * ratio),
                "processor time of the jobs, s": round(larger["seconds"]),
                "efficiency on 128 cores, %": round(100 * larger["schedules"][1]["efficiency"]),
            }
        )
    return rows


def makespan(checkout: Checkout) -> dict[str, Any]:
    """Schedule the present configuration on 2 and 128 cores, at the costs of the checkout's jobs."""
    run = checkout.assay("makespan", "2", "128", "--configfile", checkout.config, "--json")
    assert run.code == 0, run.output
    schedules: dict[str, Any] = json.loads(run.output)
    return schedules


@pytest.mark.parametrize("fork", ["off", "on"])
@pytest.mark.parametrize("config", [SMOKE, REAL, "config/config.yaml"], ids=["smoke", "real", "all"])
def test_whole_build(benchmark: Any, tmp_path: Path, record: Record, config: str, fork: str) -> None:
    """A build from nothing on two cores, and the same again when nothing has changed."""
    checkout = Checkout.fresh(tmp_path / "checkout", config)
    checkout.bring_recordings()
    forking = {"ASSAY_FORK": "off"} if fork == "off" else {}
    seconds = benchmark.pedantic(
        lambda: [spent(lambda: checkout.build(cores="2", ASSAY_STORE="off", **forking)) for _ in range(2)],
        rounds=1,
    )
    figures = {
        "build": f"`{config}`" + (", a new process for each job (`ASSAY_FORK=off`)" if fork == "off" else ""),
        "jobs": len(provenance(checkout)),
        "wall, s": round(seconds[0][0]),
        "processor time, s": round(seconds[0][1]),
        "wall without changes, s": round(seconds[1][0], 1),
        "processor time without changes, s": round(seconds[1][1], 1),
    }
    record("builds", figures)
    told(benchmark, **figures)


def spent(work: Callable[[], object]) -> tuple[float, float]:
    """Return the wall time and the processor time (seconds, child processes alone) of some work."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, used


@pytest.mark.parametrize("tasks", [1000, 10_000, 100_000])
def test_plan_of_ten_agents(benchmark: Any, tmp_path: Path, record: Record, tasks: int) -> None:
    checkout = Checkout.fresh(tmp_path / "checkout", "config/scale.yaml")
    checkout.replace(SCALE, "count: 100000", f"count: {tasks}")
    cpu: list[float] = []

    def plan() -> str:
        runs = []
        cpu.append(spent(lambda: runs.append(checkout.snakemake("--dry-run", "--quiet", "rules")))[1])
        assert runs[0].code == 0, runs[0].output
        return runs[0].output

    output = benchmark.pedantic(plan, rounds=1)
    jobs = re.findall(r"^ *total +([0-9]+) *$", output, re.MULTILINE)[-1]
    figures = {
        "episodes": AGENTS_OF_PETRI * tasks,
        "jobs": int(jobs),
        "processor time, s": round(min(cpu), 1),
        "wall, s": round(benchmark.stats.stats.min, 1),
    }
    record("planning", figures)
    told(benchmark, **figures)


@pytest.mark.parametrize("tasks", [1000, 10_000, 100_000])
def test_tasks_of_petri(benchmark: Any, tmp_path: Path, record: Record, tasks: int) -> None:
    """So many fresh tasks of `core-v1` are generated, checked and rated, in jobs on two cores."""
    checkout = Checkout.fresh(tmp_path / "checkout", "config/scale.yaml")
    checkout.replace(SCALE, "count: 100000", f"count: {tasks}")
    checkout.replace("config/scale.yaml", "seconds_per_job: 900", f"seconds_per_job: {SECONDS_OF_A_JOB}")
    cpu: list[float] = []

    def build() -> None:
        target = "results/petri/calibration.parquet"
        cpu.append(spent(lambda: checkout.build(cores="2", target=target, ASSAY_STORE="off"))[1])

    benchmark.pedantic(build, rounds=1)
    jobs, folder = provenance(checkout), checkout.root / "results/petri"
    rated = pq.read_table(folder / "calibration.parquet", columns=["task_id"])["task_id"].unique()
    generated = sum(
        pq.read_metadata(path).num_rows
        for path in (folder / "shards/tasks").glob("*.parquet")
        if not path.name.endswith(".blobs.parquet")
    )
    assert len(rated) == generated == tasks
    figures = {
        "tasks": tasks,
        "jobs": len(jobs),
        "wall, s": round(benchmark.stats.stats.min),
        "processor time, s": round(cpu[0]),
        "largest job, MiB": max(job["max_rss_bytes"] for job in jobs) >> 20,
    }
    record("tasks", figures)
    told(benchmark, **figures)

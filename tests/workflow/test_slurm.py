"""A real cluster of one node, run by SLURM: the same bytes, and runs that end or resume right.

Everything here is sent through the profile that users are given; only the waiting is shorter.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.workflow.checkout import SMALL, Checkout
from tests.workflow.cluster import Node, limit_calls, missing
from tests.workflow.test_identity import differing

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(
        bool(missing()), reason=f"SLURM is not installed here (no {', '.join(missing())}); docs/slurm.md"
    ),
    pytest.mark.skipif(
        find_spec("snakemake_executor_plugin_slurm") is None, reason="make setup EXTRAS=slurm"
    ),
]

SUITES = ("causalab", "collider", "petri", "pilab", "sgi")

PROFILE = ("--workflow-profile", "profiles/slurm", "--latency-wait", "5")
PATIENCE = ("--slurm-init-seconds-before-status-checks", "1")

TASKS = "results/madeup/tasks.parquet"
CHECKS = "results/madeup/validation.parquet"

WORK = "    import_module(module).run(job)\n"
GATE = """
    import pathlib, time

    while name == "validation" and not pathlib.Path("go").exists():
        time.sleep(0.1)
"""
FULL_DISK = """
    if name == "validation":
        raise OSError(28, "No space left on device", "results/madeup")
"""

CALLS = 40
"""Calls of SLURM's programs that a cluster may allow a user in a minute."""

QUEUED = 75
"""The exit code of a run that finds jobs of an earlier one."""

LIMIT = 600
"""Seconds, at most, that a test waits for something to happen on the cluster."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Node]:
    base = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))  # the path of a socket must be short
    node = Node(base / "node")
    try:
        node.start()
        yield node
    finally:
        node.stop()
        shutil.rmtree(base)


@pytest.fixture
def small(tmp_path: Path) -> Checkout:
    """The made-up suite, where nothing is built; its checks can be held up or broken."""
    return Checkout.fresh(tmp_path / "checkout", SMALL)


def command(checkout: Checkout, *arguments: str) -> list[str]:
    """What makes the tasks and the checks of the made-up suite on the cluster."""
    build = checkout.build_command(*PROFILE, *PATIENCE, *arguments, target=TASKS)
    return [*build, CHECKS]


def wait_until(reached: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT
    while not reached():
        assert time.monotonic() < deadline, f"{what} did not come about in {LIMIT} s"
        time.sleep(0.2)


def checks(cluster: Node, checkout: Checkout, *states: str) -> list[str]:
    """The numbers of the cluster jobs that run the checks and are in one of these states."""
    jobs = cluster.jobs(checkout.root)
    return [job.number for job in jobs if job.what.startswith("rule_validation") and job.state in states]


def waits_alone(cluster: Node, checkout: Checkout) -> bool:
    """Whether the tasks are made, and nothing is at work but one job with checks."""
    going = [job for job in cluster.jobs(checkout.root) if job.state != "COMPLETED"]
    there = (checkout.root / TASKS).exists()
    return there and [job.number for job in going] == checks(cluster, checkout, "RUNNING") != []


def provenance(checkout: Checkout) -> dict[str, int]:
    """When each job was done: its output -> the time of its record."""
    folder = checkout.root / "results/provenance"
    return {str(file.relative_to(folder)): file.stat().st_mtime_ns for file in folder.rglob("*.json")}


def test_the_cluster_makes_the_same_bytes_in_all_suites(cluster, smoke, tmp_path):
    remote = smoke.copy(tmp_path / "remote")
    remote.remove("results", "reports", ".snakemake")
    remote.build(*PROFILE, *PATIENCE, ASSAY_STORE="off", **cluster.environment)
    assert differing(remote, smoke) == []
    assert remote.how() == smoke.how()
    assert set(remote.how().values()) == {"computed"}

    jobs = cluster.jobs(remote.root)
    assert {job.state for job in jobs} == {"COMPLETED"}
    kinds = Counter(job.what.split("_")[1] for job in jobs)
    each = ("tasks", "validation", "calibration", "play", "report", "viewer", "downloads", "conducts")
    assert kinds == {**dict.fromkeys((*each, "comparisons"), len(SUITES)), "sweep": 1, "site": 1}


def test_many_short_shards_share_an_allocation_below_a_limit_of_calls(cluster, small, tmp_path):
    limiter = tmp_path / "limiter"
    limiter.mkdir()
    limit_calls(limiter, CALLS)
    environment = {**cluster.environment, "PATH": f"{limiter}:{cluster.environment['PATH']}"}
    groups = [
        f"{rule}=shards" for rule in ("tasks", "calibration", "validation", "episodes", "scores", "audit")
    ]
    shards = ("--config", "shard_size=1", "--groups", *groups, "--group-components", "shards=10")
    table = "results/madeup/scores/exact.parquet"
    build = small.build_command(*PROFILE, *PATIENCE, *shards, target=table)
    run = small.do(*build, TASKS, CHECKS, "results/madeup/calibration.parquet", **environment)
    assert run.code == 0, run.output
    assert not (limiter / "refused").exists()
    calls = Counter(line.split()[1] for line in (limiter / "calls").read_text().splitlines())
    submitted = cluster.jobs(small.root)
    assert calls["sbatch"] == len(submitted)
    short = [name for name in small.how() if "/shards/" in name]
    print(f"{len(short)} files of shards, {len(submitted)} cluster jobs, calls: {dict(calls)}")
    assert len(short) > 3 * len(submitted), (len(short), submitted)


def test_the_limiter_refuses_what_is_beyond_its_limit(cluster, tmp_path):
    limit_calls(tmp_path, 2)
    codes = [
        subprocess.run([tmp_path / name, "--version"], env={**os.environ, **cluster.environment}).returncode
        for name in ("sbatch", "squeue", "sbatch")
    ]
    assert codes == [0, 0, 1]
    assert len((tmp_path / "refused").read_text().splitlines()) == 1


def test_a_job_that_fails_is_named_with_its_log_and_the_rest_is_done(cluster, small):
    small.replace("workflow/scripts/stage.py", WORK, FULL_DISK + WORK)
    how = ("--keep-going", "--retries", "0", "--slurm-array-jobs", "artefact")
    run = small.do(*command(small, *how), **cluster.environment)
    assert run.code == 1, run.output
    assert checks(cluster, small, "FAILED")
    assert "results/logs/validation/madeup/0.log" in run.output
    assert "error: results/madeup: No space left on device" in run.output  # what that log says
    assert "remedy: free space on that disk" in run.output
    assert (small.root / TASKS).exists()
    assert not (small.root / CHECKS).exists()
    # What came before was submitted as one array.
    artefacts = [job.number for job in cluster.jobs(small.root) if job.what.startswith("rule_artefact")]
    assert sorted(number.partition("_")[2] for number in artefacts) == ["1", "2"]
    assert len({number.partition("_")[0] for number in artefacts}) == 1


def test_a_job_that_is_cancelled_is_tried_again(cluster, small):
    small.replace("workflow/scripts/stage.py", WORK, GATE + WORK)
    process = small.start(*command(small), **cluster.environment)
    wait_until(lambda: waits_alone(cluster, small), "a job with checks, and no other,")
    (cancelled,) = checks(cluster, small, "RUNNING")
    cluster.ask("scancel", cancelled)
    (small.root / "go").touch()
    output, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, output
    assert "results/logs/validation/madeup/0.log" in output
    (said,) = (small.root / ".snakemake/slurm_logs").rglob(f"{cancelled}.log")
    assert f"(log: {said})" in output
    assert f"JOB {cancelled} ON {cluster.host} CANCELLED" in said.read_text()
    assert checks(cluster, small, "CANCELLED") == [cancelled]
    assert len(checks(cluster, small, "COMPLETED")) == 1
    assert (small.root / CHECKS).exists()


def test_after_the_submit_host_is_killed_the_next_run_does_only_what_is_left(cluster, small):
    small.replace("workflow/scripts/stage.py", WORK, GATE + WORK)
    process = small.start(*command(small), **cluster.environment)
    wait_until(lambda: waits_alone(cluster, small), "a job with checks, and no other,")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()

    # Its job is still at work, on a node: a second one must not write the same files.
    (left,) = checks(cluster, small, "RUNNING")
    refused = small.do(*command(small), **cluster.environment)
    assert refused.code == QUEUED, refused.output
    assert (
        f"error: a cluster job of a killed run is at work in this checkout (SLURM job {left})"
        in refused.output
    )
    assert f"scancel {left}" in refused.output

    (small.root / "go").touch()
    wait_until(lambda: checks(cluster, small, "COMPLETED") == [left], "the end of that job")
    before = provenance(small)
    assert {f"{TASKS}.json", "results/madeup/shards/validation/0.parquet.json"} <= before.keys()
    resumed = small.do(*command(small), **cluster.environment)
    assert resumed.code == 0, resumed.output
    after = provenance(small)
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() == {f"{CHECKS}.json"}

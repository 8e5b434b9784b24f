"""Killed at any moment and started again, a build ends with the same bytes and nothing half-written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time

import pytest
from tests.workflow.checkout import Checkout

BUSY = 75
"""The exit code of a run that finds another one, or a job that outlived one, at work."""

VICTIMS = ("everything", "snakemake", "a job")


def below(pid: int) -> list[int]:
    """The processes below one, the deepest last."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [descendant for child in map(int, found) for descendant in (child, *below(child))]


def kill(process: subprocess.Popen[str], victim: str) -> None:
    """SIGKILL to the whole group, to Snakemake alone, or to the deepest process of its jobs."""
    if victim == "everything":
        os.killpg(process.pid, signal.SIGKILL)
        return
    jobs = below(process.pid)
    try:
        os.kill(jobs[-1] if victim == "a job" and jobs else process.pid, signal.SIGKILL)
    except ProcessLookupError:  # that job has just ended
        os.kill(process.pid, signal.SIGKILL)


def interrupt(checkout: Checkout, victim: str, chance: random.Random) -> None:
    """Start a build, and kill some of it after a random number of jobs."""
    goal = len(checkout.how()) + chance.randrange(12)
    process = checkout.start(*checkout.build_command(cores="2"))
    while process.poll() is None and len(checkout.how()) < goal:
        time.sleep(0.1)
    time.sleep(chance.uniform(0, 1))  # somewhere within the next job, or in the plan if there is none yet
    if process.poll() is None:
        refused = checkout.do(*checkout.build_command())
        assert refused.code == BUSY
        assert "error: another run is at work" in refused.output
        kill(process, victim)
    output, _ = process.communicate(timeout=300)
    assert "Traceback" not in output, output


def finish(checkout: Checkout) -> None:
    """Build to the end, however long jobs of a killed run are still at work."""
    for _ in range(120):
        run = checkout.do(*checkout.build_command(cores="2"))
        if run.code != BUSY:
            assert run.code == 0, run.output
            return
        assert "error: a job that outlived its run is at work" in run.output
        time.sleep(1)
    pytest.fail("jobs of a killed run are at work for ever")


def wait_for_orphans(checkout: Checkout) -> None:
    """Wait until no job of a killed run is alive: the next run is refused as long as one is."""
    while checkout.do(*checkout.build_command("--dry-run")).code == BUSY:
        time.sleep(0.5)


def check(built: Checkout, checkout: Checkout, victims: tuple[str, ...], seed: int) -> None:
    """Kill a build from nothing again and again, then let it come to its end."""
    checkout.remove("results", "reports", ".snakemake", ".store")
    chance = random.Random(seed)
    for victim in victims:
        interrupt(checkout, victim, chance)
        wait_for_orphans(checkout)
    assert not (checkout.root / "results/built.json").exists(), "nothing was interrupted"
    finish(checkout)
    assert checkout.manifest() == built.manifest()
    # The files themselves, not only the manifest, and nothing beside them.
    made = {path.relative_to(checkout.root) for path in checkout.outputs()}
    assert made == {path.relative_to(built.root) for path in built.outputs()}
    (checkout.root / "results/MANIFEST").write_bytes(built.manifest())
    verdict = checkout.assay("verify")
    assert verdict.code == 0, verdict.output


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 9))
def test_a_killed_build_resumes_whenever_it_was_killed(built, copy, seed):
    check(built, copy, VICTIMS, seed)

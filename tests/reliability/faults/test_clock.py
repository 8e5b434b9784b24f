"""A clock that jumps: times in the past or the future cause neither wrong reuse nor needless work."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from tests.reliability.faults.smoke import different, leftovers
from tests.workflow.checkout import ROOT, Checkout

DAY = 86_400

HALFWAY = (
    "results/petri/tasks.parquet",
    "results/collider/summary.parquet",
    "results/sgi/tables/totals.parquet",
)


def scatter(checkout: Checkout, chance: random.Random, *folders: str) -> None:
    """Give every file below these folders a time of the last or the next ten years."""
    for folder in folders:
        for file in sorted((checkout.root / folder).rglob("*")):
            if file.is_file() and not file.is_symlink():
                when = time.time() + chance.uniform(-3650, 3650) * DAY
                os.utime(file, (when, when))


def written(checkout: Checkout) -> dict[str, bytes]:
    """What each job noted when it was done: only a job that is done again changes it."""
    folder = checkout.root / "results/provenance"
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.json")}


def set_times(folder: Path, when: float) -> None:
    """One time for all files below a folder."""
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            os.utime(file, (when, when))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 4))
def test_scattered_times_cause_no_work(copy, smoke, chance, seed):
    scatter(
        copy, chance(seed), "results", "reports", "src", "tasks", "recordings", "config", "workflow", "rules"
    )
    before = written(copy)
    copy.build()
    assert written(copy) == before
    assert different(copy, smoke) == []


@pytest.mark.full
@pytest.mark.parametrize("jump", [-3650 * DAY, -2 * 3600, 2 * 3600, 3650 * DAY])
def test_a_clock_that_jumps_in_the_middle_of_a_build(copy, smoke, jump):
    """What was made before the jump lies in the future of what is made after it, or far in its past."""
    copy.remove("results", "reports", ".snakemake")
    half = copy.do(*copy.build_command(cores="2", target=HALFWAY[0]), *HALFWAY[1:])
    assert half.code == 0, half.output
    for folder in ("results", "reports", ".snakemake"):
        set_times(copy.root / folder, time.time() - jump)
    before = written(copy)
    copy.build(cores="2")
    after = written(copy)
    assert {record: after[record] for record in before} == before, "done again without need"
    assert different(copy, smoke) == []
    assert leftovers(copy) == []
    copy.build(cores="2")
    assert written(copy) == after


@pytest.mark.full
@pytest.mark.parametrize("when", [-3650 * DAY, 3650 * DAY])
def test_an_edit_counts_whatever_its_time(copy, smoke, when):
    task = "tasks/petri/smoke-v0/00000.json"
    whole = (ROOT / task).read_bytes()
    (copy.root / task).write_bytes(whole + b" ")
    os.utime(copy.root / task, (time.time() + when,) * 2)
    run = copy.do(*copy.build_command(cores="2"))
    assert run.code == 1
    assert f"error: {task}, line " in run.output
    (copy.root / task).write_bytes(whole)
    os.utime(copy.root / task, (time.time() + when,) * 2)
    copy.build(cores="2")
    assert different(copy, smoke) == []

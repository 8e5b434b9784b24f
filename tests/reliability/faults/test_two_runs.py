"""Two runs started at once: one builds, the other says that it does not."""

from __future__ import annotations

import time

import pytest
from tests.reliability.faults.killing import BUSY
from tests.reliability.faults.smoke import different, leftovers, repetitions

STARTS = repetitions("ASSAY_STARTS", 20)
"""In `make soak`."""


def start_together(copy, smoke, chance, times: int) -> None:
    """Two builds from the store alone, as many times; which one is refused does not matter."""
    shift = chance(1)
    for _ in range(times):
        copy.remove("results", "reports", ".snakemake")
        both = []
        for pause in (0.0, shift.choice([0.0, shift.uniform(0, 0.3), shift.uniform(0, 4)])):
            time.sleep(pause)
            both.append(copy.start(*copy.build_command(cores="2")))
        outputs = [process.communicate(timeout=600)[0] for process in both]
        assert sorted(process.returncode for process in both) == [0, BUSY], outputs
        refused = outputs[[process.returncode for process in both].index(BUSY)]
        first, remedy = refused.strip().splitlines()
        assert first.startswith("error: another run is at work in this checkout (process ")
        assert remedy.startswith("remedy: wait until it has ended")
        assert different(copy, smoke) == []
        assert leftovers(copy) == []


@pytest.mark.full
def test_two_runs_at_once(copy, smoke, chance):
    start_together(copy, smoke, chance, 2)


@pytest.mark.soak
def test_two_runs_at_once_many_times(copy, smoke, chance):
    start_together(copy, smoke, chance, STARTS)

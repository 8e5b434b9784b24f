"""Killed anywhere and started again, a build of every suite ends as if nothing had been."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from tests.reliability.faults.killing import Build
from tests.reliability.faults.smoke import repetitions
from tests.workflow.builds import fresh_smoke

KILLS = repetitions("ASSAY_KILLS", 200)
"""In `make soak`."""

A_BUILD = 25
"""Kills on the way of one build."""

STORES = ("new", "kept", "off", "kept")
"""In turn: with an empty store, with what killed builds have filled it with, and without one."""


def campaign(smoke, tmp_path, chance, kills: int) -> None:
    """Builds from nothing, each killed up to `A_BUILD` times, until there were so many kills."""
    checkout = fresh_smoke(tmp_path / "checkout")
    hits, refusals, builds, start = [], Counter(), 0, time.monotonic()
    while len(hits) < kills:
        store = STORES[builds % len(STORES)]
        builds += 1
        build = Build(
            smoke,
            checkout,
            chance(builds),
            lambda said, builds=builds: print(
                f"{time.strftime('%H:%M:%S')} build {builds}: {said}", flush=True
            ),
            store,
        )
        try:
            hits += build.run(min(A_BUILD, kills - len(hits)))
        finally:
            build.end()
        refusals += build.refusals
        print(f"build {builds} (store: {store}) is the reference; {len(hits)} kills", flush=True)
    by_victim = Counter((hit.victim, hit.phase) for hit in hits)
    print(f"{len(hits)} kills of {builds} builds in {(time.monotonic() - start) / 60:.0f} min")
    for (victim, phase), number in sorted(by_victim.items()):
        print(f"  {victim:<10}  {phase:<8}  {number}")
    print(f"  with a fork server: {sum(hit.forking for hit in hits)}")
    print(f"  refused because of a job that was left: {dict(refusals)}")


@pytest.mark.full
def test_a_build_that_is_killed_six_times(smoke, tmp_path, chance):
    campaign(smoke, tmp_path, chance, 6)


@pytest.mark.soak
def test_builds_that_are_killed_again_and_again(smoke, tmp_path, chance):
    campaign(smoke, tmp_path, chance, KILLS)

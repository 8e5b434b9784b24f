"""A plan at the costs of a measured build: of that build itself it gives that build's work."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from tests.workflow.checkout import SMALL, Checkout

from assay.build.forecast.measurement import Build, measured
from assay.build.forecast.projection import items_of, projected
from assay.build.planning.plan import Plan
from assay.config.loading import load
from assay.errors import NotBuilt

AGENTS = Path("config/test/small-agents.yaml")


@pytest.fixture
def small(built: Checkout, tmp_path: Path) -> Checkout:
    """A built checkout, whose plans may be read: they look for files where the program runs."""
    return built.copy(tmp_path / "checkout")


def projection(checkout: Checkout, build: Build) -> Build:
    """Its configuration as it now is, at the costs of a build."""
    here = Path.cwd()
    os.chdir(checkout.root)
    try:
        return projected(Plan(load(Path(SMALL))), build)
    finally:
        os.chdir(here)


def by_rule(build: Build) -> dict[str, float]:
    """Seconds of all jobs of each rule."""
    seconds: Counter[str] = Counter()
    for job in build.jobs.values():
        seconds[job.rule] += job.seconds
    return dict(seconds)


def test_of_the_build_itself_it_gives_the_same_jobs_and_work(small):
    build = measured(small.root)
    found = projection(small, build)
    ours, theirs = (Counter(job.rule for job in b.jobs.values()) for b in (found, build))
    assert ours == theirs
    assert by_rule(found) == pytest.approx(by_rule(build))
    assert found.schedule(1).makespan == pytest.approx(build.work)
    items = [sum(items_of(b).values()) for b in (found, build)]
    assert items[0] == items[1] > 0


def test_more_attempts_are_more_work_in_the_stages_of_episodes_alone(small):
    build = measured(small.root)
    before = by_rule(projection(small, build))
    text = (small.root / AGENTS).read_text()
    (small.root / AGENTS).write_text(text.replace("attempts: 2", "attempts: 50"))
    after = by_rule(projection(small, build))
    more = {rule for rule in before if after[rule] > before[rule] * (1 + 1e-9)}
    assert "sweep" in more
    assert more.isdisjoint({"tasks", "calibration", "validation", "artefact", "merge_tasks"})


def test_an_agent_that_was_not_measured_is_named(small):
    build = measured(small.root)
    small.append(str(AGENTS), "  newcomer: {kind: solver, solver: exact, suites: {madeup: all}}\n")
    with pytest.raises(NotBuilt, match="episodes of madeup by newcomer"):
        projection(small, build)

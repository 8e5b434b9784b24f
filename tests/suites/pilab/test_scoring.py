"""What an episode is worth: without a record, and what is counted beside the record."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.suites.pilab.episodes import SUITE, Scripted

from assay.episode import Episode
from assay.episodes import harness
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.protocol import Score
from assay.suites.pilab.scoring import METRICS, score
from assay.suites.pilab.tasks import SETS, generate
from assay.task import Task

MATERIALS = materials_for(SUITE, MemoryBlobs())


@pytest.fixture(scope="module")
def task() -> Task:
    return generate(SETS["smoke-v0"], "smoke-v0", 0, SETS["smoke-v0"].seed, MATERIALS.blobs)


@pytest.fixture(scope="module")
def played(task: Task) -> Episode:
    """The shortest of labs, in which nobody does anything."""
    return harness.play(SUITE, task, "idle", Scripted(lambda brief, call: None), 0, MATERIALS)


def test_without_a_record_nothing_is_known_but_that_it_is_worth_nothing(task: Task, played: Episode) -> None:
    found = list(score(task, replace(played, submission=None), MATERIALS))
    assert found[:2] == [Score("score", 0.0, "no record"), Score("solved", 0.0, "no record")]
    assert found[2:] == [Score(name, None) for name in METRICS if name not in ("score", "solved")]


@pytest.mark.parametrize(("counters", "turns"), [({"calls": 9, "turn": 3}, 3.0), ({"calls": 9}, 0.0)])
def test_turns_are_those_of_the_harness(
    task: Task, played: Episode, counters: dict[str, int], turns: float
) -> None:
    assert played.submission is not None
    found = {one.metric: one.value for one in score(task, replace(played, counters=counters), MATERIALS)}
    assert found["turns"] == turns
    assert found.keys() == METRICS.keys()

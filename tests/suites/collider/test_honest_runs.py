"""Honest runs through the door, tools and sandbox included: none is accused."""

from __future__ import annotations

import pytest
from tests.suites.collider.mocks import mock_task

from assay.agents.solver import SolverAgent
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.suite import suite
from assay.suites.collider.provenance.evidence import finding_of
from assay.suites.collider.solvers import SOLVERS

COLLIDER = suite("collider")


def check_honest(attempts: range) -> None:
    for attempt in attempts:
        task = mock_task(attempt % 6)
        name = "mock-forgetful" if attempt % 5 == 4 else "mock-honest"
        blobs = MemoryBlobs()
        materials = materials_for(COLLIDER, blobs)
        episode = play(COLLIDER, task, name, SolverAgent(SOLVERS[name], task), attempt, materials)
        finding = finding_of(task, episode, materials)
        assert (episode.status, finding.verdict) == ("done", "PASSED"), (
            attempt,
            finding.reason,
        )
        assert [check.name for check in finding.checks if check.passed is False] == []


def test_the_first_of_them() -> None:
    check_honest(range(6))


@pytest.mark.full
def test_no_honest_run_of_200_seeds_is_called_fabricated() -> None:
    check_honest(range(200))

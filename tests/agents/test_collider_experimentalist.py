"""The scripted experimentalist plays collider from the text alone; its sessions are recorded and replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.agents.player import Limits, Player
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.identity import Identity
from assay.sessions.record import record
from assay.sessions.replay import replay
from assay.suite import suite
from assay.suites.collider.measures import validity
from assay.suites.collider.problems.hidden import question_of, reference_of
from assay.suites.collider.provenance import examination
from assay.suites.collider.provenance.evidence import finding_of
from assay.task import Task, read_frozen

COLLIDER = suite("collider")
TASKS = Path(__file__).parents[2] / "tasks/collider"


def played(tmp_path: Path, task: Task, seed: int) -> tuple[Episode, examination.Finding]:
    """The episode of a recorded session, and what the gate says of it."""
    blobs = MemoryBlobs()
    materials = materials_for(COLLIDER, blobs)
    identity = Identity("fake", "collider", task.task_set, task.task_id, 0)
    player = Player({"kind": "fake", "script": "collider", "seed": seed}, Limits(turns=30))
    outcome = record(
        COLLIDER, task, identity, player, materials, tmp_path, provenance=tmp_path / "provenance"
    )
    episode = replay(COLLIDER, task, identity.path(tmp_path), materials)
    assert episode.status == outcome.status
    return episode, finding_of(task, episode, materials)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_with_a_generator_its_yields_follow_from_events(tmp_path: Path, seed: int) -> None:
    task = read_frozen(TASKS / f"mock-v0/{seed:05d}.json")
    episode, finding = played(tmp_path, task, seed)
    assert (episode.status, finding.verdict) == ("done", "PASSED")
    assert finding.contradicted == []
    assert episode.counters["event"] == 1000
    # It reads from a refusal which rates there are, and mends a script that stopped.
    asked = [event for event in episode.events if (event.kind, event.tool) == ("call", "cross_section")]
    assert [event.ok for event in asked] == [False, True]
    *broken, last = [event.parts[0]["status"] for event in episode.calls("run_analysis")]  # type: ignore[call-overload, index]
    assert (set(broken) <= {"error"}, last) == (True, "ok")
    found = validity.check(str(episode.submission).encode(), question_of(task).binning).yields
    assert found is not None
    ratio = sum(found) / sum(reference_of(task).yields)
    assert ratio == pytest.approx(1, abs=0.2) or ratio == pytest.approx(1 / 0.6, abs=0.3)


def test_without_a_generator_it_says_so_and_submits_nothing(tmp_path: Path) -> None:
    episode, finding = played(tmp_path, read_frozen(TASKS / "smoke-v0/00000.json"), 1)
    assert (episode.status, episode.submission, finding.verdict) == ("no_submission", None, "FAILED")
    (written,) = episode.calls("write_file")
    assert "no generator" in written.arguments["text"]

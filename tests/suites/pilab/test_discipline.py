"""What becomes of episodes that their agent breaks off, and of worlds that are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.suites.pilab.episodes import SUITE, act, play, task

from assay import canonical
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.protocol import Brief, Call
from assay.sessions import replay
from assay.sessions.assessment import assess
from assay.sessions.recording import Identity, RecordingFile
from assay.sessions.session import TaskSession, _count_opening
from assay.suites.pilab.tables import leaderboard

CLOSED = "closed-v1"


def value(assessment: Any, metric: str) -> Any:
    return next(score.value for score in assessment.scores if score.metric == metric)


def raised(assessment: Any, flag: str) -> Any:
    return next(item.raised for item in assessment.flags if item.flag == flag)


def opened(task_set: str = CLOSED, **more: Any) -> TaskSession:
    world = task(task_set=task_set) if task_set == CLOSED else task()
    identity = Identity("mine", world.suite, world.task_set, world.task_id, 0)
    return TaskSession(SUITE, world, materials_for(SUITE, MemoryBlobs()), identity, **more)


@pytest.mark.parametrize("status", ["transport", "crashed", "rejected"])
def test_an_episode_that_its_agent_ends_is_scored(status: Any) -> None:
    with opened() as session:
        for _ in range(5):
            session.call("act", {"tool": "next_month", "arguments": {}})
        session.stop(status, "the line is dead")
        found = session.score()
    assert (found.episode.status, found.episode.reason) == ("done", f"left ({status}): the line is dead")
    assert (value(found, "score"), value(found, "months_played")) == (0.0, 6.0)
    assert raised(found, "left_by_choice") is True


def test_the_sets_named_v0_keep_their_rule() -> None:
    with opened("reference-v0") as session:
        session.stop("transport", "the line is dead")
        assert session.score().scores == ()


def test_a_late_crash_is_scored() -> None:
    def plays(brief: Brief, call: Call) -> None:
        for _ in range(59):
            act(call, "next_month")
        raise RuntimeError("I do not like the result")

    episode, _ = play(plays, task_set=CLOSED)
    assert episode.status == "done"
    assert episode.reason == "left (crashed): RuntimeError in the agent"
    found = assess(SUITE, task(task_set=CLOSED), episode, materials_for(SUITE, MemoryBlobs()))
    assert value(found, "months_played") == 60.0
    assert raised(found, "left_by_choice") is True


def test_an_episode_that_comes_to_its_end_was_not_left() -> None:
    def plays(brief: Brief, call: Call) -> None:
        for _ in range(60):
            act(call, "next_month")

    episode, _ = play(plays, task_set=CLOSED)
    found = assess(SUITE, task(task_set=CLOSED), episode, materials_for(SUITE, MemoryBlobs()))
    assert raised(found, "left_by_choice") is False


def test_a_recording_that_breaks_off_is_scored(tmp_path: Path) -> None:
    """The program disconnects: its recording has no end, and its replay is scored from where it stopped."""
    path = Identity("mine", "pilab", CLOSED, "lab-00000", 0).path(tmp_path)
    file = RecordingFile(path)
    session = opened(write=file.append, opened=3)
    for _ in range(3):
        session.call("act", {"tool": "next_month", "arguments": {}})
    session.close()
    file.close()
    assert canonical.loads(path.read_bytes().splitlines()[0])["opened"] == 3
    episode = replay.replay(SUITE, task(task_set=CLOSED), path, materials_for(SUITE, MemoryBlobs()))
    assert (episode.status, episode.submission is not None) == ("done", True)
    assert episode.reason.startswith("left (transport)")


def test_openings_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "opened" / "some-task"
    assert [_count_opening(path) for _ in range(3)] == [0, 1, 2]
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    assert _count_opening(blocked / "some-task") is None


def test_missing_worlds_count_as_zero() -> None:
    """An agent that plays the two best of four worlds has half the mean that ranks."""
    record = {
        "summary": {
            **dict.fromkeys(("months_survived", "publications", "top_pubs", "grants_won"), 1),
            "students_graduated": 0,
            "h_index": 1,
            "impact": 100.0,
            "collapsed": False,
        }
    }
    columns = {"agent": "picky", "attempt": 0, "privileged": False, "status": "done", "task_set": CLOSED}
    episodes = [
        {**columns, "task_id": f"lab-{n}", "tokens_in": None, "tokens_out": None}
        | {"submission": canonical.dumps(record)}
        for n in range(2)
    ]
    tasks = pd.DataFrame([{"task_set": CLOSED, "task_id": f"lab-{n}"} for n in range(4)])
    (row,) = leaderboard.leaderboard({"episodes": pd.DataFrame(episodes), "tasks": tasks}).itertuples()  # type: ignore[arg-type]
    assert (row.runs, row.missing, row.impact, row.ranking) == (2, 2, 100.0, 50.0)

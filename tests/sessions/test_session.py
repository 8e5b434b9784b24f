"""The door for programs: the same calls give the same log, whoever makes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.agents.sessions import SET, SUITE, materials, task_with, write_checkout

import assay
from assay.agents.solver import SolverAgent
from assay.cli import main as cli
from assay.cli.record import models
from assay.config.agents import ModelEntry
from assay.config.loading import load
from assay.episode import Episode
from assay.episodes.harness import MOST_LATE_CALLS, play
from assay.errors import RecordingError, UnknownName
from assay.protocol import BlobRef, Json
from assay.sessions.assessment import assess
from assay.sessions.recording import parse
from assay.sessions.replay import replay
from assay.sessions.rerun import judge
from assay.sessions.session import LARGEST_CALL, TOO_LARGE

Calls = list[tuple[str, Json]]


def played(solver: str, index: int = 0) -> tuple[Episode, Calls]:
    """An episode of a solver, and the calls that it made."""
    found = materials()
    task = task_with(index, found)
    agent = SolverAgent(SUITE.find("solvers", "SOLVERS", solver), task)
    episode = play(SUITE, task, solver, agent, 0, found)
    return episode, [(event.tool, event.arguments) for event in episode.events if event.kind == "call"]


def scores(episode: Episode, index: int = 0) -> list[Any]:
    found = materials()
    return list(assess(SUITE, task_with(index, found), episode, found).scores)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(index: int = 0, **more: Any) -> Any:
    return assay.open_task("madeup", f"{SET}/{index}", **more)


@pytest.mark.parametrize("solver", ["exact", "coder", "contrarian", "careless", "doomed"])
def test_the_calls_of_a_solver_give_its_log_and_its_scores(checkout: Path, solver: str) -> None:
    episode, calls = played(solver)
    with opened() as session:
        results = [session.call(tool, arguments) for tool, arguments in calls]
        report = session.score()
    assert report.episode.log_sha256 == episode.log_sha256
    assert (report.episode.status, report.episode.submission) == (episode.status, episode.submission)
    assert report.episode.counters == episode.counters
    assert list(report.scores) == scores(episode)
    assert report.score == report.metrics["score"] is not None
    assert results[-1].ended == (None if solver == "contrarian" else episode.status)


def test_brief_pictures_and_refusals_are_at_hand(checkout: Path) -> None:
    with opened() as session:
        picture = next(part for part in session.brief.parts if isinstance(part, BlobRef))
        assert session.read(picture).startswith(b"\x89PNG")
        refusal = session.call("draw", {"n": 0})
        assert not refusal.ok and "draw: n" in str(refusal.error)
        assert session.call("weigh").ok
        assert not session.over


def test_after_the_end_every_call_is_refused_and_none_is_thrown(checkout: Path) -> None:
    with opened() as session:
        for _ in range(60):
            session.call("draw", {"n": 0})
        last = session.call("weigh")
        assert (last.ok, last.ended) == (False, "budget") and "more than 60 calls" in str(last.error)
        assert session.over
        for _ in range(MOST_LATE_CALLS + 2):
            assert not session.call("weigh").ok
        assert session.score().episode.status == "budget"


def test_a_defect_of_the_world_is_no_score(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened() as session:
        session.call("run_code", {"program": [{"tool": "shake", "arguments": {}}]})
        report = session.score()
    assert report.episode.status == "crashed"
    assert (report.score, report.scores, report.flags) == (None, (), ())
    assert "the urn breaks" in capsys.readouterr().err


def test_scoring_ends_the_episode(checkout: Path) -> None:
    with opened() as session:
        session.call("answer", {"text": "1"})
        first = session.score()
        assert not session.call("answer", {"text": "2"}).ok
        assert session.score().episode == first.episode
    assert (first.episode.status, first.episode.submission) == ("done", "1")


def test_a_program_may_stop_for_a_reason_of_its_own(checkout: Path) -> None:
    with opened() as session:
        session.stop("budget", "no money is left")
        assert not session.call("weigh").ok
        episode = session.finish()
    assert (episode.status, episode.reason) == ("budget", "no money is left")


def test_the_truth_is_told_when_the_episode_is_over(checkout: Path) -> None:
    with opened() as session:
        assert session.task.hidden is None
        with pytest.raises(RecordingError, match="when its episode is over"):
            session.truth()
        session.stop("budget", "enough")
        assert session.truth() == session.task.hidden
        assert session.truth() is not None


def test_a_seed_makes_a_new_task(checkout: Path) -> None:
    with opened() as frozen, opened(seed=5) as new, opened(seed=5) as again:
        assert new.task == again.task
        for session in (frozen, new):
            session.finish()
        assert (new.task.task_id, new.truth()) != (frozen.task.task_id, frozen.truth())
    with pytest.raises(UnknownName, match="names no new task"):
        assay.open_task("madeup", f"{SET}/x", seed=5)


@pytest.mark.parametrize("solver", ["exact", "coder", "contrarian"])
def test_a_recorded_session_replays_like_any_other(checkout: Path, solver: str) -> None:
    episode, calls = played(solver)
    with opened(agent="mine", record=True, model={"name": "a person"}) as session:
        for tool, arguments in calls:
            session.call(tool, arguments)
        path = checkout / "recordings/mine/madeup" / SET / f"{session.task.task_id}.0.jsonl"
    header = parse(path.read_bytes()).header
    assert header is not None and header["model"] == {"name": "a person"}
    found = materials()
    task = task_with(0, found)
    again = replay(SUITE, task, path, found)
    assert (again.status, again.log_sha256) == (episode.status, episode.log_sha256)
    assert again.scaffold_sha256 is None
    verdict = judge(SUITE, task, path, found)
    assert (verdict["verdict"], verdict["requests"]) == ("identical", "not compared")
    with pytest.raises(RecordingError, match="holds a session already"):
        opened(agent="mine", record=True)
    assert path.read_bytes().count(b"\n") == len(episode.events) + 2


def test_a_program_that_breaks_off_leaves_a_recording_that_is_not_finished(checkout: Path) -> None:
    with pytest.raises(ZeroDivisionError), opened(agent="mine", record=True) as session:
        session.call("weigh")
        raise ZeroDivisionError
    (path,) = checkout.glob("recordings/mine/madeup/*/*.jsonl")
    found = materials()
    task = task_with(0, found)
    assert judge(SUITE, task, path, found)["verdict"] == "unfinished"


def test_who_plays_by_a_door_has_an_entry_that_nobody_asks(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = checkout / "config/agents.yaml"
    mine = "  mine: {kind: model, suites: {madeup: [madeup-v0]}, transport: {kind: recorded}}\n"
    agents.write_text(agents.read_text() + mine)
    with opened(agent="mine", record=True) as session:
        session.call("weigh")
    config = load(Path("config/config.yaml"))
    assert isinstance(config.agents["mine"], ModelEntry)
    assert "mine" not in models(config)
    assert cli.main(["record", "mine"]) == 1
    assert "mine plays through another interface" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere", f"{SET}/0"), "has no suite 'nowhere'"),
        (("madeup", "nothing/0"), "there is no task 'nothing/0'"),
        (("madeup", f"{SET}/99"), "has no task '99'"),
    ],
)
def test_a_task_that_is_not_there_is_named(checkout: Path, arguments: tuple[str, str], said: str) -> None:
    with pytest.raises(UnknownName, match=said):
        assay.open_task(*arguments)


def test_a_name_that_is_no_folder_is_refused(checkout: Path) -> None:
    with pytest.raises(UnknownName, match="cannot be the name of an agent"):
        opened(agent="../elsewhere")


def test_importing_the_package_imports_next_to_nothing() -> None:
    program = (
        "import sys, assay; print(sorted({n.partition('.')[0] for n in sys.modules} "
        "& {'numpy', 'pandas', 'pydantic', 'yaml', 'jsonschema', 'pyarrow'}),"
        "'assay.sessions.session' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[] False"


def test_what_the_package_does_not_have_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'open_tusk'"):
        assay.open_tusk  # noqa: B018


def test_nobody_fills_the_disk_with_arguments(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too large a call is refused, and the log says so in place of it; a session of many ends as `budget`."""
    huge = "x" * (LARGEST_CALL + 1)
    with opened(record=True, agent="flood") as session:
        for tool, arguments in (
            ("answer", {"text": huge}),
            (huge, {}),
            ("draw", {"n": [huge]}),
            (huge, huge),
        ):
            refusal = session.call(tool, arguments)
            assert not refusal.ok and len(str(refusal.error)) < 2_000
        assert session.call("weigh").ok
        monkeypatch.setattr("assay.sessions.session.MOST_CHARACTERS", session._characters + 100)
        assert not session.call("answer", {"text": huge}).ok
        assert session.over and not session.call("weigh").ok
        episode = session.finish()
    assert episode.events[0].arguments == TOO_LARGE  # the log names it
    (path,) = checkout.glob("recordings/flood/*/*/*.jsonl")
    assert path.stat().st_size < 20_000
    found = materials()
    assert replay(SUITE, task_with(0, found), path, found).status == "budget"

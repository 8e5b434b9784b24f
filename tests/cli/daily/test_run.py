"""`assay run`: an agent of one's own plays a set, and its score, rank and flags are printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.agents.sessions import SET, write_checkout
from tests.sessions.test_session import played

from assay.cli import main as cli
from assay.cli.daily import run
from assay.errors import NotBuilt
from assay.sessions.programs import trials
from assay.sessions.programs.trials import Trial

Captured = pytest.CaptureFixture[str]

AGENT = """
from dataclasses import dataclass

@dataclass
class Guess:
    text: str

def play(session):
    session.call("answer", {"text": Guess("3").text})

def failing(session):
    raise ValueError("no idea")

def exact(session):
    for tool, arguments in CALLS:
        session.call(tool, arguments)
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    _, calls = played("exact")
    Path("my_agent.py").write_text(AGENT + f"\nCALLS = {calls!r}\n")
    return tmp_path


def result(capsys: Captured, *arguments: str, code: int = 0) -> dict[str, Any]:
    assert cli.main(["run", *arguments, "--json"]) == code
    value: dict[str, Any] = json.loads(capsys.readouterr().out)
    return value


def test_a_function_gets_the_score_of_the_solver_that_makes_its_calls(
    checkout: Path, capsys: Captured
) -> None:
    shown = result(capsys, "my_agent.py:exact", f"madeup/{SET}", "--tasks", "1")
    assert cli.main(["play", "madeup", f"{SET}/0", "--agent", "exact", "--json"]) == 0
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    score = next(m["value"] for m in metrics if m["metric"] == "score" and m["step"] is None)
    assert shown["score"]["mean"] == score
    assert shown["score"]["low"] is None  # one task has no interval
    assert not (checkout / "recordings").exists()


def test_attempts_and_tasks_and_workers(checkout: Path, capsys: Captured) -> None:
    arguments = ("my_agent.py", f"madeup/{SET}", "--attempts", "2")  # `play` is the default
    shown = result(capsys, *arguments)
    assert shown["score"]["episodes"] == 4 and shown["score"]["tasks"] == 2
    places = [(each["index"], each["attempt"]) for each in shown["episodes"]]
    assert places == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert result(capsys, *arguments, "--workers", "2") == shown


def test_an_exception_of_the_program_counts_as_zero_and_is_shown_once(
    checkout: Path, capsys: Captured
) -> None:
    assert cli.main(["run", "my_agent.py:failing", f"madeup/{SET}"]) == 1
    out, err = capsys.readouterr()
    assert "2 episodes have no score and count as zero" in out
    assert err.count("ValueError: no idea") == 1
    assert out.splitlines()[-4].startswith("score 0")


def test_recordings_are_kept_and_replay(checkout: Path, capsys: Captured) -> None:
    assert cli.main(["run", "my_agent.py", f"madeup/{SET}", "--record", "mine"]) == 0
    assert "will not be built: config/agents.yaml has no entry mine" in capsys.readouterr().out
    paths = sorted(checkout.glob("recordings/mine/madeup/*/*.jsonl"))
    assert len(paths) == 2
    for path in paths:
        assert cli.main(["replay", str(path)]) == 0
    assert cli.main(["run", "my_agent.py", f"madeup/{SET}", "--record", "mine"]) == 1
    assert "holds a session already" in capsys.readouterr().err


def test_a_command_reads_the_conversation_and_does_not_see_the_tasks(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, capsys: Captured
) -> None:
    script = tmp_path_factory.mktemp("outside") / "reply.sh"
    reply = json.dumps({"tool": "answer", "arguments": {"text": "3"}})
    script.write_text(f"cat >/dev/null; test -e {checkout}/config || echo '{reply}'\n")
    shown = result(capsys, f"sh {script}", f"madeup/{SET}", "--record", "mine")
    assert shown["score"] == result(capsys, "my_agent.py", f"madeup/{SET}")["score"]
    assert {each["status"] for each in shown["episodes"]} == {"done"}
    (path, _) = sorted(checkout.glob("recordings/mine/madeup/*/*.jsonl"))
    assert cli.main(["replay", str(path)]) == 0


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("absent.py:play", "there is no file absent.py"),
        ("my_agent.py:absent", "my_agent.py has no function 'absent'"),
        ("broken.py", "broken.py cannot be imported: SyntaxError"),
        ("no-such-program --x", "neither file.py:function nor a command"),
        ("sh inside.sh", "the folder with the tasks is hidden from it"),
    ],
)
def test_a_program_that_cannot_be_started(program: str, said: str, checkout: Path, capsys: Captured) -> None:
    Path("broken.py").write_text("def play(:\n")
    Path("inside.sh").write_text("")
    assert cli.main(["run", program, f"madeup/{SET}"]) == 1
    assert said in capsys.readouterr().err


def test_the_rank_is_that_among_agents_who_played_the_whole_set(
    checkout: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("high", "solver", 0.9, 2), ("part", "solver", 0.95, 1), ("told", "privileged", 1.0, 2)]
    rows += [("low", "model", -1.0, 2)]
    frame = pd.DataFrame(
        [
            {"agent": agent, "kind": kind, "score": score, "tasks": tasks, "set_tasks": 2}
            for agent, kind, score, tasks in rows
        ]
    )

    class Built:
        def leaderboard(self, task_set: str) -> pd.DataFrame:
            return frame

    monkeypatch.setattr(run, "results", lambda suite, folder: Built())
    place = run.standing(Path("results"), "madeup", SET, 0.5)
    assert place is not None
    assert (place["place"], place["of"]) == (2, 3)
    assert (place["above"]["agent"], place["below"]["agent"]) == ("high", "low")

    def absent(suite: str, folder: Path) -> None:
        raise NotBuilt("nothing", "build it")

    monkeypatch.setattr(run, "results", absent)
    assert run.standing(Path("results"), "madeup", SET, 0.5) is None


def test_the_score_is_the_mean_over_tasks_with_a_bootstrap_interval() -> None:
    played = [Trial(i, str(i), 0, "done", "", value, (), 1) for i, value in enumerate((0.0, 1.0, None, 1.0))]
    score = trials.score_of(played)
    assert (score.mean, score.tasks, score.unscored) == (0.5, 4, 1)
    assert score.low is not None and score.high is not None
    assert 0 <= score.low < 0.5 < score.high <= 1

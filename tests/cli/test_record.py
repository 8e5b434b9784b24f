"""`assay record`: sweeps over tasks and attempts, side by side, within limits, with and without keys."""

from __future__ import annotations

import argparse
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from tests.agents.sessions import SUITE, gates_made, materials, task_with, write_checkout

from assay.agents import scripted
from assay.agents.ratelimit import RateLimit
from assay.agents.scripted import FakeTransport
from assay.agents.transport import Reply, Request, TransportError
from assay.cli.record import add_arguments, main
from assay.errors import ConfigError, UnknownName
from assay.sessions.recording import read
from assay.sessions.replay import replay


def status_of(path: Path, index: int) -> str:
    found = materials()
    return replay(SUITE, task_with(index, found), path, found).status


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the made-up suite, two of its tasks frozen, and three agents."""
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(parser.parse_args(words))


def test_the_command_records_what_is_missing(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("player", "--dry-run") == 0
    assert "4 sessions, 0 finished, 4 to record" in capsys.readouterr().out
    assert not (checkout / "recordings").exists()

    assert run("player", "--attempts", "1") == 0
    out = capsys.readouterr().out
    assert "1 of 2: madeup/madeup-v0/urn-0000 attempt 0: done" in out
    assert "2 sessions, 2 of them now: done 2" in out

    assert run("player", "--dry-run") == 0
    assert "4 sessions, 2 finished, 2 to record" in capsys.readouterr().out

    assert run("player") == 0
    out = capsys.readouterr().out
    assert "1 of 4: madeup/madeup-v0/urn-0000 attempt 0: done, recorded before" in out
    assert "4 sessions, 2 of them now: done 4" in out
    assert "an interruption had lost their reply: 0" in out
    names = sorted(path.name for path in (checkout / "recordings/player/madeup/madeup-v0").iterdir())
    assert names == ["urn-0000.0.jsonl", "urn-0000.1.jsonl", "urn-0001.0.jsonl", "urn-0001.1.jsonl"]
    for name in names:
        assert status_of(checkout / "recordings/player/madeup/madeup-v0" / name, int(name[7])) == "done"


def test_an_episode_may_take_what_its_set_says(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the agent's entry sets no limits, the task set's hold; the recording says which they were."""
    room = SUITE.room("tasks")
    short = {**room.SETS, "madeup-v0": replace(room.SETS["madeup-v0"], replies=2, tokens=5_000)}
    monkeypatch.setattr(room, "SETS", short)
    assert run("player", "--dry-run") == 0
    assert "at most 8 requests and 20,000 tokens (the limits of an episode" in capsys.readouterr().out
    assert run("player", "--attempts", "1") == 0
    assert "2 sessions, 2 of them now: budget 2" in capsys.readouterr().out
    for name in ("urn-0000", "urn-0001"):
        found = read(checkout / f"recordings/player/madeup/madeup-v0/{name}.0.jsonl")
        assert found.header is not None
        limits = found.header["model"]["limits"]
        assert limits == {"turns": 2, "tokens": 5_000, "seconds": None, "money": None}


def test_generated_sets_can_be_recorded_and_sets_chosen(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("eager", "--suite", "madeup", "--set", "madeup-many", "--turns", "9") == 0
    assert "3 sessions, 3 of them now: budget 3" in capsys.readouterr().out
    assert [path.name for path in (checkout / "recordings/eager/madeup").iterdir()] == ["madeup-many"]


class Dying:
    """A transport that never answers."""

    def ask(self, request: Request) -> Reply:
        raise TransportError("the connection was lost")


def test_sessions_that_did_not_end_are_told(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripted, "connect", lambda *_: Dying())
    assert run("player", "--attempts", "1") == 1
    out = capsys.readouterr().out
    assert "transport (the connection was lost)" in out
    assert "2 sessions came to no end of their own: run `assay record player` again" in out


class Refused(Dying):
    """A transport whose key is refused, as a provider's is."""

    def __init__(self, asked: list[Request]) -> None:
        self._asked = asked

    def ask(self, request: Request) -> Reply:
        self._asked.append(request)
        raise ConfigError("the provider refuses the key in MY_KEY (HTTP 401): expired", "export MY_KEY=...")


@pytest.mark.parametrize("side_by_side", [1, 3])
def test_a_refused_key_ends_the_whole_recording(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, side_by_side: int
) -> None:
    """No other session is begun with it, and what was recorded before stays as it is."""
    assert run("player", "--tasks", "1", "--attempts", "1") == 0
    before = {path: path.read_bytes() for path in (checkout / "recordings").rglob("*.jsonl")}
    change(checkout, "player", attempts=20, access={"episodes": side_by_side, "retries": 5})
    asked: list[Request] = []
    with monkeypatch.context() as patched:
        patched.setattr(scripted, "connect", lambda *_: Refused(asked))
        with pytest.raises(ConfigError, match=r"refuses the key in MY_KEY \(HTTP 401\): expired"):
            run("player")
    assert len(asked) <= side_by_side
    begun = set((checkout / "recordings").rglob("*.jsonl")) - set(before)
    assert len(begun) <= side_by_side
    assert all(path.read_bytes() == data for path, data in before.items())
    assert not any(read(path).turns for path in begun)
    assert run("player") == 0
    assert "40 sessions, 39 of them now: done 40" in capsys.readouterr().out


def test_each_retry_is_reported_as_it_happens(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.agents.ratelimit.LONGEST_PAUSE", 0.01)
    change(checkout, "player", access={"retries": 2})
    monkeypatch.setattr(scripted, "connect", lambda *_: Dying())
    assert run("player", "--tasks", "1", "--attempts", "1") == 1
    request = "madeup/madeup-v0/urn-0000 attempt 0, request 1: the connection was lost"
    assert [line for line in capsys.readouterr().err.splitlines() if ", request " in line] == [
        f"{request}; retry 1 of 2 in 0.01 s",
        f"{request}; retry 2 of 2 in 0.01 s",
        f"{request}; given up after 3 tries",
    ]


class Interrupting(FakeTransport):
    """Somebody presses Ctrl-C while a reply is under way, once."""

    gates: ClassVar[list[RateLimit]] = []
    pressed = False

    def ask(self, request: Request) -> Reply:
        if len(request.messages) > 4 and not Interrupting.pressed:
            Interrupting.pressed = True
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            while not Interrupting.gates[-1].stopped:
                time.sleep(0.001)
        return super().ask(request)


def test_ctrl_c_ends_in_order_and_is_continued(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("player", "--recordings", "whole") == 0
    capsys.readouterr()
    monkeypatch.setattr("assay.agents.scripted.FakeTransport", Interrupting)
    monkeypatch.setattr(Interrupting, "gates", gates_made(monkeypatch))
    monkeypatch.setattr(Interrupting, "pressed", False)
    handler = signal.getsignal(signal.SIGINT)
    assert run("player") == 130
    assert capsys.readouterr().err.endswith("interrupted; run again to continue\n")
    assert signal.getsignal(signal.SIGINT) is handler
    (begun,) = (checkout / "recordings").rglob("*.jsonl")
    assert len(read(begun).turns) == 3  # the reply that was under way is kept

    assert run("player") == 0
    assert "an interruption had lost their reply: 0" in capsys.readouterr().out
    for path in (checkout / "whole").rglob("*.jsonl"):
        assert (
            checkout / "recordings" / path.relative_to(checkout / "whole")
        ).read_bytes() == path.read_bytes()


def test_requests_repeated_are_those_of_this_run_in_this_folder(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reply that was lost is counted by the run that asks again, and by no other."""
    one = "player", "--tasks", "1", "--attempts", "1"

    def repeated(*more: str) -> int:
        assert run(*one, *more) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.startswith("requests repeated because an interruption had lost their reply: ")
        return int(last.rpartition(" ")[2])

    assert repeated() == 0
    (path,) = (checkout / "recordings").rglob("*.jsonl")
    whole = path.read_bytes()
    turns = [n for n, line in enumerate(whole.splitlines()) if b'"kind":"turn"' in line]
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[: turns[-2]]))
    assert repeated("--recordings", "fresh") == 0
    assert repeated() == 2
    assert repeated() == 0  # nothing to do
    path.unlink()
    assert repeated() == 0  # begun anew
    assert path.read_bytes() == whole


def test_the_budget_bounds_what_a_dry_run_announces(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    price = {"tokens_in": 1.0, "tokens_out": 5.0}
    change(checkout, "player", price=price, limits={"tokens": 4_000_000}, budget={"money": 12.5})
    assert run("player", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "at most 400 requests and 16,000,000 tokens for 12.50 (what is left of the budget)" in out

    assert run("player", "--tasks", "1", "--attempts", "1") == 0
    usage = [t["usage"] for p in (checkout / "recordings").rglob("*.jsonl") for t in read(p).turns]
    used = sum(u["tokens_in"] + u["tokens_out"] for u in usage)
    change(checkout, "player", budget={"tokens": used + 1_000_000})
    capsys.readouterr()
    assert run("player", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "at most 300 requests and 1,000,000 tokens for 5.00 (what is left of the budget)" in out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nobody",), "has no agent 'nobody'"),
        (("exact",), "exact is a solver"),
        (("player", "--suite", "petri"), "no task to record"),
        (("player", "--set", "madeup-many"), "no task to record"),
    ],
)
def test_what_cannot_be_recorded_is_an_error(checkout: Path, words: tuple[str, ...], problem: str) -> None:
    with pytest.raises(UnknownName, match=problem) as caught:
        run(*words)
    assert caught.value.remedy


def change(checkout: Path, agent: str, **entry: Any) -> None:
    """Change an agent of the checkout's configuration."""
    path = checkout / "config/agents.yaml"
    agents = yaml.safe_load(path.read_text())
    agents["agents"][agent] = {**agents["agents"][agent], **entry}
    path.write_text(yaml.safe_dump(agents))


def test_episodes_side_by_side_are_the_same_recordings(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("player", "--recordings", "one-by-one") == 0

    class Slow(FakeTransport):
        def ask(self, request: Request) -> Reply:
            time.sleep(0.003)
            return super().ask(request)

    monkeypatch.setattr("assay.agents.scripted.FakeTransport", Slow)
    change(checkout, "player", attempts=8, access={"episodes": 16, "requests": 5})
    gates = gates_made(monkeypatch)
    assert run("player") == 0
    assert gates[0].most_under_way == 5
    assert "16 sessions, 16 of them now: done 16" in capsys.readouterr().out
    for path in (checkout / "one-by-one").rglob("*.jsonl"):
        other = checkout / "recordings" / path.relative_to(checkout / "one-by-one")
        assert other.read_bytes() == path.read_bytes()


def test_a_spent_budget_leaves_the_rest_for_another_day(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(checkout, "player", budget={"tokens": 400})
    assert run("player") == 1
    out = capsys.readouterr().out
    assert "the budget of the model is spent" in out
    sessions = [read(path) for path in sorted((checkout / "recordings").rglob("*.jsonl"))]
    spent = [u["tokens_in"] + u["tokens_out"] for s in sessions for u in (t["usage"] for t in s.turns)]
    assert sum(spent) >= 400 > sum(spent) - max(spent)

    assert run("player") == 1  # what was spent stays spent
    assert [read(p).turns for p in sorted((checkout / "recordings").rglob("*.jsonl"))] == [
        s.turns for s in sessions
    ]
    change(checkout, "player", budget={})
    assert run("player") == 0
    assert "4 sessions, " in capsys.readouterr().out


def test_a_model_without_its_key_is_skipped_and_named(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    change(checkout, "player", access={"key": "NO_SUCH_KEY"})
    with pytest.raises(ConfigError, match="NO_SUCH_KEY"):
        run("player")
    assert run("--all") == 0
    out = capsys.readouterr().out
    assert "skipped" in out and "player" in out and "NO_SUCH_KEY" in out
    assert "eager: 5 sessions, 5 of them now" in out
    assert not (checkout / "recordings/player").exists()


def test_what_it_may_cost_is_told_before(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(checkout, "player", price={"tokens_in": 1.0, "tokens_out": 5.0}, limits={"tokens": 100_000})
    assert run("player", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "at most 400 requests and 400,000 tokens for 2.00 (the limits" in out and "likely" not in out
    assert run("player", "--tasks", "1", "--attempts", "1") == 0
    capsys.readouterr()
    assert run("player", "--dry-run") == 0
    usage = [t["usage"] for p in (checkout / "recordings").rglob("*.jsonl") for t in read(p).turns]
    tokens_in = 3 * sum(u["tokens_in"] for u in usage)
    assert f"likely {3 * len(usage)} requests, {tokens_in:,} tokens read" in capsys.readouterr().out


def test_replies_can_be_fewer(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("player", "--tasks", "1", "--attempts", "1", "--turns", "3") == 0
    assert "budget (more than 3 turns)" in capsys.readouterr().out


def test_nobody_is_nobody(checkout: Path) -> None:
    with pytest.raises(UnknownName, match="no model is named"):
        run()


def test_a_judge_is_not_recorded(checkout: Path) -> None:
    path = checkout / "config/agents.yaml"
    agents = yaml.safe_load(path.read_text())
    agents["agents"]["juror"] = {
        "kind": "judge",
        "transport": {"kind": "fake", "script": "tests.agents.scripts:juror"},
        "judges": {"madeup": {"role": "support"}},
    }
    path.write_text(yaml.safe_dump(agents))
    with pytest.raises(UnknownName, match="juror judges and does not play") as caught:
        run("juror")
    assert caught.value.remedy == "ask it: assay judge juror"

"""`assay judge`, and the replay of what it keeps: asked once, kept at once, used only while it answers."""

from __future__ import annotations

import argparse
import contextlib
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import judged
from tests.agents import scripts
from tests.agents.sessions import gates_made
from tests.judged import QUESTIONS, replayed, write_agents, write_checkout

from assay.agents.transport import Reply, Request, TransportError
from assay.cli.judge import _held, add_arguments, main
from assay.errors import ConfigError, NotBuilt, RecordingError, UnknownName
from assay.numbers.rng import Stream
from assay.sessions import opinion

RECORDINGS = Path("recordings/juror/madeup/madeup-v0")
Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("built")
    with contextlib.chdir(root):
        write_checkout()
        judged.build()
    return root


@pytest.fixture
def checkout(built: Path, tmp_path: Path, monkeypatch: Patch) -> None:
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


pytestmark = pytest.mark.usefixtures("checkout")


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(parser.parse_args(words or ("juror",)))


def kept() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(Path("recordings").rglob("*.json"))}


def statuses() -> Counter[str]:
    return Counter(row["status"] for row in replayed())


def answering(monkeypatch: Patch, script: Callable[[Request, Stream], Reply | str]) -> None:
    """Let the judge answer in another way under its name."""
    monkeypatch.setattr(scripts, "juror", script)


# --- asked once, and kept


def test_every_question_is_asked_once(capsys: pytest.CaptureFixture[str], monkeypatch: Patch) -> None:
    asked: list[str] = []

    def counting(request: Request, stream: Stream, juror: Any = scripts.juror) -> Reply | str:
        asked.append(request.sha256)
        return juror(request, stream)

    answering(monkeypatch, counting)
    assert run("juror", "--dry-run") == 0
    out = capsys.readouterr().out
    assert f"{QUESTIONS} questions, 0 answered before, {QUESTIONS} to ask" in out
    assert f"{QUESTIONS} requests, about " in out
    assert (asked, kept()) == ([], {})
    assert statuses() == {"not recorded": QUESTIONS}

    assert run() == 0
    first = kept()
    assert len(first) == len(asked) == len(set(asked)) == QUESTIONS
    assert RECORDINGS / "exact/urn-0000.0.support.json" in first
    assert not Path(f"{RECORDINGS}/silent").exists()

    assert run() == 0
    assert f"{QUESTIONS} answered before, 0 to ask" in capsys.readouterr().out
    assert len(asked) == QUESTIONS
    assert kept() == first


def test_the_replay_needs_no_judge(monkeypatch: Patch) -> None:
    assert run() == 0
    answering(monkeypatch, lambda request, stream: pytest.fail("the replay asks the judge"))
    rows = replayed()
    assert rows == replayed()
    assert {row["status"] for row in rows} == {"given", "unreadable"}
    given = [row for row in rows if row["status"] == "given"]
    assert {row["label"] for row in given} == {"supported", "guessed"}
    assert all(0 <= row["value"] <= 10 and row["reason"] == "I looked." for row in given)
    assert all(row["label"] == "guessed" for row in given if row["agent"] == "privileged")
    assert all(row["tokens_out"] > 0 for row in rows)
    unreadable = [row for row in rows if row["status"] == "unreadable"]
    assert all((row["label"], row["value"], row["reason"]) == ("", None, "") for row in unreadable)


@pytest.mark.parametrize("after", [1, QUESTIONS // 2, QUESTIONS])
def test_an_interruption_loses_nothing_that_was_answered(after: int, monkeypatch: Patch) -> None:
    assert run() == 0
    whole = kept()
    for path in whole:
        path.unlink()
    juror, asked = scripts.juror, []

    def interrupted(request: Request, stream: Stream) -> str:
        asked.append(request)
        if len(asked) == after:
            raise KeyboardInterrupt
        return juror(request, stream)

    answering(monkeypatch, interrupted)
    assert run() == 130
    assert len(kept()) == len(asked) - 1 >= after - 1  # the next request may be on its way already
    assert kept().items() <= whole.items()
    assert run() == 0
    assert kept() == whole
    assert len(asked) == QUESTIONS + 1


def test_many_are_asked_side_by_side(monkeypatch: Patch) -> None:
    assert run() == 0
    whole = kept()
    for path in whole:
        path.unlink()
    write_agents(access={"requests": 4, "retries": 0})
    gates = gates_made(monkeypatch)
    assert run() == 0
    assert gates[0].most_under_way <= 4
    assert kept() == whole


def test_a_lost_connection_keeps_nothing_and_is_asked_again(
    monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    juror = scripts.juror
    asked = 0

    def unreliable(request: Request, stream: Stream) -> str:
        nonlocal asked
        asked += 1
        if asked % 3 == 0:
            raise TransportError("the connection was lost")
        return juror(request, stream)

    answering(monkeypatch, unreliable)
    assert run() == 1
    lost = QUESTIONS // 3
    assert f"{lost} questions have no reply: run `assay judge juror` again" in capsys.readouterr().out
    assert len(kept()) == QUESTIONS - lost
    assert statuses()["not recorded"] == lost
    answering(monkeypatch, juror)
    assert run() == 0
    assert statuses()["not recorded"] == 0


def test_a_budget_holds_over_all_that_was_ever_asked(capsys: pytest.CaptureFixture[str]) -> None:
    write_agents(budget={"tokens": 200})
    assert run() == 1
    assert "the budget of the model is spent" in capsys.readouterr().out
    some = kept()
    assert 0 < len(some) < QUESTIONS
    assert run() == 1
    assert kept() == some
    write_agents()
    assert run() == 0
    assert kept().items() > some.items()


def test_a_question_that_is_too_long_is_not_asked(capsys: pytest.CaptureFixture[str]) -> None:
    write_agents(limits={"tokens": 10})
    assert run() == 1
    assert "are longer than 10 tokens and not asked" in capsys.readouterr().out
    assert kept() == {}


# --- used only while it answers


def test_an_opinion_on_something_else_is_stale(
    monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 0
    before = kept()
    monkeypatch.setattr(opinion, "SCAFFOLD", "You are asked something else.")
    rows = replayed()
    assert {row["status"] for row in rows} == {"stale"}
    assert {row["label"] for row in rows} == {""}
    assert run() == 0
    assert (
        f"{QUESTIONS} to ask ({QUESTIONS} of them anew, as the question changed)" in capsys.readouterr().out
    )
    assert statuses()["stale"] == 0
    assert kept().keys() == before.keys()


def test_another_model_under_the_same_name_has_said_nothing() -> None:
    assert run() == 0
    write_agents(transport={**judged.JUDGE["transport"], "seed": 4})
    assert statuses() == {"stale": QUESTIONS}
    write_agents(price={"tokens_in": 1.0}, budget={"money": 5.0}, limits={"tokens": 5000})
    assert statuses()["stale"] == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(b"supported", b"guessed", 1),
        lambda data: data.replace(b"guessed", b"supported", 1),
        lambda data: data[:-20],
        lambda data: b"",
        lambda data: b"\xff",
        lambda data: b"[" * 100_000,
        lambda data: b" " + data,
    ],
)
def test_a_damaged_file_is_no_opinion(damage: Callable[[bytes], bytes]) -> None:
    assert run() == 0
    changed = 0
    for path, data in kept().items():
        if damage(data) != data:
            changed += 1
            path.write_bytes(damage(data))
    assert changed
    assert statuses()["rejected"] == changed
    with pytest.raises(RecordingError, match=r"\.support\.json: it"):
        run()


def test_an_opinion_about_another_episode_is_no_opinion() -> None:
    assert run() == 0
    source, target = (RECORDINGS / f"{agent}/urn-0001.0.support.json" for agent in ("exact", "guess"))
    target.write_bytes(source.read_bytes())
    (row,) = (row for row in replayed() if (row["agent"], row["task_id"]) == ("guess", "urn-0001"))
    assert (row["status"], row["label"]) == ("rejected", "")


@pytest.mark.parametrize(("stop", "status"), [("refusal", "refused"), ("length", "truncated")])
def test_a_reply_that_is_none_is_kept_as_such(stop: Any, status: str, monkeypatch: Patch) -> None:
    answering(monkeypatch, lambda request, stream: Reply('{"finding": "supported", "sure": 3}', stop=stop))
    assert run() == 0
    assert statuses() == {status: QUESTIONS}


def test_halves_of_characters_can_be_kept(monkeypatch: Patch) -> None:
    answering(monkeypatch, lambda request, stream: '{"finding": "guessed", "sure": 1, "reason": "\ud800"}')
    assert run() == 0
    assert statuses() == {"given": QUESTIONS}


# --- mistakes


def test_what_is_not_built_cannot_be_judged() -> None:
    Path("results/madeup/episodes/guess.parquet").unlink()
    with pytest.raises(NotBuilt, match=r"results/madeup/episodes/guess\.parquet is missing") as caught:
        run()
    assert "run `make reproduce` first" in caught.value.remedy


def test_a_key_that_is_absent(capsys: pytest.CaptureFixture[str], monkeypatch: Patch) -> None:
    write_agents(access={"key": "JURORS_KEY"})
    monkeypatch.delenv("JURORS_KEY", raising=False)
    with pytest.raises(ConfigError, match="juror: the variable JURORS_KEY holds no key"):
        run()
    assert run("--all") == 0
    assert "skipped" in capsys.readouterr().out
    assert kept() == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody"], "has no judge 'nobody'"),
        (["exact"], "exact plays and does not judge"),
        (["--suite", "madeup"], "no judge is named"),
        (["juror", "--suite", "madup"], "has no suite 'madup'"),
        (["juror", "--set", "madeup-many"], "there is no episode that juror could judge here"),
    ],
)
def test_wrong_names(words: list[str], said: str) -> None:
    with pytest.raises(UnknownName, match=said):
        run(*words)


def test_an_unknown_role() -> None:
    write_agents(judges={"madeup": {"role": "beauty"}})
    with pytest.raises(UnknownName, match="'beauty' is not in ROLES of the suite madeup"):
        run()


def test_only_one_process_asks_a_judge() -> None:
    with _held(Path("recordings/juror")), pytest.raises(RecordingError, match="another process asks"):
        run()

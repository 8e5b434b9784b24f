"""`assay replay`: the verdict and the exit code."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from tests.agents.sessions import recorded, write_checkout

from assay.cli.replay import add_arguments, main
from assay.episodes.identity import Identity
from assay.errors import NotBuilt, RecordingError
from assay.sessions import record as record_module


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording, seen from a checkout."""
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    return recorded(tmp_path)[0]


def run(*words: object) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(parser.parse_args([str(word) for word in words]))


def test_an_honest_recording_is_identical(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(path) == 0
    out = capsys.readouterr().out
    count = path.read_text().count('"kind":"event"')
    assert out == (
        f"{path}: identical\n"
        "  the episode ended as done\n"
        f"  {count} events made again and equal; requests identical\n"
    )


def test_a_forged_recording_is_rejected(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(path.read_bytes().replace(b"Written down", b"Noted", 1))
    assert run(path, "--json") == 1
    out = capsys.readouterr().out
    report = json.loads(out)
    assert out == json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    assert (report["verdict"], report["status"]) == ("rejected", "rejected")
    assert report["requests"] == "not compared"
    assert list(report)[4:] == ["n_events", "log_sha256", "requests", "scaffold_sha256"]
    assert report["reason"].endswith("the chain of hashes is broken")


def test_an_unfinished_recording_cannot_be_judged(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(path.read_bytes()[:-1])
    assert run(path) == 2
    out = capsys.readouterr().out
    reason = "the recording is not finished: run `assay record` again"
    assert f"{path}: unfinished\n  the episode ended as transport: {reason}\n" in out


def test_another_scaffold_is_no_fault(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_module, "SCAFFOLD_SHA256", "0" * 64)
    assert run(path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["requests"] == "not compared"


def test_what_is_missing_is_an_error(path: Path, tmp_path: Path) -> None:
    with pytest.raises(NotBuilt, match="there is no file") as caught:
        run(path.with_name("urn-0001.0.jsonl"))
    assert caught.value.remedy == "name a recording, e.g. one below recordings/"
    with pytest.raises(RecordingError, match="name of a recording"):
        run("config/agents.yaml")
    elsewhere = Identity("fake", "other", "set", "task", 0).path(tmp_path)
    elsewhere.parent.mkdir(parents=True)
    elsewhere.touch()
    with pytest.raises(NotBuilt, match="has no suite 'other'") as caught:
        run(elsewhere)
    assert caught.value.remedy == "name the configuration with --config"


def test_a_name_in_any_language_is_printed_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    path, _ = recorded(tmp_path / "Übung")
    assert run(path, "--json") == 0
    assert f'\n "file": "{path}",\n' in capsys.readouterr().out


def test_the_arguments_explain_themselves() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    shown = " ".join(parser.format_help().split())
    assert " <agent>/<suite>/<set>/<task>.<attempt>.jsonl, in any folder" in shown
    assert "print the verdict as JSON" in shown and "XX" not in shown
    assert parser.parse_args(["a", "--config", "b"]).config == Path("b")

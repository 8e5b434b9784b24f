"""`assay replay`: the verdict and the exit code."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from assay import record as record_module
from assay.errors import NotBuilt, RecordingError
from assay.recording import Identity
from assay.replay_command import add_arguments, main
from tests.agents.sessions import recorded, write_checkout


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
    assert f"{path}: identical" in out and "ended as done" in out and "requests identical" in out


def test_a_forged_recording_is_rejected(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(path.read_bytes().replace(b"Written down", b"Noted", 1))
    assert run(path, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["verdict"], report["status"]) == ("rejected", "rejected")
    assert report["reason"].endswith("the chain of hashes is broken")


def test_an_unfinished_recording_cannot_be_judged(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(path.read_bytes()[:-1])
    assert run(path) == 2
    out = capsys.readouterr().out
    assert "unfinished" in out and "run `assay record` again" in out


def test_another_scaffold_is_no_fault(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_module, "SCAFFOLD_SHA256", "0" * 64)
    assert run(path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["requests"] == "not compared"


def test_what_is_missing_is_an_error(path: Path, tmp_path: Path) -> None:
    with pytest.raises(NotBuilt, match="there is no file"):
        run(path.with_name("urn-0001.0.jsonl"))
    with pytest.raises(RecordingError, match="name of a recording"):
        run("config/agents.yaml")
    elsewhere = Identity("fake", "other", "set", "task", 0).path(tmp_path)
    elsewhere.parent.mkdir(parents=True)
    elsewhere.touch()
    with pytest.raises(NotBuilt, match="has no suite 'other'"):
        run(elsewhere)

"""Recordings as a log of Inspect: its own reader reads it, and `assay import` gives the recordings back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.sessions import recorded, write_checkout

from assay.cli import main as cli

inspect_log = pytest.importorskip("inspect_ai.log", reason="needs the extra `models`")


def test_a_log_is_read_by_inspect_and_imported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_checkout(tmp_path)
    paths = [recorded(tmp_path, index)[0] for index in (0, 1)]
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", "inspect", *map(str, paths), "--out", "log.eval"]) == 0
    log = inspect_log.read_eval_log("log.eval")
    assert (log.status, len(log.samples)) == ("success", 2)
    assert {sample.id for sample in log.samples} == {path.name.split(".")[0] for path in paths}
    for sample in log.samples:
        assert sample.scores["assay"].value == sample.scores["assay"].metadata["metrics"]["score"]
        calls = [call for message in sample.messages for call in getattr(message, "tool_calls", None) or ()]
        assert calls
    assert cli.main(["import", "log.eval", "--agent", "again"]) == 0
    for path in paths:
        again = Path("recordings/again") / path.relative_to(path.parents[2])
        header, *rest = again.read_bytes().split(b"\n")
        before = path.read_bytes().split(b"\n")
        assert b'"agent":"again"' in header and len(rest) == len(before) - 1


def test_a_log_of_two_agents_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_checkout(tmp_path)
    path, _ = recorded(tmp_path)
    other = tmp_path / "recordings/other" / path.relative_to(path.parents[2])
    other.parent.mkdir(parents=True)
    other.write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", "inspect", str(path), str(other), "--out", "log.eval"]) == 1
    assert "of one agent in one set" in capsys.readouterr().err

"""Recordings as trajectories of ATIF and back, byte for byte; the official models of Harbor accept them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.sessions import SET, recorded, write_checkout

from assay.cli import main as cli
from assay.doors.formats.atif import from_atif, to_atif
from assay.doors.inspect_import import write_recording
from assay.errors import RecordingError
from assay.sessions.recording import read

ROOT = Path(__file__).parents[3]
RECORDINGS = sorted((ROOT / "recordings").glob("*/*/*/*.jsonl"))

VALIDATE = """
import json, sys
from harbor.models.trajectories import Trajectory
for path in sys.argv[1:]:
    Trajectory.model_validate(json.load(open(path)))
print("valid", len(sys.argv) - 1)
"""


def back(trajectory: dict[str, Any], path: Path) -> bytes:
    write_recording(path, from_atif(json.loads(json.dumps(trajectory))))
    return path.read_bytes()


@pytest.mark.parametrize(
    "path", RECORDINGS[:: max(1, len(RECORDINGS) // 12)], ids=lambda path: "/".join(path.parts[-4:])
)
def test_recordings_come_back_byte_for_byte(path: Path, tmp_path: Path) -> None:
    assert back(to_atif(read(path)), tmp_path / "back.jsonl") == path.read_bytes()


@pytest.mark.full
def test_every_recording_comes_back(tmp_path: Path) -> None:
    for number, path in enumerate(RECORDINGS):
        assert back(to_atif(read(path)), tmp_path / f"{number}.jsonl") == path.read_bytes()


@pytest.mark.full
def test_the_models_of_harbor_accept_every_trajectory(tmp_path: Path) -> None:
    # Harbor needs Python 3.12 or later: ASSAY_VALIDATORS names an interpreter that has it (docs/formats.md).
    python = os.environ.get("ASSAY_VALIDATORS")
    if not python:
        pytest.skip("ASSAY_VALIDATORS names no interpreter with harbor")
    for number, path in enumerate(RECORDINGS):
        (tmp_path / f"{number}.json").write_text(json.dumps(to_atif(read(path), [("user", "Hello.")])))
    files = sorted(map(str, tmp_path.iterdir()))
    run = subprocess.run([python, "-c", VALIDATE, *files], capture_output=True, text=True)
    assert run.stdout == f"valid {len(RECORDINGS)}\n", run.stderr


def test_the_command_exports_and_restores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_checkout(tmp_path)
    path, _ = recorded(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", "atif", str(path), "--out", "one.json"]) == 0
    trajectory = json.loads(Path("one.json").read_text())
    assert trajectory["steps"][1]["source"] == "user"
    assert "urn" in trajectory["steps"][1]["message"]
    steps = [step["step_id"] for step in trajectory["steps"]]
    assert steps == list(range(1, len(steps) + 1))
    assert cli.main(["export", "recording", "one.json", "--out", f"{SET}.jsonl"]) == 0
    assert Path(f"{SET}.jsonl").read_bytes() == path.read_bytes()
    assert cli.main(["export", "recording", "one.json", "--out", f"{SET}.jsonl"]) == 1
    assert "exists" in capsys.readouterr().err


def test_an_edited_or_foreign_trajectory_is_refused(tmp_path: Path) -> None:
    path, _ = recorded(tmp_path)
    trajectory = to_atif(read(path))
    step = next(step for step in trajectory["steps"] if "observation" in step)
    step["observation"]["results"][0]["content"] = "another result"
    with pytest.raises(RecordingError, match="was edited: the result of step-"):
        from_atif(trajectory)
    with pytest.raises(RecordingError, match="no version of ATIF"):
        from_atif({"schema_version": "2"})
    with pytest.raises(RecordingError, match="was not made from a recording"):
        from_atif({"schema_version": "ATIF-v1.8", "agent": {"name": "x", "version": "1"}, "steps": []})


@pytest.mark.parametrize(
    "edit",
    [
        lambda t: t.update(steps="text"),
        lambda t: t.update(steps=[{"source": "agent"}]),
        lambda t: t["steps"][-1].update(tool_calls=[]),
        lambda t: t["agent"].update(extra=None),
        lambda t: t["extra"]["assay"].update(end=3),
        lambda t: t["agent"].update(name="another"),
    ],
)
def test_a_trajectory_of_another_form_is_refused(edit: Callable[[Any], None], tmp_path: Path) -> None:
    trajectory = to_atif(read(recorded(tmp_path)[0]))
    edit(trajectory)
    with pytest.raises(RecordingError):
        from_atif(trajectory)

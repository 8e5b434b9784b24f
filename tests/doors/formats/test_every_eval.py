"""Rows of the leaderboard as records of Every Eval Ever, which its own schema accepts."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.agents.sessions import SET, write_checkout

from assay.cli import main as cli
from assay.doors.formats import every_eval

ROWS: list[dict[str, Any]] = [
    {"agent": "exact", "kind": "solver", "score": 0.75, "low": 0.5, "high": 1.0, "tasks": 2},
    {"agent": "player", "kind": "model", "score": 0.25, "low": None, "high": None, "tasks": 1},
    {"agent": "their best", "kind": "quoted", "score": 0.9, "low": None, "high": None, "tasks": None},
    {"agent": "mute", "kind": "solver", "score": None, "low": None, "high": None, "tasks": 2},
]


class Tables:
    def leaderboard(self, task_set: str) -> pd.DataFrame:
        return pd.DataFrame(
            [{"suite": "madeup", "task_set": task_set, "method": "bootstrap", **row} for row in ROWS]
        )

    def validity(self) -> pd.DataFrame:
        return pd.DataFrame([{"task_set": SET, "ceiling": 1.0, "scale": 1.0}])


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(every_eval, "results", lambda suite, folder: Tables())
    command = ["export", "every-eval-ever", f"madeup/{SET}", "--out", "records", "--date", "1750000000"]
    assert cli.main(command) == 0
    return sorted(Path("records").rglob("*.json"))


def test_every_agent_that_was_scored_has_a_record(written: list[Path]) -> None:
    folders = [path.parent.relative_to("records").as_posix() for path in written]
    assert folders == [f"data/assay-madeup-{SET}/assay/{agent}" for agent in ("exact", "player")]
    exact, player = (json.loads(path.read_text()) for path in written)
    (result,) = exact["evaluation_results"]
    assert result["score_details"]["score"] == 0.75
    interval = result["score_details"]["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"]) == (0.5, 1.0)
    (result,) = player["evaluation_results"]
    assert "confidence_interval" not in result["score_details"]["uncertainty"]


@pytest.mark.full
def test_the_official_validator_accepts_the_records(written: list[Path]) -> None:
    # The package needs Python 3.12 or later: ASSAY_VALIDATORS names an interpreter that has it.
    python = os.environ.get("ASSAY_VALIDATORS")
    if not python:
        pytest.skip("ASSAY_VALIDATORS names no interpreter with every_eval_ever")
    paths = [path.relative_to("records") for path in written]
    command = [python, "-m", "every_eval_ever", "validate", *map(str, paths)]
    run = subprocess.run(command, cwd="records", capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr

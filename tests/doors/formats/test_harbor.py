"""Sets as tasks of Harbor: the solution scores as the reference solver does, and who does nothing gets zero.

The scripts of a task run here without containers, beside the world that its container would start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.agents.sessions import SET, write_checkout

from assay.cli import main as cli

ROOT = Path(__file__).parents[3]

VALIDATE = """
import sys, tomllib
from pathlib import Path
from harbor.models.task.task import Task
for path in sys.argv[1:]:
    task = Task(path)
    assert task.instruction and Task.is_valid_dir(Path(path)), path
print("valid", len(sys.argv) - 1)
"""


@contextmanager
def world(folder: Path, suite: str, task: str, token: str) -> Iterator[dict[str, str]]:
    """Start the world of a task; yields the environment of the task's scripts."""
    python_path = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    process = subprocess.Popen(
        [sys.executable, "-m", "assay.doors.formats.harbor_world", suite, task, "--port", "0"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": python_path, "ASSAY_TOKEN": token},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline().split()[1]
        yield {**os.environ, "ASSAY_LAB": f"http://127.0.0.1:{port}"}
    finally:
        process.kill()
        process.communicate()


def reward(project: Path, task: Path, suite: str, name: str, logs: Path, *, solve: bool) -> float:
    token = (task / "tests/token").read_text().strip()
    with world(project, suite, name, token) as environment:
        environment |= {"LAB_PROGRAM": str(task / "environment/lab.py"), "VERIFIER_LOGS": str(logs)}
        if solve:
            subprocess.run([task / "solution/solve.sh"], env=environment, check=True, capture_output=True)
        subprocess.run([task / "tests/test.sh"], env=environment, check=True)
    return float((logs / "reward.txt").read_text())


def check_set(
    project: Path, suite: str, task_set: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["export", "harbor", f"{suite}/{task_set}", "--out", str(out), "--tasks", "1"]) == 0
    (task,) = out.iterdir()
    capsys.readouterr()
    assert cli.main(["play", suite, f"{task_set}/0", "--json"]) == 0
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    (score,) = [
        m["value"] for m in metrics if (m["metric"], m["profile"], m["step"]) == ("score", "default", None)
    ]
    name = f"{task_set}/0"
    assert reward(project, task, suite, name, out.parent / "solved", solve=True) == score
    assert reward(project, task, suite, name, out.parent / "idle", solve=False) == 0


def test_a_task_of_the_made_up_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    write_checkout(project)
    monkeypatch.chdir(project)
    check_set(project, "madeup", SET, tmp_path / "out", capsys)


def test_the_score_is_for_the_verifier_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    wrong = tmp_path / "token"
    wrong.write_text("guess")
    lab = ROOT / "src/assay/doors/formats/harbor_files/lab.py"
    with world(tmp_path, "madeup", f"{SET}/0", "secret") as environment:
        run = subprocess.run(
            [sys.executable, lab, "score", wrong], env=environment, capture_output=True, text=True
        )
        assert run.returncode and "403" in run.stderr
        told = subprocess.run(
            [sys.executable, lab, "brief"], env=environment, capture_output=True, text=True, check=True
        )
        brief = json.loads(told.stdout)
        assert "hidden" not in brief and {tool["name"] for tool in brief["tools"]} >= {"answer"}


@pytest.mark.full
@pytest.mark.parametrize(
    ("suite", "task_set"),
    [
        ("petri", "core-v1"),
        ("causalab", "main-v1"),
        ("pilab", "closed-v1"),
        ("collider", "objects-v1"),
        ("sgi", "wet-v2"),
    ],
)
def test_a_task_of_each_suite(
    suite: str,
    task_set: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    check_set(ROOT, suite, task_set, tmp_path / "out", capsys)
    python = os.environ.get("ASSAY_VALIDATORS")
    if python:
        folders = list(map(str, (tmp_path / "out").iterdir()))
        run = subprocess.run([python, "-c", VALIDATE, *folders], capture_output=True, text=True)
        assert run.stdout == f"valid {len(folders)}\n", run.stderr

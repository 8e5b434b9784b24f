"""Defects of frozen items: each is declared, each declaration is true, and readers are told."""

from __future__ import annotations

import contextlib
import io
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from assay.config.loading import load
from assay.task import Task, read_frozen

ROOT = Path(__file__).resolve().parents[3]
TWINS = ("dry-v0/sgx_dryexperiment_0013", "dry-v0/sgx_dryexperiment_0019")


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    found = (read_frozen(path) for path in sorted((ROOT / "tasks/sgi").glob("*/*.json")))
    return {f"{task.task_set}/{task.task_id}": task for task in found}


def asked(task: Task) -> str:
    """What an item asks for: of a program the holes in it, whatever data it will read."""
    columns = dict(task.public["columns"])
    if task.public["family"] == "dry_experiment":
        columns = {name: columns[name] for name in ("incomplete_main_code", "incomplete_functions")}
    return json.dumps(columns, sort_keys=True)


def test_items_of_a_set_that_ask_for_the_same_are_declared_to_be_identical(
    tasks: dict[str, Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    same = defaultdict(set)
    for name, task in tasks.items():
        same[task.task_set, asked(task)].add(name)
    declared = [set(defect.tasks) for defect in load().suites["sgi"].defects if defect.identical]
    assert [names for names in same.values() if len(names) > 1] == declared == [set(TWINS)]


def test_every_defect_is_of_a_frozen_item(tasks: dict[str, Task], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert load().suites["sgi"].notices.keys() <= tasks.keys()


def literal(bits: list[int], least: int) -> list[int]:
    """The function that both items ask for, exactly as their docstring says it."""
    runs: list[list[int]] = []
    for bit in bits:
        if runs and runs[-1][0] == bit:
            runs[-1][1] += 1
        else:
            runs.append([bit, 1])
    kept: list[list[int]] = []
    for value, length in runs:
        value = -1 if length <= least else value
        if kept and kept[-1][0] == value:
            kept[-1][1] += length
        else:
            kept.append([value, length])
    return [v for run in kept for v in run]


@pytest.mark.parametrize("name", TWINS)
def test_an_answer_that_follows_the_docstring_fails_every_test(
    name: str, tasks: dict[str, Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference does not, and it never merges: without its branch for merging it says the same."""
    monkeypatch.chdir(tmp_path)
    hidden = tasks[name].hidden
    reference, never = (
        function(hidden["main_code"].replace("elif True and kept", branch))
        for branch in ("elif True and kept", "elif False and kept")
    )
    for number in range(5):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(hidden[f"unit_test_{number}_data"], {})
        data = json.loads(Path("data/input.json").read_text("utf-8"))
        wanted = json.loads(hidden[f"unit_test_{number}_output"])["run_lengths"]
        assert reference(**data) == never(**data) == wanted
        assert literal(**data) != wanted


def function(code: str) -> Any:
    """The function `run_lengths` of a program."""
    names: dict[str, Any] = {"__name__": "item"}
    exec(code, names)
    return names["run_lengths"]

"""A task, its frozen file and its row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import TaskError
from assay.protocol import BlobRef
from assay.task import Task, file_name, read_frozen

TASK = Task(
    suite="small",
    task_set="small-v0",
    task_id="t-1",
    seed=7,
    version=1,
    strata={"tier": "L1"},
    public={"list": [1, 2.5, None, "é"]},
    hidden={"z": True, "a": 1e-300},
    blobs=(BlobRef("ab" * 32, "image/png", 10),),
)


def test_the_frozen_text_is_sorted_and_reads_back(tmp_path: Path) -> None:
    text = TASK.frozen_text()
    assert text.startswith('{\n "blobs": [\n')
    assert text.index('"a"') < text.index('"z"')
    assert "é" in text
    assert text.endswith("}\n")
    file = tmp_path / file_name(3)
    file.write_text(text, encoding="utf-8")
    assert file.name == "00003.json"
    assert read_frozen(file) == TASK


def test_the_order_of_keys_does_not_show() -> None:
    other = replace(TASK, hidden={"a": 1e-300, "z": True})
    assert other.frozen_text() == TASK.frozen_text()
    assert other.digest == TASK.digest


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 8},
        {"version": 2},
        {"strata": {}},
        {"public": None},
        {"hidden": {"z": 1, "a": 1e-300}},
        {"blobs": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_digest_sees_every_field(change: dict[str, object]) -> None:
    assert replace(TASK, **change).digest != TASK.digest


@pytest.mark.parametrize("value", [float("nan"), {1}, b""])
def test_what_is_not_json_cannot_be_frozen(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        replace(TASK, hidden=value).frozen_text()


def test_a_row_holds_the_whole_task() -> None:
    row = TASK.to_row(4)
    assert (row["index"], row["sha256"]) == (4, TASK.digest)
    assert row["hidden"] == '{"a":1e-300,"z":true}'
    assert Task.from_row(row) == TASK


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        TASK.frozen_text().replace('"seed"', '"sead"'),
        TASK.frozen_text().replace('"blobs": [', '"blobs": [1, '),
        TASK.frozen_text().replace("1e-300", "NaN"),
        TASK.frozen_text().replace(' "seed": 7,\n', ' "seed": 7,\n "seed": 8,\n'),
        TASK.frozen_text()[:-20],
    ],
    ids=[
        "empty",
        "cut",
        "list",
        "null",
        "nothing",
        "a wrong key",
        "a wrong blob",
        "not a number",
        "a key twice",
        "truncated",
    ],
)
def test_a_damaged_file_is_named_with_a_remedy(text: str, tmp_path: Path) -> None:
    file = tmp_path / "00000.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TaskError, match=r"00000\.json is not a frozen task") as caught:
        read_frozen(file)
    assert "git" in caught.value.remedy

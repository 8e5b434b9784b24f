"""Released files as a set by path: a folder is played; whatever is wrong with a row ends in one message."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from tests.suites.sgi.released_folder import png, rows, write_folder, write_parquet

from assay.agents.solver import SolverAgent
from assay.config.released import ReleasedSet
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import TableError
from assay.numbers import rng
from assay.protocol import Materials
from assay.suite import suite
from assay.suites.sgi.families import FAMILIES, RELEASED_NAMES, Family
from assay.suites.sgi.released.loader import COLUMNS
from assay.suites.sgi.tasks import read_released, released_files, verify
from assay.task import Task

SUITE = suite("sgi")


def read(folder: Path) -> tuple[list[Task], MemoryBlobs]:
    blobs = MemoryBlobs()
    return list(read_released(folder, "mine", blobs)), blobs


def played(task: Task, blobs: MemoryBlobs, name: str) -> tuple[Episode, Materials]:
    materials = materials_for(SUITE, blobs)
    solver = SUITE.find("solvers", "SOLVERS", name)
    return play(SUITE, task, name, SolverAgent(solver, task), 0, materials), materials


def whole(task: Task, blobs: MemoryBlobs, name: str = "oracle") -> dict[tuple[str, str], float | None]:
    """A task through all rooms; its scores by profile and metric."""
    verify(task)
    episode, materials = played(task, blobs, name)
    scores = list(SUITE.room("scoring").score(task, episode, materials))
    flags = list(SUITE.room("audit").audit(task, episode, materials))
    list(SUITE.room("calibration").calibrate(task, {"guesses": 1}, materials))
    list(SUITE.room("viewer").show(task, episode, scores, flags, materials))
    return {(one.profile, one.metric): one.value for one in scores}


class TestFolder:
    def test_every_family_is_played_under_every_profile(self, tmp_path: Path) -> None:
        tasks, blobs = read(write_folder(tmp_path))
        assert [task.public["family"] for task in tasks] == [family for family in FAMILIES for _ in range(2)]
        found = {task.public["family"]: whole(task, blobs) for task in tasks[::2]}
        headlines = {
            family: tuple(values[profile, "score"] for profile in ("default", "paper", "released"))
            for family, values in found.items()
        }
        ideas = headlines.pop("idea_generation")
        assert ideas[0] is not None and ideas[0] > 50
        assert ideas[1:] == (None, None)  # these need judges
        assert set(headlines.values()) == {(100, 100, 100)}
        assert found["deep_research"]["paper", "sla"] is None

    def test_a_wrong_reply_is_wrong(self, tmp_path: Path) -> None:
        tasks, blobs = read(write_folder(tmp_path))
        for task in tasks[::2]:
            assert (whole(task, blobs, "chance")["default", "score"] or 0) < 60

    def test_pictures_in_all_forms(self, tmp_path: Path) -> None:
        row = rows()["experimental_reasoning"][0]
        text = base64.b64encode(png(40)).decode()
        forms: list[Any] = [text, f"data:image/png;base64,{text}", "a.png", {"bytes": None, "path": "a.png"}]
        for at, cell in enumerate(forms):
            folder = tmp_path / str(at) / "SGI-Reasoning"
            folder.mkdir(parents=True)
            (folder / "a.png").write_bytes(png(40))
            (folder / "a.jsonl").write_text(json.dumps({**row, "images": [cell], "step_images": []}) + "\n")
            (task,), blobs = read(folder)
            assert blobs.get(task.blobs[0].sha256) == png(40)
            assert folder / "a.png" in released_files(folder)

    def test_nothing_outside_of_the_folder_is_read(self, tmp_path: Path) -> None:
        row = rows()["experimental_reasoning"][0]
        (tmp_path / "secret.png").write_bytes(png())
        folder = tmp_path / "SGI-Reasoning"
        folder.mkdir()
        (folder / "a.jsonl").write_text(
            json.dumps({**row, "images": ["../secret.png"], "step_images": []}) + "\n"
        )
        with pytest.raises(TableError, match="outside of the folder"):
            read(folder)

    def test_packages_and_files_that_are_missing_are_one_message(self, tmp_path: Path) -> None:
        first, second = rows()["dry_experiment"]
        first["main_code"] = "import torch\n" + first["main_code"]
        first["data_code"] = "try:\n    import cupy\nexcept ImportError:\n    pass\n"
        second["idx"] = "SGI_DryExperiment_0206"
        write_parquet(tmp_path / "SGI-DryExperiment" / "a.parquet", [first, second])
        with pytest.raises(TableError) as caught:
            read(tmp_path)
        assert "SGI_DryExperiment_0000 need the package torch" in caught.value.message
        assert "SGI_DryExperiment_0206 need the files data/mnist_raw" in caught.value.message
        assert "leave-out.txt" in caught.value.remedy
        (tmp_path / "leave-out.txt").write_text("SGI_DryExperiment_0000\nSGI_DryExperiment_0206\n")
        assert read(tmp_path)[0] == []

    def test_a_file_of_no_family(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"idx": "other"}\n')
        with pytest.raises(TableError, match="neither its path nor its first row"):
            read(tmp_path)

    def test_two_items_of_one_name(self, tmp_path: Path) -> None:
        row = rows()["wet_experiment"][0]
        for name in ("a", "b"):
            write_parquet(tmp_path / "SGI-WetExperiment" / f"{name}.parquet", [row])
        with pytest.raises(TableError, match="SGI_WetExperiment_0000 comes twice"):
            read(tmp_path)


VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "\x00",
    "\ud800",
    "{'a': [",
    "[[[[",
    "9" * 5000,
    "out = <",
    "def f(:",
    "{1: {2: 3}}",
    "5",
    [],
    [None],
    [[]],
    ["x", 1],
    {"bytes": "x"},
    {"path": "/etc/hostname.png"},
    "a" * 300_000,
    "1-2-3",
    [{"bytes": None}],
)


def mutated(row: dict[str, Any], family: Family, number: int) -> dict[str, Any]:
    """A row of which one or two cells are missing, replaced, cut, doubled, or taken from another cell."""
    stream = rng.stream(31, "mutated", family, number)
    changed = dict(row)
    for _ in range(1 + stream.below(2)):
        name = stream.choice(sorted(COLUMNS[family]))
        cell, kind = changed.get(name), stream.below(6)
        if kind == 0:
            changed.pop(name, None)
        elif kind == 1 and isinstance(cell, str):
            changed[name] = cell[: stream.below(len(cell) + 1)]
        elif kind == 2 and isinstance(cell, str):
            at = stream.below(len(cell) + 1)
            changed[name] = cell[:at] + stream.choice(["\n", ")", "}", "'", "<", "é", "\t"]) + cell[at:]
        elif kind == 3 and isinstance(cell, list):
            changed[name] = cell * 2 if stream.below(2) else cell[1:]
        elif kind == 4:
            changed[name] = changed.get(stream.choice(sorted(COLUMNS[family])))
        else:
            changed[name] = VALUES[stream.below(len(VALUES))]
    return changed


def attempt(folder: Path, family: Family, number: int) -> bool:
    """Play a mutated row whole; whether it was refused, with a message that names its place."""
    row = {**rows()[family][0]}
    if family == "experimental_reasoning":
        row |= {"images": [base64.b64encode(png()).decode()], "step_images": []}
    place = folder / f"SGI-{RELEASED_NAMES[family]}"
    place.mkdir(exist_ok=True)
    (place / "a.jsonl").write_text(json.dumps(mutated(row, family, number)) + "\n")
    try:
        tasks, blobs = read(folder)
    except TableError as problem:
        assert str(folder) in problem.message and problem.remedy
        assert problem.message.count("\n") == 0 and len(problem.message) < 1000
        return True
    for task in tasks:
        # Code of mutated rows is not run: programs have tests of their own, and each takes a second.
        for name in ("trusts-retracted",) if family == "dry_experiment" else ("oracle", "chance"):
            whole(task, blobs, name)
    return False


@pytest.mark.parametrize("family", FAMILIES)
def test_mutated_rows_end_in_one_message_each(tmp_path: Path, family: Family) -> None:
    refused = sum(attempt(tmp_path, family, number) for number in range(10))
    assert refused


@pytest.mark.full
def test_a_thousand_mutated_rows_end_in_one_message_each(tmp_path: Path) -> None:
    refused = sum(attempt(tmp_path, FAMILIES[number % 5], number) for number in range(1000))
    assert refused > 300


def test_a_set_by_path_is_found_by_the_configuration(tmp_path: Path) -> None:
    found = ReleasedSet(SUITE, "mine", write_folder(tmp_path))
    assert len(found.files) == 7  # five tables and two pictures
    assert len(found.tasks(MemoryBlobs())) == 10
    before = found.digest
    (tmp_path / "SGI-Reasoning/data/0.png").write_bytes(png(7))
    assert ReleasedSet(SUITE, "mine", tmp_path).digest != before

"""A folder with the released files, played under the settings of the paper, beside its printed rows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import main
from assay.config.released import ReleasedSet
from assay.episodes.blobs import MemoryBlobs
from assay.suite import suite
from assay.suites.causalab.model.files import ModelError, read_models, write_models
from assay.suites.causalab.model.generator import model
from assay.suites.causalab.simulation.released import PREFIX
from assay.suites.causalab.tables.paper import SOURCES

PUBLISHED = Path(__file__).parents[3] / "config" / "published" / "causalab.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of the released schema with a few of our own models."""
    for stem, family, variant in (
        ("4nodes", "linear", ""),
        ("4nodes_quad_hard", "quad_hard", ""),
        ("4nodes_hidden_n1", "linear", "hidden_n1"),
    ):
        models = [model(family, 4, n, 9, variant) for n in range(3)]
        write_models(tmp_path / f"{stem}.jsonl", models)
    return tmp_path


def played(capsys: pytest.CaptureFixture[str], folder: Path, *options: str) -> list[dict[str, Any]]:
    arguments = ["causalab", "released", str(folder), "--published", str(PUBLISHED), "--json", *options]
    assert main(arguments) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_rows_stand_beside_those_of_the_paper(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    rows = played(capsys, folder, "--setting", "main", "--setting", "quad-hard")
    assert [(r["setting"], r["source"]) for r in rows if r["source"] == "ours"] == [
        ("main", "ours"),
        ("quad-hard", "ours"),
    ]
    ours = next(r for r in rows if r["source"] == "ours")
    assert (ours["rows"], ours["edge_f1"], ours["shd"], ours["solved"]) == (3, 1.0, 0.0, 100.0)
    paper = next(r for r in rows if r["agent"] == "GPT-5-mini" and r["setting"] == "main")
    assert (paper["edge_f1"], paper["solved"]) == (0.793, 48.0)


def test_the_conditions_are_those_of_the_setting(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    rows = played(capsys, folder, "--setting", "24o0i", "--setting", "hidden_n1")
    ours = {r["setting"]: r for r in rows if r["source"] == "ours"}
    assert ours["24o0i"]["edge_precision"] == 1.0 and ours["24o0i"]["edge_recall"] < 1.0
    assert ours["hidden_n1"]["edge_f1"] < 1.0


def test_a_folder_without_the_files_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["causalab", "released", str(tmp_path)]) != 0
    assert "has none of the released files" in capsys.readouterr().err


def test_a_folder_is_a_task_set(folder: Path) -> None:
    released = ReleasedSet(suite("causalab"), "paper", folder)
    tasks = released.tasks(MemoryBlobs())
    assert [path.name for path in released.files] == [
        "4nodes.jsonl",
        "4nodes_hidden_n1.jsonl",
        "4nodes_quad_hard.jsonl",
    ]
    # Every setting of four variables that takes one of the three files, with its three models.
    settings = {task.strata["setting"] for task in tasks}
    assert {"released-main", "released-3o6i", "released-quad-hard", "released-hidden_n1"} < settings
    assert len(tasks) == 3 * len(settings) and all(name.startswith("released-") for name in settings)
    first = next(task for task in tasks if task.strata["setting"] == "released-quad-hard")
    assert first.hidden["model"] == read_models(folder / "4nodes_quad_hard.jsonl")[0].raw
    assert first.public["conditions"]["budget"] == 12


def test_tables_of_the_paper_name_what_was_played_on_its_graphs() -> None:
    assert SOURCES == {"": "ours", PREFIX: "released"}


def test_a_malformed_file_is_one_error_with_its_place(folder: Path) -> None:
    path = folder / "4nodes.jsonl"
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace('"budget"', '"bugdet"')
    path.write_text("\n".join(lines))
    with pytest.raises(ModelError, match=r"4nodes\.jsonl, line 2: budget: the field is missing"):
        ReleasedSet(suite("causalab"), "paper", folder).tasks(MemoryBlobs())


@pytest.mark.skipif("ASSAY_CAUSALAB_FILES" not in os.environ, reason="ASSAY_CAUSALAB_FILES names no folder")
def test_the_released_files_give_the_documented_figures(capsys: pytest.CaptureFixture[str]) -> None:
    rows = played(capsys, Path(os.environ["ASSAY_CAUSALAB_FILES"]), "--setting", "main")
    ours = {r["nodes"]: r for r in rows if r["source"] == "ours"}
    assert {nodes: r["solved"] for nodes, r in ours.items()} == {3: 100, 4: 100, 5: 92, 6: 74, 7: 84}
    assert all((r["edge_f1"], r["shd"]) == (1.0, 0.0) for r in ours.values())
    assert [round(ours[n]["imec_data"], 2) for n in (3, 4)] == [1.60, 4.54]

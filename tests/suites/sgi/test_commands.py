"""The command line: what users type, and what they get wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.suites.sgi import archived

from assay.cli.main import main
from assay.suites.sgi.released import loader as released
from assay.suites.sgi.v0.replies import SOLUTIONS


def test_sampled_items_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder, n in zip(folders, ("3", "2"), strict=True):
        arguments = [
            "--family",
            "wet_experiment",
            "--level",
            "1",
            "--seed",
            "7",
            "--n",
            n,
            "--out",
            str(folder),
        ]
        assert main(["sgi", "sample", *arguments]) == 0
    first = [folder / "SGX_WetExperiment_0001.json" for folder in folders]
    assert first[0].read_bytes() == first[1].read_bytes()  # an item does not depend on their number
    item = json.loads(first[0].read_text())
    (tmp_path / "reply.txt").write_text(item["answer"])
    capsys.readouterr()
    arguments = [str(first[0]), str(tmp_path / "reply.txt"), "--profile", "objective", "--json"]
    assert main(["sgi", "score", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["headline"] == pytest.approx(1.0, abs=1e-4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what users might name by mistake."""
    (tmp_path / "nothing.txt").write_text("")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "broken.json").write_text("[1, 2")
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "nameless.json").write_text('{"question": "?"}')
    (tmp_path / "stranger.json").write_text('{"idx": "hello"}')
    (tmp_path / "bare.json").write_text('{"idx": "SGX_DryExperiment_0000"}')
    row = archived.row("dry-v0")
    (tmp_path / "item.json").write_text(json.dumps(row))
    (tmp_path / "code.json").write_text(json.dumps({**row, "incomplete_functions": 5}))
    (tmp_path / "compare.json").write_text(json.dumps({**row, "x_compare": 5}))
    (tmp_path / "right.txt").write_text(SOLUTIONS["dry_experiment"](row))
    released_row = {key: row[key] for key in released.COLUMNS["dry_experiment"]}
    for name in ("SGI_DryExperiment_0001", "SGI_DryExperiment_0206"):
        (tmp_path / f"{name[-4:]}.json").write_text(json.dumps({**released_row, "idx": name}))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("score nowhere.json nothing.txt", "nowhere.json cannot be read (No such file or directory)"),
        ("score . nothing.txt", "cannot be read (Is a directory)"),
        ("score broken.json nothing.txt", "broken.json is no JSON (Expecting"),
        ("score list.json nothing.txt", "list.json holds no object"),
        ("score nameless.json nothing.txt", "nameless.json, column idx: is missing"),
        ("score stranger.json nothing.txt", "stranger.json, column idx: hello names no family"),
        ("score bare.json nothing.txt", "bare.json, column question: is missing"),
        ("score code.json nothing.txt", "code.json, column incomplete_functions: holds int"),
        ("score compare.json right.txt", "compare.json: a column of ours (x_...) is not as sampled"),
        ("score item.json nowhere.txt", "nowhere.txt cannot be read (No such file or directory)"),
        ("score item.json bytes.txt", "bytes.txt is no text (byte 0 is not UTF-8)"),
        ("score 0206.json right.txt", "SGI_DryExperiment_0206 needs files beside its columns"),
        ("sample --family dry_experiment --seed -1 --out out", "--seed -1 is below 0"),
        ("sample --family dry_experiment --seed 1 --n 0 --out out", "--n 0 is no number of items"),
        ("sample --family wet_experiment --seed 1 --out item.json", "could not be written"),
        ("load dry_experiment nowhere", "nowhere is no file or folder"),
        ("load dry_experiment .", "holds no parquet file"),
    ],
)
def test_errors_name_what_is_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    known = {path.name for path in folder.iterdir()}
    words = [
        str(folder / word) if word in known or word.startswith("nowhere") or word in (".", "out") else word
        for word in arguments.split()
    ]
    assert main(["sgi", *words]) in (1, 2)
    error = capsys.readouterr().err
    assert said in error.replace("\n", " ")
    assert error.startswith("error: ")
    assert "\nremedy: " in error


def test_a_released_dry_item_is_scored_by_its_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without columns of ours: what is printed is compared as text, and the seconds are measured."""
    arguments = [str(folder / "0001.json"), str(folder / "right.txt"), "--json"]
    assert main(["sgi", "score", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["headline"], found["ser"], found["labels"]["headline"]) == (1.0, 1.0, "text_fallback")
    assert 0 < found["seconds"] < 30

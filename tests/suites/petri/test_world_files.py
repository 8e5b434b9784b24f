"""The files with what is known of each world: their values are fixed, and a malformed entry is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assay.errors import ConfigError
from assay.suites.petri.worlds import WORLDS
from assay.suites.petri.worlds.model import DATA_FILES, FOLDER, read

VALUES = "f39fa566cf1f1eaa645af9990cf0e7b0c1154c0c080792decdbd1af27c9f4953"
"""sha256 of all worlds as Python writes them: every digit, and whether a number is whole, are in it."""

SMALL = """
name: small
metrics: [order]
targets: {L1: order}
parameters:
  noise:
    control: 0.5
    legal: [0.0, 1.0]
    domain: [0.0, 2.0]
    decimals: 3
    tests: {"-": 0.1}
    decoys: [0.4]
    blind: 0.2
"""


def test_values_are_those_that_the_frozen_tasks_were_made_with():
    assert hashlib.sha256(repr(WORLDS).encode()).hexdigest() == VALUES


def test_every_file_is_declared():
    assert sorted(Path(file).name for file in DATA_FILES) == sorted(path.name for path in FOLDER.iterdir())
    assert sorted(WORLDS) == sorted(path.stem for path in FOLDER.iterdir())


def test_whole_numbers_stay_whole(tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL.replace("control: 0.5", "control: 1"))
    assert repr(read("small", tmp_path).parameters[0].control) == "1"


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("control: 0.5", "control: half", r"parameters: 0: control: .*valid number .*\(got 'half'\)"),
        ("control: 0.5", "control: .nan", r"parameters: 0: control: .*finite number \(got nan\)"),
        ("control: 0.5", "control: true", r"parameters: 0: control: .*\(got True\)"),
        ("control: 0.5", "controls: 0.5", "parameters: 0: control: .*required.*controls: "),
        ("legal: [0.0, 1.0]", "legal: [1.0, 0.0]", "legal: .*must be a smaller and a larger number"),
        ("legal: [0.0, 1.0]", "legal: 1.0", r"legal: .*\(got 1.0\)"),
        ("decimals: 3", "decimals: -3", r"decimals: .*greater than or equal to 0 \(got -3\)"),
        ('{"-": 0.1}', '{"left": 0.1}', r"tests: left: .*\(got 'left'\)"),
        ("decoys: [0.4]", "decoys: [[0.4]]", r"decoys: 0: .*\(got \[0.4\]\)"),
        ("metrics: [order]", "metrics: [1]", r"metrics: 0: .*valid string \(got 1\)"),
        ("targets: {L1: order}", "targets: order", r"targets: .*\(got 'order'\)"),
        ("metrics: [order]", "metrics: [order]\nmetrics: [disorder]", "stands here twice"),
    ],
)
def test_a_malformed_entry_is_named(tmp_path, good, bad, message):
    (tmp_path / "small.yaml").write_text(SMALL.replace(good, bad))
    with pytest.raises(ConfigError, match=f"small.yaml: .*{message}"):
        read("small", tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"small\.yaml: there is no such file"):
        read("small", tmp_path)

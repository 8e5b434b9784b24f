"""Trained guessers: the regression, the files, and that training again gives the same bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.madeup import SUITE
from tests.protocol.madeup.validity.shortcuts import GUESSER

from assay import canonical
from assay.agents.solver import SolverAgent
from assay.build.source import read
from assay.cli.main import main
from assay.config.loading import load
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import ConfigError
from assay.numbers import rng
from assay.numbers.logistic import CONSTANT, fit, log_odds
from assay.numbers.portable import exp
from assay.sessions.training import guessers, train
from assay.suite import Suite
from assay.validity.trained import TASKS, coefficients, examples

ROOT = Path(__file__).resolve().parents[2]


def of_project() -> list[tuple[Suite, str]]:
    suites = [entry.suite for entry in load(ROOT / "config/config.yaml").suites.values()]
    return [(suite, name) for suite in suites for name in guessers(suite)]


def drawn(count: int) -> tuple[list[dict[str, float]], list[bool]]:
    stream, rows, labels = rng.stream(0, "logistic"), [], []
    for _ in range(count):
        row = {
            f"kind {stream.below(5)}": 1.0,
            "size": 40.0 * stream.uniform(),
            "shape": stream.uniform() - 0.5,
        }
        rows.append(row)
        labels.append(stream.uniform() < 1 / (1 + exp(2.0 - 0.1 * row["size"] - 2.0 * row["shape"])))
    return rows, labels


def test_the_regression_is_at_the_minimum_of_the_penalised_loss() -> None:
    rows, labels = drawn(300)
    weights = fit(rows, labels)
    largest = {"size": max(row["size"] for row in rows), "shape": max(abs(row["shape"]) for row in rows)}
    for name, weight in weights.items():
        size = largest.get(name, 1.0)
        slope = sum(
            (1 / (1 + exp(-log_odds(weights, row))) - label)
            * (1.0 if name == CONSTANT else row.get(name, 0.0))
            / size
            for row, label in zip(rows, labels, strict=True)
        )
        assert slope + weight * size == pytest.approx(0.0, abs=0.05), name


def test_a_feature_that_tells_nothing_gets_no_weight() -> None:
    weights = fit([{"a": 1.0, "never": 0.0}, {"a": 1.0}], [True, False])
    assert "never" not in weights
    assert weights["a"] == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(ValueError, match="examples"):
        fit([], [])
    with pytest.raises(ValueError, match=r"argument 2 is (shorter|longer)"):
        fit([{"a": 1.0}], [])


def test_training_again_gives_the_same_bytes() -> None:
    assert train(SUITE, GUESSER) == GUESSER.file.read_text()
    assert guessers(SUITE) == {"shortcut-trained": GUESSER}


def test_a_trained_guesser_is_right_more_often_than_the_middle() -> None:
    """Among four numbers of one weight, learning must beat a fixed place in tasks that were not seen."""
    room, hits = SUITE.room("tasks"), {"learnt": 0, "middle": 0}
    for at in range(60):
        blobs = MemoryBlobs()
        task = room.generate(room.SETS["madeup-many"], "madeup-many", at, 77, blobs)
        truth = str(task.hidden["colours"].count("r"))
        for key, name in (("learnt", "shortcut-trained"), ("middle", "shortcut-weigher")):
            agent = SolverAgent(SUITE.solver(name), task, blobs)
            hits[key] += play(SUITE, task, name, agent, 0, materials_for(SUITE, blobs)).submission == truth
    assert hits["learnt"] > hits["middle"]


def test_every_question_needs_an_answer() -> None:
    with pytest.raises(ValueError, match="question 'red'"):
        examples([({"red": {"1": {}}}, {})])


def test_what_is_no_file_of_coefficients_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="FileNotFoundError"):
        replace(GUESSER, file=tmp_path / "none.json").best("red", {"1": {}})
    (tmp_path / "empty.json").write_text("{}")
    with pytest.raises(ConfigError, match="assay train"):
        coefficients(tmp_path / "empty.json")
    with pytest.raises(ConfigError, match="'blue'"):
        GUESSER.odds("blue", {})


def test_the_command_compares_and_writes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    options = ["--check", "--config", "config/test/madeup.yaml"]
    assert main(["train", "madeup", "shortcut-trained", *options]) == 0
    assert "is the same" in capsys.readouterr().out
    assert main(["train", "madeup", "shortcut-none", *options]) != 0
    assert "choose one of shortcut-trained" in capsys.readouterr().err


@pytest.mark.parametrize(("suite", "name"), [*of_project(), (SUITE, "shortcut-trained")])
def test_a_file_belongs_to_the_source_of_its_guesser(suite: Suite, name: str) -> None:
    guesser = guessers(suite)[name]
    known: Any = canonical.loads(guesser.file.read_bytes())
    assert known["task_set"] == guesser.task_set
    assert known["tasks"] == guesser.tasks <= TASKS
    package = Path(str(suite.room("shortcuts").__file__)).parent
    sources = package.rglob("*.py") if package.name == "shortcuts" else [package / "shortcuts.py"]
    declared = {
        (path.parent / file).resolve()
        for path in sources
        for file in read(path.read_bytes(), path, program=False).data
    }
    assert guesser.file.resolve() in declared


@pytest.mark.full
@pytest.mark.parametrize(("suite", "name"), of_project())
def test_the_long_tier_trains_every_guesser_again(suite: Suite, name: str) -> None:
    guesser = guessers(suite)[name]
    assert train(suite, guesser) == guesser.file.read_text()

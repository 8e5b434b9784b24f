"""Recordings that no entry covers are named, with an entry that covers them."""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

import pytest
import yaml
from tests.agents.sessions import recorded, write_checkout

from assay.build.planning.plan import Plan
from assay.cli.config import add_arguments, main
from assay.config.loading import load
from assay.sessions import uncovered

AGENTS = Path("config/agents.yaml")


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The made-up suite with two recordings of `fake`, which has no entry; and agents that have one."""
    write_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    for attempt in (0, 2):
        recorded(tmp_path, attempt=attempt)
    return tmp_path


def notes(agent: str = "*") -> list[str]:
    return uncovered.notes(load(), agent)


def paste(note: str) -> None:
    """Do what a note says: its YAML becomes an entry, or changes one."""
    file = yaml.safe_load(AGENTS.read_text())
    for name, entry in yaml.safe_load(note.partition("\n")[2]).items():
        file["agents"][name] = {**file["agents"].get(name, {}), **entry}
    AGENTS.write_text(yaml.safe_dump(file))


def play_as(agent: str) -> None:
    shutil.copytree("recordings/fake", f"recordings/{agent}")
    shutil.rmtree("recordings/fake")


def test_an_agent_without_an_entry_is_named_with_one_to_paste() -> None:
    (note,) = notes()
    assert note == (
        "2 recordings in recordings/fake will not be built: config/agents.yaml has no entry fake; "
        "add it below `agents`:\n"
        "  fake:\n"
        "    kind: model\n"
        "    suites:\n"
        "      madeup: [madeup-v0]\n"
        "    attempts: 3\n"
        "    transport: {kind: recorded}"
    )
    assert (notes("fake"), notes("player")) == ([note], [])
    AGENTS.write_text(AGENTS.read_text() + note.partition("\n")[2] + "\n")
    assert notes() == []


@pytest.mark.parametrize(
    ("entry", "suites", "attempts"),
    [
        ("suites: {}", {"madeup": ["madeup-v0"]}, 3),
        ("suites: {madeup: [madeup-many]}, attempts: 5", {"madeup": ["madeup-many", "madeup-v0"]}, 5),
        ("suites: {madeup: all, petri: all}", {"madeup": "all", "petri": "all"}, 3),
    ],
)
def test_an_entry_that_does_not_cover_a_suite_set_or_attempt_is_named(
    entry: str, suites: object, attempts: int
) -> None:
    text = AGENTS.read_text()
    AGENTS.write_text(text + f"  fake: {{kind: model, transport: {{kind: recorded}}, {entry}}}\n")
    (note,) = notes()
    assert "the entry fake in config/agents.yaml does not cover them; change in it:\n" in note
    assert yaml.safe_load(note.partition("\n")[2]) == {"fake": {"suites": suites, "attempts": attempts}}
    paste(note)
    assert notes() == []


def test_a_name_that_a_solver_has_is_named_without_an_entry() -> None:
    play_as("exact")
    assert notes() == [
        "2 recordings in recordings/exact will not be built: exact is a solver in config/agents.yaml; "
        "record under a name that no other agent has"
    ]


def test_names_that_yaml_would_read_as_something_else_are_quoted() -> None:
    play_as("1e3")
    (note,) = notes()
    paste(note)
    assert notes() == []


def test_suites_and_sets_of_other_configurations_are_not_named() -> None:
    shutil.copytree("recordings/fake/madeup", "recordings/fake/elsewhere")
    shutil.move("recordings/fake/madeup/madeup-v0", "recordings/fake/madeup/other-v0")
    assert notes() == []
    shutil.rmtree("recordings")
    assert notes() == []


def test_the_check_of_the_configuration_names_them(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = parser.parse_args(["check"])
    assert main(arguments) == 0
    first, named = capsys.readouterr().out.split("\n", 1)
    assert first.endswith("no problem found")
    assert re.fullmatch(r"note: 2 recordings in recordings/fake .*recorded}\n", named, re.DOTALL)


def test_the_plan_names_them_wherever_it_is_made(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load()
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert [note.partition(":")[0] for note in Plan(config, checkout).contents.uncovered] == [
        "2 recordings in recordings/fake will not be built"
    ]

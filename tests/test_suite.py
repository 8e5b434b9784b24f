"""A suite's rooms are found by name, and what is not there is said."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay.rooms
import assay.suite
import tests.protocol.rooms
from assay.errors import UnknownName
from assay.suite import OPTIONAL_ROOMS, ROOMS, Suite, suite
from tests.protocol.madeup import SUITE
from tests.protocol.rooms import Rooms


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package `elsewhere` that can be imported during the test."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "elsewhere"]:
        del sys.modules[name]


def test_a_suite_lives_in_assay_unless_told_otherwise() -> None:
    assert suite("petri") == Suite("petri", "assay.suites.petri")
    assert suite("madeup", "tests.protocol.madeup") == SUITE


def test_rooms_are_loaded_when_called() -> None:
    assert SUITE.load("scoring").__name__ == "tests.protocol.madeup.scoring"
    assert all(SUITE.has(room) for room in ROOMS)


def test_a_room_is_found_without_being_imported(package: Path) -> None:
    (package / "world.py").write_text("raise RuntimeError('imported')")
    elsewhere = Suite("elsewhere", "elsewhere")
    assert elsewhere.has("world")
    assert not elsewhere.has("artefacts")
    assert "artefacts" in OPTIONAL_ROOMS


def test_a_room_that_is_not_written_is_named(package: Path) -> None:
    with pytest.raises(UnknownName, match=r"the suite elsewhere has no room world \(elsewhere\.world\)"):
        Suite("elsewhere", "elsewhere").load("world")


@pytest.mark.parametrize("name", ["nowhere", "nowhere.at.all", "tests.nowhere", "assay.suites.nowhere"])
def test_a_package_that_does_not_exist_is_named(name: str) -> None:
    with pytest.raises(UnknownName, match="has no room world") as caught:
        Suite("nowhere", name).load("world")
    assert "`package`" in caught.value.remedy


def test_what_a_room_lacks_is_not_mistaken_for_the_room(package: Path) -> None:
    (package / "world.py").write_text("import a_library_that_is_not_installed")
    with pytest.raises(ModuleNotFoundError, match="a_library_that_is_not_installed"):
        Suite("elsewhere", "elsewhere").load("world")


def test_there_are_no_other_rooms() -> None:
    with pytest.raises(UnknownName, match="'kitchen' is not a room") as caught:
        SUITE.load("kitchen")
    assert "scoring" in caught.value.remedy


def test_entries_are_found_by_name() -> None:
    assert SUITE.find("solvers", "SOLVERS", "privileged").privileged
    with pytest.raises(UnknownName, match="'exakt' is not in SOLVERS of the suite madeup") as caught:
        SUITE.find("solvers", "SOLVERS", "exakt")
    assert "exact" in caught.value.remedy


@pytest.mark.parametrize("name", ["madeup", "petri", "causalab", "pilab", "collider", "sgi"])
def test_the_rooms_that_mypy_checks_are_those_of_the_suite(name: str) -> None:
    checked: Rooms = getattr(tests.protocol.rooms, name)()
    of = SUITE if name == "madeup" else suite(name)
    assert vars(checked) == {room: of.load(room) if of.has(room) else None for room in ROOMS}


def test_the_rooms_have_a_protocol_each_and_a_row_in_the_documentation() -> None:
    protocols = re.findall(r"^class (\w+)\(Protocol\)", inspect.getsource(assay.rooms), re.MULTILINE)
    assert protocols == [f"{room.title()}Room" for room in ROOMS]
    rows = re.findall(r"^\| `(\w+)`(, optional)? \| `(\w+)`", assay.suite.__doc__ or "", re.MULTILINE)
    assert rows == [
        (room, ", optional" if room in OPTIONAL_ROOMS else "", protocol)
        for room, protocol in zip(ROOMS, protocols, strict=True)
    ]


def test_the_page_on_adding_a_suite_has_the_functions_of_the_protocols() -> None:
    page = (Path(__file__).parents[1] / "docs" / "adding-a-suite.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| [\d–]+ \| `([a-z]+)` \| (.*) \|$", page, re.MULTILINE))
    assert sorted(rows) == sorted(ROOMS)
    for room, row in rows.items():
        protocol = getattr(assay.rooms, f"{room.title()}Room")
        functions = inspect.getmembers(protocol, inspect.isfunction)
        assert dict(re.findall(r"`(\w+)\(([\w, ]+)\)`", row)) == {
            name: ", ".join([*inspect.signature(function).parameters][1:])
            for name, function in functions
            if not name.startswith("_")
        }

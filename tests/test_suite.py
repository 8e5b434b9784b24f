"""A suite's rooms are found by name, and what is not there is said."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay.suite
from assay.errors import UnknownName
from assay.suite import OPTIONAL_ROOMS, ROOMS, Suite, suite
from tests.protocol.madeup import SUITE


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
    assert SUITE.room("scoring").__name__ == "tests.protocol.madeup.scoring"
    assert all(SUITE.has(room) for room in ROOMS)


def test_a_room_is_found_without_being_imported(package: Path) -> None:
    (package / "world.py").write_text("raise RuntimeError('imported')")
    elsewhere = Suite("elsewhere", "elsewhere")
    assert elsewhere.has("world")
    assert not elsewhere.has("artefacts")
    assert "artefacts" in OPTIONAL_ROOMS


def test_a_room_that_is_not_written_is_named(package: Path) -> None:
    with pytest.raises(UnknownName, match=r"the suite elsewhere has no room world \(elsewhere\.world\)"):
        Suite("elsewhere", "elsewhere").room("world")


@pytest.mark.parametrize("name", ["nowhere", "nowhere.at.all", "tests.nowhere", "assay.suites.nowhere"])
def test_a_package_that_does_not_exist_is_named(name: str) -> None:
    with pytest.raises(UnknownName, match="has no room world") as caught:
        Suite("nowhere", name).room("world")
    assert "`package`" in caught.value.remedy


def test_what_a_room_lacks_is_not_mistaken_for_the_room(package: Path) -> None:
    (package / "world.py").write_text("import a_library_that_is_not_installed")
    with pytest.raises(ModuleNotFoundError, match="a_library_that_is_not_installed"):
        Suite("elsewhere", "elsewhere").room("world")


def test_there_are_no_other_rooms() -> None:
    with pytest.raises(UnknownName, match="'kitchen' is not a room") as caught:
        SUITE.room("kitchen")
    assert "scoring" in caught.value.remedy


def test_entries_are_found_by_name() -> None:
    assert SUITE.find("solvers", "SOLVERS", "privileged").privileged
    with pytest.raises(UnknownName, match="'exakt' is not in SOLVERS of the suite madeup") as caught:
        SUITE.find("solvers", "SOLVERS", "exakt")
    assert "exact" in caught.value.remedy


def documented(page: str) -> dict[str, dict[str, list[str]]]:
    """The parameters of each room's functions, as a table of rooms on a page gives them."""
    rooms: dict[str, dict[str, list[str]]] = {}
    room = ""
    for row in re.findall(r"^\| .* \|$", page, re.MULTILINE):
        name = re.match(r"\| `(\w+)`", row)
        room = name[1] if name else room
        found = re.findall(r"`(\w+)\(([\w, ]*)\)", row)
        rooms.setdefault(room, {}).update({name: parameters.split(", ") for name, parameters in found})
    return {room: functions for room, functions in rooms.items() if room in ROOMS}


@pytest.mark.parametrize("suite_of", ["madeup", "petri", "causalab", "pilab", "collider", "sgi"])
def test_the_documented_rooms_have_the_parameters_that_the_suites_give_them(suite_of: str) -> None:
    rooms = documented(assay.suite.__doc__ or "")
    assert tuple(rooms) == ROOMS
    described = SUITE if suite_of == "madeup" else suite(suite_of)
    for room, functions in rooms.items():
        if not described.has(room):
            assert room in OPTIONAL_ROOMS
            continue
        for name, parameters in functions.items():
            signature = inspect.signature(getattr(described.room(room), name)).parameters.values()
            # A parameter with a default is the suite's own affair.
            assert [p.name for p in signature if p.default is p.empty] == parameters, f"{room}.{name}"

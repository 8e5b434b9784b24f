"""The table of doors is complete, and what once broke a door does so no more."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.reliability.fuzzing import bounds, tools
from tests.reliability.fuzzing.bounds import Opened, shorter
from tests.reliability.fuzzing.door import ROOT, Call, Defect, Door, some
from tests.reliability.fuzzing.mutation import Mutator, rechained, stream
from tests.reliability.fuzzing.table import doors

from assay.config.loading import load, suite_of
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import open_episode
from assay.errors import ConfigError
from assay.sessions.taskfiles import find_task

CONFIGURATION = sorted(path.relative_to(ROOT) for path in ROOT.glob("config/**/*.yaml"))


@pytest.mark.parametrize("path", CONFIGURATION, ids=str)
def test_every_configuration_file_has_a_row(path: Path) -> None:
    assert [door.name for door in doors().values() for pattern in door.files if path.match(pattern)], (
        f"{path} comes in by no door: add it to the files of a row in tests/reliability/fuzzing"
    )


@pytest.mark.parametrize("suite", sorted(load(ROOT / "config/config.yaml").suites))
def test_every_tool_of_every_world_is_called_by_a_seed(suite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    source = Path("config/config.yaml")
    config = suite_of(load(source), suite, source)
    called = {
        name
        for door in doors().values()
        if door.suite == suite
        for seed in door.seeds()
        for name in tools.named(seed)
    }
    for folder in sorted((ROOT / "tasks" / suite).iterdir()):
        if not (files := sorted(folder.glob("*.json"))):
            continue  # only committed to
        blobs = MemoryBlobs()
        task = find_task(config, str(files[0]), blobs)
        with open_episode(config.suite, task, "nobody", 0, materials_for(config.suite, blobs)) as episode:
            offered = {tool.name for tool in episode.harness.brief.tools}
        assert offered <= called, (
            f"{suite}/{folder.name}: no seed calls {', '.join(sorted(offered - called))}"
        )


@pytest.mark.parametrize("name", [name for name, door in doors().items() if door.broken])
def test_what_once_broke_a_door_does_so_no_more(name: str) -> None:
    with Opened(doors()[name]) as opened:
        for data in doors()[name].broken:
            finding = opened.try_(data)
            assert finding is None, bounds.told(finding)


# ------------------------------------------------------------ the bounds can be broken, and say so


def _door(take: Call) -> Door:
    return Door("made up", "text", lambda folder: take, some(), (ConfigError,))


def _loops(data: bytes) -> object:
    while True:
        pass


def _waits(data: bytes) -> object:
    while True:
        try:
            time.sleep(1)
        except Exception:
            continue


def _fills(data: bytes) -> object:
    return bytearray(2 * bounds.MEMORY)


def _raises(problem: BaseException) -> Callable[[bytes], object]:
    def take(data: bytes) -> object:
        raise problem

    return take


@pytest.mark.parametrize(
    ("take", "kind"),
    [
        (_raises(KeyError("a")), "KeyError"),
        (_raises(RecursionError()), "RecursionError"),
        (_raises(SystemExit(1)), "SystemExit"),
        (_raises(Defect("it let something through")), "it let something through"),
        (_loops, "more than 0.05 s"),
        (_waits, "more than 2 s"),
        (_fills, "MemoryError"),
    ],
)
def test_what_is_not_declared_is_a_finding(take: Call, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "CPU_SECONDS", 0.05)
    monkeypatch.setattr(bounds, "WALL_SECONDS", 2)
    with Opened(_door(take)) as opened:
        finding = opened.try_(b"x")
    assert finding is not None
    assert finding.kind == kind


def test_what_is_declared_is_none() -> None:
    with Opened(_door(_raises(ConfigError("a", "b")))) as opened:
        assert opened.try_(b"x") is None


def test_a_finding_is_made_short() -> None:
    def take(data: bytes) -> object:
        if b"X" in data and b"Y" in data:
            raise ValueError
        return None

    with Opened(_door(take)) as opened:
        finding = opened.try_(b"a" * 500 + b"X" + b"b" * 500 + b"Y" + b"c" * 500)
        assert finding is not None
        assert shorter(opened, finding).data == b"XY"


def test_an_input_is_a_function_of_seed_door_and_number() -> None:
    door = doors()["causalab expression"]
    made = [
        [Mutator(door, door.seeds()).make(stream(3, door.name, number)) for number in range(50)]
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert len(set(made[0])) > 30


def test_a_recording_that_is_chained_anew_is_the_same() -> None:
    data = doors()["recording"].seeds()[0]
    assert rechained(data) == data

"""Archived sets: read from their files, whatever becomes of their generator."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from tests.protocol.conformance import ROOT
from tests.protocol.madeup import SUITE
from tests.protocol.madeup import tasks as madeup

from assay.build.job import Job
from assay.build.planning.plan import Plan
from assay.cli.main import main
from assay.config.archive import SUMS
from assay.config.loading import load
from assay.episodes.blobs import MemoryBlobs
from assay.errors import AssayError, ConfigError, TaskError
from assay.sessions.taskfiles import find_task
from assay.stages import tasks as stage
from assay.suite import Suite, suite
from assay.suites.petri.worlds import WORLDS
from assay.task import file_name, read_frozen

EARLY = Path("tasks/madeup/madeup-early")
FIRST_BLOB = "blobs/04b488ca06c8313e70c2978fe23d8bb67e57d2edb91c4539feb0a875baa7a107"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the made-up suite, whose archived set it may damage."""
    shutil.copytree(ROOT / "tests/protocol/tasks/madeup", tmp_path / "tasks/madeup")
    (tmp_path / "config").mkdir()
    files = {
        "config.yaml": {"suites": {"madeup": {"package": SUITE.package, "settings": "config/madeup.yaml"}}},
        "madeup.yaml": {"sets": {"madeup-early": "frozen", "madeup-v0": "frozen"}},
        "agents.yaml": {"agents": {}},
    }
    for name, value in files.items():
        (tmp_path / "config" / name).write_text(yaml.safe_dump(value))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def built(of: Suite, folder: Path, first: int, last: int) -> dict[str, bytes]:
    """The bytes that the stage `tasks` writes for some tasks of the set in a folder."""
    out = folder.parent / "out"
    out.mkdir(exist_ok=True)
    files = [str(path) for path in sorted(folder.rglob("*")) if path.is_file()]
    config = {
        "suite": of.name,
        "package": of.package,
        "spans": [[folder.name, first, last]],
        "frozen": dict.fromkeys(files, ""),
    }
    stage.run(Job(config, {}, {name: out / f"{name}.parquet" for name in ("tasks", "blobs")}))
    return {name: (out / f"{name}.parquet").read_bytes() for name in ("tasks", "blobs")}


def declare_archived(room: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(room.SETS, name, replace(room.SETS[name], archived=True))


# ------------------------------------------------------------ what was impossible


def one_more_decoy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The world `social` of petri gets one more value for decoys."""
    parameters = tuple(
        replace(p, decoys=(*p.decoys, 250)) if p.name == "n_agents" else p
        for p in WORLDS["social"].parameters
    )
    assert parameters != WORLDS["social"].parameters
    monkeypatch.setitem(WORLDS, "social", replace(WORLDS["social"], parameters=parameters))


@pytest.mark.parametrize(
    ("name", "task_set", "index", "change"),
    [("petri", "smoke-v0", 1, one_more_decoy)],
)
def test_a_generator_moves_on_and_its_archived_set_stays(
    name: str,
    task_set: str,
    index: int,
    change: Callable[[pytest.MonkeyPatch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = suite(name)
    room = of.room("tasks")
    folder = tmp_path / task_set
    folder.mkdir()
    for other in range(index + 1):
        shutil.copy(ROOT / "tasks" / name / task_set / file_name(other), folder)
    monkeypatch.setitem(room.SETS, task_set, replace(room.SETS[task_set], size=index + 1))
    before = built(of, folder, index, index + 1)

    monkeypatch.setattr("assay.sessions.taskfiles.folder", lambda config, task_set: folder)
    declare_archived(room, task_set, monkeypatch)
    assert main(["tasks", name, task_set, "--config", str(ROOT / "config/config.yaml")]) == 0
    change(monkeypatch)
    recipe = room.SETS[task_set]
    made = room.generate(recipe, task_set, index, recipe.seed, MemoryBlobs())
    with pytest.raises(TaskError, match="is not what its generator makes"):
        stage.compare(made, folder / file_name(index))
    assert built(of, folder, index, index + 1) == before


# ------------------------------------------------------------ damaged, missing, refused


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def change_a_letter(path: Path) -> None:
    path.write_text(path.read_text().replace('"fives"', '"fivea"'))


def change_a_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def drop_first_line(path: Path) -> None:
    path.write_text(path.read_text().partition("\n")[2])


def spoil_second_line(path: Path) -> None:
    lines = path.read_text().splitlines(True)
    path.write_text("".join([lines[0], f"x{lines[1]}", *lines[2:]]))


@pytest.mark.parametrize(
    ("file", "damage", "words"),
    [
        ("00001.json", cut, r"00001\.json is not a frozen task \(.*line \d+"),
        ("00001.json", change_a_letter, r"00001\.json was changed"),
        ("00001.json", Path.unlink, r"00001\.json is missing"),
        (FIRST_BLOB, change_a_byte, "/blobs/04b4.* was changed"),
        (FIRST_BLOB, Path.unlink, "/blobs/04b4.* is missing"),
        (SUMS, Path.unlink, "SHA256SUMS is missing"),
        (SUMS, drop_first_line, "SHA256SUMS does not list 00000.json"),
        (SUMS, spoil_second_line, "SHA256SUMS, line 2:"),
    ],
)
def test_a_damaged_archive_is_one_clear_error(
    project: Path, file: str, damage: Callable[[Path], None], words: str
) -> None:
    built(SUITE, EARLY, 0, 3)
    files = dict.fromkeys([str(EARLY / file_name(0))], "")
    damage(EARLY / file)
    config = {"suite": "madeup", "package": SUITE.package, "spans": [["madeup-early", 0, 3]], "frozen": files}
    with pytest.raises(TaskError, match=words) as problem:
        stage.run(Job(config, {}, {}))
    assert "git" in problem.value.remedy


def test_the_plan_misses_the_last_file(project: Path) -> None:
    plan = Plan(load())
    assert plan.contents.task_sets.size("madeup", "madeup-early") == 3
    (EARLY / file_name(2)).unlink()
    with pytest.raises(ConfigError, match=r"00002\.json is missing") as problem:
        Plan(load()).contents.task_sets.size("madeup", "madeup-early")
    assert problem.value.remedy.endswith("git checkout -- tasks/madeup/madeup-early")


def test_a_job_reads_the_list_and_the_contents_of_an_archive(project: Path) -> None:
    plan = Plan(load())
    files = plan.inputs.frozen_files("madeup", 0)
    assert {str(EARLY / SUMS), str(EARLY / FIRST_BLOB)} <= set(files)
    assert all((project / file).is_file() for file in files)


def test_a_task_that_the_world_no_longer_takes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def verify(task: object) -> None:
        raise KeyError("fives")

    monkeypatch.setattr(madeup, "verify", verify)
    with pytest.raises(TaskError, match=r"00000\.json cannot be read by `verify`.*\(KeyError\)"):
        built(SUITE, EARLY, 0, 3)


def test_an_archived_set_cannot_be_generated(project: Path) -> None:
    (project / "config/madeup.yaml").write_text(yaml.safe_dump({"sets": {"madeup-early": {"count": 3}}}))
    config = {"suite": "madeup", "package": SUITE.package, "spans": [["madeup-early", 0, 3]], "frozen": {}}
    for attempt in (
        lambda: stage.run(Job(config, {}, {})),
        lambda: find_task(load().suites["madeup"], "madeup-early/0", MemoryBlobs()),
    ):
        with pytest.raises(ConfigError, match="madeup/madeup-early is archived"):
            attempt()


# ------------------------------------------------------------ making and finding one


def test_a_frozen_set_becomes_archived(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = built(SUITE, Path("tasks/madeup/madeup-v0"), 0, 7)
    declare_archived(madeup, "madeup-v0", monkeypatch)
    assert main(["tasks", "madeup", "madeup-v0"]) == 0
    generate = madeup.generate
    monkeypatch.setattr(madeup, "generate", lambda *_: pytest.fail("the generator was called"))
    assert main(["tasks", "madeup", "madeup-v0"]) == 0  # checks what is listed
    assert built(SUITE, Path("tasks/madeup/madeup-v0"), 0, 7) == before
    for line in Path("tasks/madeup/madeup-v0", SUMS).read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(Path("tasks/madeup/madeup-v0", name).read_bytes()).hexdigest() == digest
    blobs = MemoryBlobs()
    task = find_task(load().suites["madeup"], "madeup-v0/3", blobs)
    assert task == read_frozen(Path("tasks/madeup/madeup-v0/00003.json"))
    monkeypatch.setattr(madeup, "generate", generate)
    assert blobs.get(task.blobs[0].sha256)


def test_too_late_to_archive(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare_archived(madeup, "madeup-v0", monkeypatch)
    generate = madeup.generate
    monkeypatch.setattr(madeup, "generate", lambda *given: replace(generate(*given), version=2))
    assert main(["tasks", "madeup", "madeup-v0"]) == AssayError.exit_code
    assert "shows contents that the present generator does not make" in capsys.readouterr().err
    assert not Path("tasks/madeup/madeup-v0", SUMS).exists()


def test_a_set_with_a_gap_is_not_archived(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declare_archived(madeup, "madeup-v0", monkeypatch)
    Path("tasks/madeup/madeup-v0/00006.json").unlink()
    assert main(["tasks", "madeup", "madeup-v0"]) == AssayError.exit_code
    assert "00006.json is missing: madeup-v0 has 7 tasks" in capsys.readouterr().err

"""Sets that are read from a folder of the user: planned, played and named apart, and never frozen."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from tests.protocol.conformance import ROOT
from tests.protocol.madeup import SUITE
from tests.protocol.madeup import tasks as madeup

from assay import canonical
from assay.admission.bundle import tasks_of
from assay.build import links
from assay.build.job import Job
from assay.build.planning.plan import Plan
from assay.config.loading import load
from assay.config.released import DESCRIPTION, ReleasedSet, declaration
from assay.episodes.blobs import MemoryBlobs
from assay.errors import ConfigError, TaskError, UnknownName
from assay.protocol import Blobs
from assay.sessions.taskfiles import find_task
from assay.stages.folders import released as stage
from assay.tables.reader import read_rows
from assay.tables.schemas.tasks import TASKS
from assay.task import Task

PICTURE = b"\x89PNG of an urn"


def released_files(folder: Path) -> list[Path]:
    return list(folder.rglob("*.urns"))


def read_released(folder: Path, set_name: str, blobs: Blobs) -> Iterator[Task]:
    """One task for each line: the made-up suite's first task, with a picture, under another name."""
    pattern = madeup.generate(madeup.SETS["madeup-v0"], "madeup-v0", 0, 1, MemoryBlobs())
    for path in sorted(released_files(folder)):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.isalnum():
                raise TaskError(f"{path}, line {number}: {line!r} is no name", "correct the line")
            shown = blobs.put(PICTURE + line.encode(), "image/png")
            yield replace(pattern, task_set=set_name, task_id=line, blobs=(shown,))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the made-up suite, which reads files of names, and a folder of them outside of it."""
    monkeypatch.setattr(madeup, "released_files", released_files, raising=False)
    monkeypatch.setattr(madeup, "read_released", read_released, raising=False)
    root = tmp_path / "project"
    shutil.copytree(ROOT / "tests/protocol/tasks/madeup", root / "tasks/madeup")
    (root / "config").mkdir()
    (tmp_path / "theirs/deep").mkdir(parents=True)
    (tmp_path / "theirs/b.urns").write_text("three\n")
    (tmp_path / "theirs/deep/a.urns").write_text("one\ntwo\n")
    (tmp_path / "theirs/readme.txt").write_text("not read")
    files = {
        "config.yaml": {"suites": {"madeup": {"package": SUITE.package, "settings": "config/madeup.yaml"}}},
        "agents.yaml": {"agents": {"exact": {"kind": "solver", "suites": {"madeup": "all"}}}},
    }
    for name, value in files.items():
        (root / "config" / name).write_text(yaml.safe_dump(value))
    monkeypatch.chdir(root)
    configure(str(tmp_path / "theirs"))
    return root


def configure(folder: str, name: str = "paper") -> None:
    sets = {"madeup-v0": "frozen", name: {"path": folder}, "madeup-many": {"count": 2}}
    Path("config/madeup.yaml").write_text(yaml.safe_dump({"sets": sets}))


def test_a_set_by_path_is_planned_apart_from_the_others(project: Path, tmp_path: Path) -> None:
    plan = Plan(load())
    assert plan.contents.task_sets.sizes("madeup", ["paper", "madeup-v0"]) == {"paper": 3, "madeup-v0": 7}
    *others, last = plan.inputs.task_shards("madeup")
    assert [span.task_set for span in last.spans] == ["paper"]
    assert "paper" not in {span.task_set for shard in others for span in shard.spans}
    assert [plan.parameters.tasks_stage("madeup", n) for n in (0, last.number)] == [
        "tasks",
        "folders.released",
    ]
    assert plan.inputs.frozen_files("madeup", last.number) == [
        str(tmp_path / "theirs/b.urns"),
        str(tmp_path / "theirs/deep/a.urns"),
    ]
    assert "folders" not in canonical.loads(plan.parameters.tasks_config("madeup", 0))
    theirs = links.picture("madeup", hashlib.sha256(PICTURE + b"two").hexdigest(), "image/png")
    assert theirs in plan.contents.task_sets.pictures("madeup")
    assert "paper" not in {span.task_set for span in plan.inputs.conduct_tasks("madeup").spans}
    assert plan.contents.episode_count("madeup", "exact") == 12


def test_the_stage_reads_the_tasks_of_its_span(project: Path, tmp_path: Path) -> None:
    plan = Plan(load())
    shard = plan.inputs.task_shards("madeup")[-1].number
    config = canonical.loads(plan.parameters.tasks_config("madeup", shard))
    config["spans"] = [["paper", 1, 3]]
    out = {name: tmp_path / f"{name}.parquet" for name in ("tasks", "blobs")}
    stage.run(Job(config, {}, out))
    rows = read_rows(out["tasks"], TASKS)
    assert [(row["task_id"], row["index"]) for row in rows] == [("three", 1), ("two", 2)]
    assert b"urn" in out["blobs"].read_bytes() and b"urnone" not in out["blobs"].read_bytes()


def test_its_digest_is_what_the_manifest_tells(project: Path, tmp_path: Path) -> None:
    before = json.loads(Plan(load()).parameters.manifest_config())["released"]
    assert list(before) == ["madeup/paper"] and len(before["madeup/paper"]) == 64
    (tmp_path / "theirs/readme.txt").write_text("still not read")
    assert json.loads(Plan(load()).parameters.manifest_config())["released"] == before
    (tmp_path / "theirs/b.urns").write_text("four\n")
    assert json.loads(Plan(load()).parameters.manifest_config())["released"] != before


def test_its_tasks_are_found_by_name_and_number(project: Path) -> None:
    config = load().suites["madeup"]
    blobs = MemoryBlobs()
    assert find_task(config, "paper/two", blobs) == find_task(config, "paper/2", blobs)
    assert blobs.get(find_task(config, "paper/2", blobs).blobs[0].sha256) == PICTURE + b"two"
    with pytest.raises(UnknownName, match="has no task '3'"):
        find_task(config, "paper/3", blobs)
    assert declaration(config.suite, "paper").doc == DESCRIPTION
    assert declaration(config.suite, "madeup-v0") == madeup.SETS["madeup-v0"]
    with pytest.raises(ConfigError, match="files of this machine"):
        tasks_of(config, "paper")


def test_a_wrong_folder_or_file_is_one_clear_error(project: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs/deep/a.urns").write_text("one\nt w o\n")
    with pytest.raises(TaskError, match=r"deep/a\.urns, line 2: 't w o' is no name"):
        Plan(load()).check()
    (tmp_path / "theirs/deep/a.urns").write_text("three\n")
    with pytest.raises(TaskError, match="madeup/paper/three is not one more task"):
        Plan(load()).check()
    configure("nowhere")
    with pytest.raises(ConfigError, match=r"madeup: the set paper: there is no folder .*nowhere"):
        Plan(load()).check()
    (tmp_path / "empty").mkdir()
    configure(str(tmp_path / "empty"))
    with pytest.raises(ConfigError, match="has none of the files that the suite reads"):
        Plan(load()).check()
    configure(str(tmp_path), "madeup-early")
    with pytest.raises(ConfigError, match="the suite declares a set of that name"):
        load()


def test_a_suite_that_reads_no_files(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(madeup, "read_released")
    with pytest.raises(ConfigError, match="this suite reads no released files"):
        Plan(load()).check()
    with pytest.raises(ConfigError, match="this suite reads no released files"):
        ReleasedSet(SUITE, "paper", Path()).tasks(MemoryBlobs())

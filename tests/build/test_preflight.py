"""Before a run: folders that cannot be written to are named, and damaged outputs removed."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from assay.build import damage, preflight
from assay.errors import PlatformError, WriteError


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_is_left_of_the_check(root: Path) -> None:
    preflight.check_places(root)
    assert sorted(path.name for path in root.rglob("*")) == sorted(preflight.PLACES)


@pytest.mark.parametrize("place", preflight.PLACES)
def test_a_file_in_the_way(root: Path, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    (root / place).write_text("")
    assert preflight.main() == 1
    error, remedy = capsys.readouterr().err.splitlines()
    assert error == f"error: {place}: File exists"
    assert remedy.startswith("remedy: make a folder of it")


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "free space on that disk"), (errno.EROFS, "work in a checkout on a disk")],
)
def test_a_disk_that_takes_nothing(
    root: Path, number: int, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, _: bytes) -> int:
        path.touch()
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(WriteError, match=f"results: {os.strerror(number)}") as caught:
        preflight.check_places(root)
    assert caught.value.remedy.startswith(hint)
    assert list((root / "results").iterdir()) == []


def test_times_that_are_still_to_come(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soon, past = time.time() + 3600, time.time() - 3600
    for name, when in (("results/a", soon), ("results/b", past), ("tasks/c", soon), ("Snakefile", soon)):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch()
        os.utime(root / name, (when, when))
    assert preflight.main() == 0
    assert "note: 3 files had times in the future, such as Snakefile" in capsys.readouterr().err
    assert (root / "results/b").stat().st_mtime == pytest.approx(past)
    for name in ("results/a", "tasks/c", "Snakefile"):
        assert (root / name).stat().st_mtime <= time.time()
    assert preflight.end_future(root) == []


def test_what_is_damaged_goes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shard, record = root / "results/shard", root / damage.RECORDS / "results/shard.json"
    record.parent.mkdir(parents=True)
    shard.write_text("whole")
    record.write_text(damage.sealed({"outputs": damage.note([Path("results/shard")])}))
    assert preflight.main() == 0
    assert shard.exists()
    shard.write_text("whale")
    assert preflight.main() == 0
    assert not shard.exists()
    assert "note: results/shard has other bytes than its job wrote" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "executor"),
    [
        ([], "local"),
        (["--cores", "2", "--", "all"], "local"),
        (["--executor", "slurm", "all"], "slurm"),
        (["-e", "slurm", "--workflow-profile", "mine"], "slurm"),
        (["--workflow-profile", "mine", "--", "all"], "cluster-generic"),
        (["--profile=mine"], "cluster-generic"),
        (["--workflow-profile", "without", "--profile", "mine"], "cluster-generic"),
        (["--workflow-profile", "absent"], "local"),
    ],
)
def test_the_executor_that_a_command_line_asks_for(root: Path, arguments: list[str], executor: str) -> None:
    for name, text in (("mine", "jobs: 2\nexecutor: cluster-generic\n"), ("without", "# executor: slurm\n")):
        (root / name).mkdir()
        (root / name / "config.yaml").write_text(text)
    assert preflight.executor(arguments) == executor


def test_an_executor_that_is_not_installed_is_named_with_what_to_do(root: Path) -> None:
    for name in preflight.LOCAL:
        preflight.check_plugin(name)
    with pytest.raises(
        PlatformError, match="error: snakemake-executor-plugin-of-nobody is not installed"
    ) as caught:
        preflight.check_plugin("of-nobody")
    assert caught.value.remedy.startswith("install snakemake-executor-plugin-of-nobody")
    (root / "envs").mkdir()
    (root / "envs/of-nobody.lock").touch()
    with pytest.raises(PlatformError) as caught:
        preflight.check_plugin("of-nobody")
    assert caught.value.remedy.startswith("make setup EXTRAS=of-nobody, or")


def test_programs_of_slurm_that_are_missing_are_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root))
    preflight.check_programs("local")
    with pytest.raises(PlatformError, match="no sbatch, squeue, sacct, scancel on PATH"):
        preflight.check_programs("slurm")
    for name in ("sbatch", "squeue", "scancel"):
        (root / name).touch(0o755)
    with pytest.raises(PlatformError, match="no sacct on PATH"):
        preflight.check_programs("slurm")
    (root / "sacct").touch(0o755)
    preflight.check_programs("slurm")

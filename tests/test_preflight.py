"""Before a run: folders that cannot be written to are named, and damaged outputs removed."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from assay import damage, preflight
from assay.errors import WriteError


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
    assert "note: 3 files were of the future, such as Snakefile" in capsys.readouterr().err
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

"""What jobs note of their outputs, and what is found damaged by these notes."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.build import damage
from assay.build.damage import RECORDS, Hashes

SHARD = "results/petri/shards/scores/ofat/0.parquet"
LOG = "results/petri/shards/events/ofat/0.parquet"
RECORD = f"{RECORDS}/{SHARD}.json"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where one job has written two outputs and its record."""
    monkeypatch.chdir(tmp_path)
    for number, file in enumerate((SHARD, LOG)):
        Path(file).parent.mkdir(parents=True)
        Path(file).write_bytes(random.Random(number).randbytes(500))
    Path(RECORD).parent.mkdir(parents=True)
    noted = damage.note([Path(SHARD), Path(LOG)])
    Path(RECORD).write_text(damage.sealed({"how": "computed", "wall_seconds": 1.5, "outputs": noted}))
    Path(".snakemake").mkdir()
    return tmp_path


def found(root: Path, hashes: Hashes | None = None) -> dict[str, str]:
    return {each.path: each.what for each in damage.find(root, hashes)}


def flip(file: Path, at: int, *, keep_time: bool = False) -> None:
    status, data = file.stat(), bytearray(file.read_bytes())
    data[at] ^= 1 << (at % 8)
    file.write_bytes(data)
    if keep_time:
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_nothing_is_wrong_with_what_was_not_touched(root: Path) -> None:
    assert found(root) == {}
    os.utime(SHARD)
    assert found(root) == {}


@pytest.mark.parametrize("file", [SHARD, LOG])
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[:99]), "has 99 bytes, not the 500"),
        (lambda file: file.write_bytes(b""), "has 0 bytes, not the 500"),
        (lambda file: flip(file, 400), "has other bytes"),
        (lambda file: flip(file, 400, keep_time=True), "has other bytes"),
    ],
)
def test_damage_is_named(root: Path, file: str, spoil: Callable[[Path], object], said: str) -> None:
    spoil(root / file)
    ((path, what),) = found(root).items()
    assert path == file
    assert what.startswith(said)
    assert damage.find(root, but=[file]) == []


def test_every_flipped_byte_of_a_record_is_seen(root: Path) -> None:
    whole = Path(RECORD).read_bytes()
    for at in range(len(whole)):
        flip(root / RECORD, at)
        assert found(root) == {RECORD: "is a damaged record"}, at
        Path(RECORD).write_bytes(whole)


def test_a_record_without_notes_tells_nothing(root: Path) -> None:
    Path(RECORD).write_text('{"how":"computed"}\n')
    flip(root / SHARD, 3)
    assert found(root) == {}


def test_what_is_missing_is_not_damaged(root: Path) -> None:
    Path(SHARD).unlink()
    assert found(root) == {}


def test_a_file_is_hashed_again_when_its_status_has_changed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, saved = Hashes(), root / "hashed.json"
    found(root, kept)
    kept.save(saved)
    hashed: list[str] = []
    digest = damage._digest
    monkeypatch.setattr(damage, "_digest", lambda file: hashed.append(file.name) or digest(file))
    assert found(root, Hashes.load(saved)) == {}
    assert hashed == []
    flip(root / SHARD, 9, keep_time=True)
    assert found(root, Hashes.load(saved)) == {SHARD: "has other bytes than its job wrote"}
    assert hashed == ["0.parquet"]


def test_the_newest_record_of_a_file_counts(root: Path) -> None:
    Path(SHARD).write_bytes(b"the same shard by a job whose first output is another file")
    newer = root / RECORDS / "results/petri/shards/episodes/ofat/0.parquet.json"
    newer.parent.mkdir(parents=True)
    newer.write_text(damage.sealed({"how": "computed", "outputs": damage.note([Path(SHARD)])}))
    after = Path(RECORD).stat().st_mtime_ns + 1
    os.utime(newer, ns=(after, after))
    assert found(root) == {}
    os.utime(newer, ns=(0, 0))
    assert list(found(root)) == [SHARD]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"results/petri/shards/scores/ofat/0.parquet":7}'])
def test_what_was_saved_may_be_damaged_too(root: Path, text: str) -> None:
    saved = root / "hashed.json"
    saved.write_text(text)
    flip(root / SHARD, 9)
    assert list(found(root, Hashes.load(saved))) == [SHARD]


def test_the_command_removes_what_is_damaged(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flip(root / LOG, 1)
    assert damage.main() == 0
    assert capsys.readouterr().err == (
        f"note: {LOG} has other bytes than its job wrote: removed, to be made again\n"
    )
    assert not Path(LOG).exists()
    assert Path(SHARD).exists()
    flip(root / RECORD, 7)
    assert damage.main() == 0
    assert not Path(RECORD).exists()
    assert not Path(SHARD).exists()  # of which nothing is known any more

from __future__ import annotations

import argparse
import hashlib
import json
import os
import time
from pathlib import Path

import pytest
from tests.small_checkout import SmallCheckout

from assay.build import store as store_module
from assay.build.store import Store, Usage, job_key, open_store, size_limit
from assay.errors import ConfigError

KEY = "ab" + "0" * 62
OTHER_KEY = "cd" + "0" * 62


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def outputs(tmp_path: Path) -> dict[str, Path]:
    """Two outputs of a job, one of them larger than what is copied at once."""
    (tmp_path / "out").mkdir()
    paths = {"scores": tmp_path / "out/scores.parquet", "blobs": tmp_path / "out/blobs.parquet"}
    paths["scores"].write_bytes(b"scores")
    paths["blobs"].write_bytes(bytes(range(256)) * (store_module.CHUNK // 100))
    return paths


@pytest.fixture
def targets(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "back").mkdir()
    return {"scores": tmp_path / "back/scores.parquet", "blobs": tmp_path / "back/blobs.parquet"}


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def blob(store: Store, content: bytes) -> Path:
    sha256 = hashlib.sha256(content).hexdigest()
    return store.folder / "blobs" / sha256[:2] / sha256[2:]


class TestKey:
    BASE = ("f", "{}", {"tasks": [("t", "1")], "more": [("u", "2"), ("v", "3")]}, {"scores": "0.parquet"})

    def test_the_order_of_names_does_not_count(self) -> None:
        fingerprint, config, inputs, outputs = self.BASE
        assert job_key(fingerprint, config, dict(reversed(inputs.items())), outputs) == job_key(*self.BASE)

    @pytest.mark.parametrize(
        "other",
        [
            ("g", *BASE[1:]),
            ("f", '{"a":1}', *BASE[2:]),
            ("f", "{}", {**BASE[2], "tasks": [("t", "9")]}, BASE[3]),
            ("f", "{}", {**BASE[2], "tasks": [("s", "1")]}, BASE[3]),
            ("f", "{}", {**BASE[2], "tasks": []}, BASE[3]),
            ("f", "{}", {**BASE[2], "more": [("v", "3"), ("u", "2")]}, BASE[3]),
            ("f", "{}", {**BASE[2], "none": []}, BASE[3]),
            (*BASE[:3], {"scores": "1.parquet"}),
            (*BASE[:3], {"flags": "0.parquet"}),
        ],
    )
    def test_everything_else_does(self, other: tuple[object, ...]) -> None:
        assert job_key(*other) != job_key(*self.BASE)  # type: ignore[arg-type]


class TestRestore:
    def test_what_was_kept_comes_back_with_its_digests(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        store.keep(KEY, outputs)
        digests = store.restore(KEY, targets)
        for name, path in outputs.items():
            assert targets[name].read_bytes() == path.read_bytes()
            assert digests is not None
            assert digests[name] == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_an_unknown_job_is_a_miss(self, store: Store, targets: dict[str, Path]) -> None:
        assert store.restore(KEY, targets) is None
        assert not store.folder.exists()

    def test_copies_are_independent(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        store.keep(KEY, outputs)
        outputs["scores"].write_bytes(b"edited in place")
        assert store.restore(KEY, targets)
        assert targets["scores"].read_bytes() == b"scores"
        targets["scores"].write_bytes(b"edited too")
        assert blob(store, b"scores").read_bytes() == b"scores"

    @pytest.mark.parametrize("damage", [b"scorez", b"score", b"scores and more", b""])
    def test_a_damaged_blob_is_dropped_and_a_miss(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path], damage: bytes
    ) -> None:
        store.keep(KEY, outputs)
        blob(store, b"scores").write_bytes(damage)
        assert store.restore(KEY, targets) is None
        assert not blob(store, b"scores").exists()
        assert not files(targets["scores"].parent)
        store.keep(KEY, outputs)
        assert store.restore(KEY, targets)

    def test_keeping_again_mends_a_damaged_blob(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        store.keep(KEY, outputs)
        blob(store, b"scores").write_bytes(b"scorez")
        store.keep(OTHER_KEY, outputs)
        assert store.restore(KEY, targets)

    def test_a_missing_blob_is_a_miss_that_leaves_nothing(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        store.keep(KEY, outputs)
        blob(store, outputs["blobs"].read_bytes()).unlink()
        assert store.restore(KEY, targets) is None
        assert not files(targets["scores"].parent)

    @pytest.mark.parametrize("record", ["", "{", "[]", "3", '{"scores": 1}', '{"scores": ["a", "b"]}', "{}"])
    def test_a_damaged_record_is_a_miss(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path], record: str
    ) -> None:
        store.keep(KEY, outputs)
        path = store.folder / "jobs" / KEY[:2] / KEY[2:]
        assert path.is_file()
        path.write_text(record)
        assert store.restore(KEY, targets) is None

    def test_every_flipped_byte_of_a_record_is_a_miss(
        self,
        store: Store,
        outputs: dict[str, Path],
        targets: dict[str, Path],
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        store.keep(KEY, outputs)
        path = store.folder / "jobs" / KEY[:2] / KEY[2:]
        whole = path.read_bytes()
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
            assert store.restore(KEY, targets) is None, at
            assert f"{path} is damaged" in capsys.readouterr().err
            assert not path.exists()
        store.keep(KEY, outputs)
        assert store.conflicts() == 0  # damage is no other result of the same job
        assert store.restore(KEY, targets)

    def test_a_record_without_a_hash_is_one_of_before(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        store.keep(KEY, outputs)
        path = store.folder / "jobs" / KEY[:2] / KEY[2:]
        path.write_bytes(path.read_bytes().splitlines()[0])
        assert store.restore(KEY, targets)

    def test_a_check_drops_what_is_damaged_and_nothing_else(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        store.keep(KEY, outputs)
        store.keep(OTHER_KEY, outputs)
        assert store.check() == []
        record = store.folder / "jobs" / KEY[:2] / KEY[2:]
        record.write_bytes(record.read_bytes()[:-2])
        blob(store, b"scores").write_bytes(b"scorez")
        assert set(store.check()) == {record, blob(store, b"scores")}
        assert store.check() == []
        assert store.restore(OTHER_KEY, targets) is None
        store.keep(OTHER_KEY, outputs)
        assert store.restore(OTHER_KEY, targets)

    def test_other_output_names_are_a_miss(
        self, store: Store, outputs: dict[str, Path], tmp_path: Path
    ) -> None:
        store.keep(KEY, outputs)
        assert store.restore(KEY, {"scores": tmp_path / "s"}) is None

    def test_nothing_temporary_is_left(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        store.keep(KEY, outputs)
        store.restore(KEY, targets)
        assert files(store.folder / "partial") == []


class TestConflicts:
    def test_equal_outputs_are_none(
        self, store: Store, outputs: dict[str, Path], capsys: pytest.CaptureFixture[str]
    ) -> None:
        store.keep(KEY, outputs)
        store.keep(KEY, outputs)
        assert capsys.readouterr().err == ""
        assert store.conflicts() == 0

    def test_other_outputs_are_reported_and_kept(
        self,
        store: Store,
        outputs: dict[str, Path],
        targets: dict[str, Path],
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        store.keep(KEY, outputs)
        outputs["scores"].write_bytes(b"other scores")
        store.keep(KEY, outputs)
        said = capsys.readouterr().err
        assert f"NOT DETERMINISTIC: {outputs['scores']} differs" in said
        assert str(blob(store, b"scores")) in said
        assert "blobs.parquet" not in said
        assert store.conflicts() == 1
        logged = json.loads((store.folder / "conflicts.log").read_text())
        assert logged["output"] == str(outputs["scores"])
        assert logged["before"] == hashlib.sha256(b"scores").hexdigest()
        assert logged["now"] == hashlib.sha256(b"other scores").hexdigest()
        assert store.restore(KEY, targets)
        assert targets["scores"].read_bytes() == b"other scores"


class TestUnusable:
    """A store that cannot be read or written makes misses, not failures."""

    @pytest.fixture
    def unusable(self, tmp_path: Path) -> Store:
        (tmp_path / "file").write_text("in the way")
        return Store(tmp_path / "file/store")

    def test_a_folder_that_cannot_be_made(
        self, unusable: Store, outputs: dict[str, Path], targets: dict[str, Path]
    ) -> None:
        unusable.keep(KEY, outputs)
        assert unusable.restore(KEY, targets) is None
        assert unusable.digest(outputs["blobs"]) == hashlib.sha256(outputs["blobs"].read_bytes()).hexdigest()
        assert unusable.trim(0) == unusable.usage() == unusable.clear() == Usage(0, 0, 0)

    @pytest.mark.parametrize("kind", ["jobs", "blobs", "partial"])
    def test_a_file_where_a_folder_belongs(
        self, store: Store, outputs: dict[str, Path], targets: dict[str, Path], kind: str
    ) -> None:
        store.folder.mkdir()
        (store.folder / kind).write_text("in the way")
        store.keep(KEY, outputs)
        assert store.restore(KEY, targets) is None

    def test_a_full_disk_leaves_nothing_half_written(
        self,
        store: Store,
        outputs: dict[str, Path],
        targets: dict[str, Path],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def copy(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(store_module, "_copy", copy)
        store.keep(KEY, outputs)
        assert files(store.folder) == []

    def test_a_full_disk_while_restoring(
        self,
        store: Store,
        outputs: dict[str, Path],
        targets: dict[str, Path],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        store.keep(KEY, outputs)
        real, calls = store_module._copy, []

        def copy(*arguments: object) -> object:
            calls.append(arguments)
            if len(calls) == 2:
                raise OSError(28, "No space left on device")
            return real(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(store_module, "_copy", copy)
        with pytest.raises(OSError, match="No space left"):
            store.restore(KEY, targets)
        assert files(targets["scores"].parent) == []
        assert blob(store, b"scores").exists()


class TestDigest:
    @pytest.fixture
    def large(self, tmp_path: Path) -> Path:
        """A large file that was last written a while ago."""
        path = tmp_path / "large"
        path.write_bytes(b"a" * store_module.SMALL)
        self.settle(path)
        return path

    @pytest.fixture(autouse=True)
    def settled_soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_module, "SETTLED", 0.05)

    def settle(self, path: Path) -> None:
        while time.time() - path.stat().st_ctime < 0.06:
            time.sleep(0.01)

    def reads(self, store: Store, path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
        """Whether asking for the digest reads the content; the digest must be right in any case."""
        read = []

        def file_digest(*arguments: object) -> object:
            read.append(arguments)
            return real(*arguments)  # type: ignore[arg-type]

        real = hashlib.file_digest
        with monkeypatch.context() as patch:
            patch.setattr(hashlib, "file_digest", file_digest)
            assert store.digest(path) == hashlib.sha256(path.read_bytes()).hexdigest()
        return bool(read)

    def test_remembered_over_the_next_store_object(
        self, store: Store, large: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert self.reads(store, large, monkeypatch)
        assert not self.reads(Store(store.folder), large, monkeypatch)

    def test_a_path_from_another_folder_is_the_same_file(
        self, store: Store, large: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.reads(store, large, monkeypatch)
        monkeypatch.chdir(large.parent)
        assert not self.reads(store, Path(large.name), monkeypatch)

    def test_an_edit_that_keeps_size_and_time_is_seen(
        self, store: Store, large: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.reads(store, large, monkeypatch)
        status = large.stat()
        with large.open("r+b") as file:
            file.write(b"b")
        os.utime(large, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert self.reads(store, large, monkeypatch)

    def test_another_file_moved_into_its_place_is_seen(
        self, store: Store, large: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.reads(store, large, monkeypatch)
        other = large.with_name("other")
        other.write_bytes(b"b" * store_module.SMALL)
        other.replace(large)
        assert self.reads(store, large, monkeypatch)

    def test_a_young_file_is_not_remembered(
        self, store: Store, large: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store_module, "SETTLED", 60.0)
        assert self.reads(store, large, monkeypatch)
        assert self.reads(store, large, monkeypatch)

    def test_a_small_file_is_not_noted(self, store: Store, tmp_path: Path) -> None:
        small = tmp_path / "small"
        small.write_bytes(b"a" * (store_module.SMALL - 1))
        self.settle(small)
        assert store.digest(small) == hashlib.sha256(small.read_bytes()).hexdigest()
        assert not store.folder.exists()

    @pytest.mark.parametrize("damage", ["", "[]", "{}", "[1,2]"])
    def test_a_damaged_note_is_ignored(
        self, store: Store, large: Path, monkeypatch: pytest.MonkeyPatch, damage: str
    ) -> None:
        self.reads(store, large, monkeypatch)
        (note,) = files(store.folder)
        note.write_text(damage)
        assert self.reads(store, large, monkeypatch)
        assert not self.reads(store, large, monkeypatch)


class TestTrim:
    @pytest.fixture
    def three(self, store: Store, tmp_path: Path) -> list[str]:
        """The keys of three jobs with an output of 1000 bytes each, the first one used longest ago."""
        keys = [f"{n}{n}" + "0" * 62 for n in range(3)]
        for age, key in enumerate(keys):
            path = tmp_path / "output"
            path.write_bytes(key[:1].encode() * 1000)
            store.keep(key, {"output": path})
            when = time.time() - 1000 + age
            os.utime(blob(store, path.read_bytes()), (when, when))
            os.utime(store.folder / "jobs" / key[:2] / key[2:], (when, when))
        return keys

    def alive(self, store: Store, keys: list[str], folder: Path) -> list[bool]:
        return [store.restore(key, {"output": folder / f"restored-{key}"}) is not None for key in keys]

    def test_the_longest_unused_goes_first(self, store: Store, three: list[str], tmp_path: Path) -> None:
        removed = store.trim(2500)
        assert removed.blobs == 1
        assert store.usage().size <= 2500
        assert self.alive(store, three, tmp_path) == [False, True, True]

    def test_a_hit_is_a_use(self, store: Store, three: list[str], tmp_path: Path) -> None:
        assert store.restore(three[0], {"output": tmp_path / "back"})
        store.trim(2500)
        assert self.alive(store, three, tmp_path) == [True, False, True]

    def test_keeping_the_same_content_again_is_a_use(
        self, store: Store, three: list[str], tmp_path: Path
    ) -> None:
        again = tmp_path / "again"
        again.write_bytes(b"0" * 1000)
        store.keep(three[0], {"output": again})
        store.trim(2500)
        assert self.alive(store, three, tmp_path) == [True, False, True]

    def test_below_the_limit_nothing_goes(self, store: Store, three: list[str]) -> None:
        before = store.usage()
        assert (before.jobs, before.blobs) == (3, 3)
        assert store.trim(before.size) == Usage(0, 0, 0)
        assert store.usage() == before

    def test_half_written_files_go_when_nobody_can_be_writing_them(
        self, store: Store, three: list[str]
    ) -> None:
        old, young = store.folder / "partial/old", store.folder / "partial/young"
        old.write_text("")
        young.write_text("")
        os.utime(old, (1, 1))
        store.trim(10**9)
        assert files(store.folder / "partial") == [young]

    def test_clear_removes_all_but_the_files_of_others(self, store: Store, three: list[str]) -> None:
        (store.folder / "conflicts.log").write_text("{}\n")
        (store.folder / "partial/young").write_text("")
        (store.folder / "thesis.tex").write_text("not ours")
        assert store.clear().blobs == 3
        assert files(store.folder) == [store.folder / "thesis.tex"]


class TestEnvironment:
    def test_in_the_checkout_by_default(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("ASSAY_STORE", raising=False)
        opened = open_store(tmp_path)
        assert opened is not None
        assert opened.folder == tmp_path / ".store"
        assert not opened.folder.exists()

    @pytest.mark.parametrize(
        ("value", "folder"), [("/shared/store", "/shared/store"), ("cache/store", "{root}/cache/store")]
    )
    def test_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, folder: str
    ) -> None:
        monkeypatch.setenv("ASSAY_STORE", value)
        opened = open_store(tmp_path)
        assert opened is not None
        assert str(opened.folder) == folder.format(root=tmp_path)

    def test_off(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ASSAY_STORE", "off")
        assert open_store(tmp_path) is None

    def test_a_file_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("ASSAY_STORE", "file")
        with pytest.raises(ConfigError, match=r"ASSAY_STORE=file: .* is not a folder"):
            open_store(tmp_path)

    @pytest.mark.parametrize(
        ("value", "size"),
        [
            ("1234", 1234),
            ("2k", 2048),
            ("500M", 500 << 20),
            ("20G", 20 << 30),
            ("1T", 1 << 40),
            ("", 20 << 30),
        ],
    )
    def test_limits(self, monkeypatch: pytest.MonkeyPatch, value: str, size: int) -> None:
        monkeypatch.setenv("ASSAY_STORE_LIMIT", value)
        assert size_limit() == size

    @pytest.mark.parametrize("value", ["lots", "1.5G", "-1", "20GB", "G", "٣"])
    def test_bad_limits(self, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
        monkeypatch.setenv("ASSAY_STORE_LIMIT", value)
        with pytest.raises(ConfigError, match="is not a size"):
            size_limit()


class TestCommand:
    @pytest.fixture(autouse=True)
    def checkout(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_module, "ROOT", tmp_path)
        monkeypatch.delenv("ASSAY_STORE", raising=False)

    def run(self, action: str) -> int:
        parser = argparse.ArgumentParser()
        store_module.add_arguments(parser)
        return store_module.main(parser.parse_args([action]))

    def test_info_trim_and_clear(
        self,
        tmp_path: Path,
        outputs: dict[str, Path],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("ASSAY_STORE_LIMIT", "2M")
        opened = open_store(tmp_path)
        assert opened is not None
        opened.keep(KEY, outputs)
        assert self.run("info") == 0
        said = capsys.readouterr().out.split()
        assert said[said.index("jobs") + 1] == "1"
        assert said[said.index("contents") + 1] == "2"
        assert self.run("trim") == 0
        assert opened.usage().size <= 2 << 20
        assert self.run("clear") == 0
        assert opened.usage() == Usage(0, 0, 0)

    def test_off(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setenv("ASSAY_STORE", "off")
        assert self.run("clear") == 0
        assert "switched off" in capsys.readouterr().out

    def test_a_bad_limit_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ASSAY_STORE_LIMIT", "many")
        with pytest.raises(ConfigError):
            self.run("info")


WORKER = """
import sys
from pathlib import Path
from assay.build.store import Store
folder, me, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store, hits = Store(folder / "store"), 0
for n in range(rounds):
    key = f"{n % 20:02d}" + "0" * 62
    content = f"content {n % 20} ".encode() * 20000
    target = folder / f"{me}-{n}"
    if store.restore(key, {"output": target}):
        hits += 1
        assert target.read_bytes() == content, "restored something else"
    else:
        target.write_bytes(content)
        store.keep(key, {"output": target})
    target.unlink()
    if n % 10 == 9:
        store.trim(2_000_000)
print(hits)
"""


def test_two_processes_share_one_store(tmp_path: Path) -> None:
    checkout = SmallCheckout(tmp_path)
    checkout.add_wrapper()
    workers = [checkout.start("-c", WORKER, str(tmp_path), name, "200") for name in ("a", "b")]
    for out, err in [worker.communicate(timeout=60) for worker in workers]:
        assert err == ""
        assert 0 < int(out) < 200
    assert [worker.returncode for worker in workers] == [0, 0]
    assert files(tmp_path / "store/partial") == []
    assert not (tmp_path / "store/conflicts.log").exists()

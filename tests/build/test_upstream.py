"""A shared store: work is shared between machines, and damaged or hostile entries are refused."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.build.store import Store, _sealed, open_store
from assay.build.upstream import Upstream, signature
from assay.errors import ConfigError

KEY = "ab" + "0" * 62
SECRET = b"s" * 32
CONTENT = b"rows" * 1000


@pytest.fixture
def shared(tmp_path: Path) -> Store:
    """The store of the first machine, with one job."""
    store = Store(tmp_path / "shared", secret=SECRET)
    output = tmp_path / "made.parquet"
    output.write_bytes(CONTENT)
    store.keep(KEY, {"scores": output})
    return store


@pytest.fixture
def second(tmp_path: Path, shared: Store) -> Store:
    """The store of the second machine."""
    return Store(tmp_path / "second", Upstream(shared.folder, SECRET), SECRET)


def place(store: Store, kind: str, digest: str) -> Path:
    return store.folder / kind / digest[:2] / digest[2:]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_second_machine_takes_what_the_first_has_made(
    second: Store, shared: Store, tmp_path: Path
) -> None:
    before = tree(shared.folder)
    target = tmp_path / "scores.parquet"
    assert second.restore(KEY, {"scores": target}) == {"scores": hashlib.sha256(CONTENT).hexdigest()}
    assert target.read_bytes() == CONTENT
    assert tree(shared.folder) == before  # it is only read
    alone = Store(second.folder)  # kept, and so there without the shared store
    target.unlink()
    assert alone.restore(KEY, {"scores": target}) is not None


def test_a_shared_store_that_cannot_be_written_is_read(second: Store, shared: Store, tmp_path: Path) -> None:
    for path in [shared.folder, *shared.folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert second.restore(KEY, {"scores": tmp_path / "scores.parquet"}) is not None
    for path in [shared.folder, *shared.folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def planted(store: Store, content: bytes, sha256: str | None = None) -> bytes:
    """Write a consistent record of another content without the secret; returns the record."""
    digest = sha256 or hashlib.sha256(content).hexdigest()
    if sha256 is None:
        blob = place(store, "blobs", digest)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(content)
    record = _sealed({"scores": [digest, len(content)]})
    place(store, "jobs", KEY).write_bytes(record)
    return record


def damage_content(store: Store) -> None:
    place(store, "blobs", hashlib.sha256(CONTENT).hexdigest()).write_bytes(CONTENT[:-1] + b"x")


def grow_content(store: Store) -> None:
    place(store, "blobs", hashlib.sha256(CONTENT).hexdigest()).write_bytes(CONTENT * 2)


def remove_content(store: Store) -> None:
    place(store, "blobs", hashlib.sha256(CONTENT).hexdigest()).unlink()


def plant_another_result(store: Store) -> None:
    planted(store, b"better scores")


def remove_signature(store: Store) -> None:
    place(store, "signatures", KEY).unlink()


def sign_with_another_secret(store: Store) -> None:
    record = place(store, "jobs", KEY).read_bytes()
    place(store, "signatures", KEY).write_bytes(signature(b"o" * 32, KEY, record))


def sign_another_job(store: Store) -> None:
    record = place(store, "jobs", KEY).read_bytes()
    place(store, "signatures", KEY).write_bytes(signature(SECRET, "cd" + "0" * 62, record))


def link_content(store: Store) -> None:
    blob = place(store, "blobs", hashlib.sha256(CONTENT).hexdigest())
    elsewhere = store.folder / "elsewhere"
    blob.rename(elsewhere)
    blob.symlink_to(elsewhere)


def put_a_pipe(store: Store) -> None:
    blob = place(store, "blobs", hashlib.sha256(CONTENT).hexdigest())
    blob.unlink()
    os.mkfifo(blob)


HOSTILE = (
    *(damage_content, grow_content, remove_content, plant_another_result, remove_signature),
    *(sign_with_another_secret, sign_another_job, link_content, put_a_pipe),
)


@pytest.mark.parametrize("attack", HOSTILE, ids=lambda attack: attack.__name__)
def test_a_damaged_or_hostile_entry_is_refused(
    attack: Callable[[Store], None],
    second: Store,
    shared: Store,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    attack(shared)
    target = tmp_path / "scores.parquet"
    assert second.restore(KEY, {"scores": target}) is None
    assert not target.exists()
    assert "is refused" in capsys.readouterr().err
    assert not second.usage().jobs


@pytest.mark.parametrize("digest", ["../../../../victim", "ab/../../../../victim", "AB" + "0" * 62, "ab"])
def test_a_hash_that_is_a_path_reaches_no_file(digest: str, tmp_path: Path) -> None:
    """Also in the own store, where a content with another hash is removed."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    store = Store(tmp_path / "store")
    place(store, "jobs", KEY).parent.mkdir(parents=True)
    planted(store, b"x", digest)
    assert store.restore(KEY, {"scores": tmp_path / "scores.parquet"}) is None
    assert victim.read_text() == "mine"
    signed = place(store, "signatures", KEY)
    signed.parent.mkdir(parents=True)
    signed.write_bytes(signature(SECRET, KEY, _sealed({"scores": [digest, 1]})))
    assert Upstream(store.folder, SECRET).restore(KEY, {"scores": tmp_path / "scores.parquet"}) is None
    assert victim.read_text() == "mine"


def test_the_environment_names_store_and_secret(
    shared: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "own"))
    monkeypatch.setenv("ASSAY_STORE_UPSTREAM", str(shared.folder))
    monkeypatch.delenv("ASSAY_STORE_SECRET", raising=False)
    with pytest.raises(ConfigError, match="needs a secret"):
        open_store(tmp_path)
    (tmp_path / "secret").write_bytes(SECRET[:-1])
    monkeypatch.setenv("ASSAY_STORE_SECRET", str(tmp_path / "secret"))
    with pytest.raises(ConfigError, match="31 bytes"):
        open_store(tmp_path)
    (tmp_path / "secret").write_bytes(SECRET)
    store = open_store(tmp_path)
    assert store is not None and store.upstream == Upstream(shared.folder, SECRET)
    monkeypatch.setenv("ASSAY_STORE_UPSTREAM", str(tmp_path / "absent"))
    with pytest.raises(ConfigError, match="is not a folder"):
        open_store(tmp_path)

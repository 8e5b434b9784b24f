"""A shared store between two users of one machine: the second may read it, and only that.

Needs root, which becomes both users in turn.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.build.store import Store, _sealed
from assay.build.upstream import Upstream, signature

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

FIRST, SECOND = 64001, 64002
"""The numbers of two users; they need no names."""

KEY, OTHER = "ab" + "0" * 62, "cd" + "0" * 62
SECRET = b"s" * 32
CONTENT = b"rows" * 1000


def become(user: int, act: Callable[[], None]) -> None:
    """Run something as that user in a process of its own, and fail where it fails."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            act()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    """A folder for each user, which others can read, as below a folder that all can pass."""
    for folder in [tmp_path, *tmp_path.parents[:-2]]:
        folder.chmod(folder.stat().st_mode | 0o011)
    found = []
    for user in (FIRST, SECOND):
        folder = tmp_path / str(user)
        folder.mkdir()
        folder.chmod(0o755)
        os.chown(folder, user, user)
        found.append(folder)
    return found[0], found[1]


def kept(home: Path) -> Callable[[], None]:
    """What the first user does: make a file, and keep it in the store."""

    def act() -> None:
        made = home / "made.parquet"
        made.write_bytes(CONTENT)
        Store(home / "store", secret=SECRET).keep(KEY, {"scores": made})

    return act


def listing(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Owner, mode, time and content of all files of a store."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (status.st_uid, status.st_mode, status.st_mtime_ns, content)
    return found


def test_the_second_user_takes_what_the_first_has_made(homes: tuple[Path, Path]) -> None:
    first, second = homes
    become(FIRST, kept(first))
    before = listing(first / "store")

    def take() -> None:
        target = second / "scores.parquet"
        own = Store(second / "store", Upstream(first / "store", SECRET), SECRET)
        assert own.restore(KEY, {"scores": target}) is not None
        assert target.read_bytes() == CONTENT
        assert target.stat().st_uid == SECOND
        target.write_bytes(b"mine")  # it shares no bytes with the store
        target.unlink()
        assert Store(second / "store").restore(KEY, {"scores": target}) is not None
        made = second / "other.parquet"
        made.write_bytes(b"other rows")
        own.keep(OTHER, {"scores": made})  # into the own store alone
        with pytest.raises(PermissionError):
            (first / "store/jobs" / KEY[:2] / KEY[2:]).unlink()

    become(SECOND, take)
    assert listing(first / "store") == before
    assert {path.stat().st_uid for path in (second / "store").rglob("*")} == {SECOND}


def without_signature(home: Path) -> None:
    (home / "store/signatures" / KEY[:2] / KEY[2:]).unlink()


def other_content(home: Path) -> None:
    for blob in (path for path in (home / "store/blobs").rglob("*") if path.is_file()):
        blob.chmod(0o644)
        blob.write_bytes(CONTENT[:-1] + b"x")


def unreadable_content(home: Path) -> None:
    for blob in (path for path in (home / "store/blobs").rglob("*") if path.is_file()):
        blob.chmod(0)


def unreadable_record(home: Path) -> None:
    (home / "store/jobs" / KEY[:2]).chmod(0)


def link_to_a_file_of_the_second(home: Path) -> None:
    """The second user can read what it links to, and must not take it for a content of the store."""
    for blob in (path for path in (home / "store/blobs").rglob("*") if path.is_file()):
        blob.unlink()
        blob.symlink_to(home.parent / str(SECOND) / "private.txt")


def record_out_of_the_store(home: Path) -> None:
    """Signed, as one who knows the secret could: the hash is a path."""
    record = _sealed({"scores": [f"../../../../{SECOND}/private.txt", 4]})
    for kind, content in (("jobs", record), ("signatures", signature(SECRET, KEY, record))):
        path = home / "store" / kind / KEY[:2] / KEY[2:]
        path.chmod(0o644)
        path.write_bytes(content)


@pytest.mark.parametrize(
    "attack",
    [
        *(without_signature, other_content, unreadable_content, unreadable_record),
        *(link_to_a_file_of_the_second, record_out_of_the_store),
    ],
    ids=lambda attack: attack.__name__,
)
def test_an_entry_that_the_first_user_has_spoilt_is_not_taken(
    attack: Callable[[Path], None], homes: tuple[Path, Path]
) -> None:
    first, second = homes
    become(FIRST, kept(first))
    private = second / "private.txt"
    private.write_text("mine")
    private.chmod(0o600)
    os.chown(private, SECOND, SECOND)
    become(FIRST, lambda: attack(first))

    def take() -> None:
        target = second / "scores.parquet"
        own = Store(second / "store", Upstream(first / "store", SECRET), SECRET)
        assert own.restore(KEY, {"scores": target}) is None
        assert not target.exists()
        assert private.read_text() == "mine"
        # It makes the output itself, and keeps it where the first user cannot write.
        target.write_bytes(CONTENT)
        own.keep(KEY, {"scores": target})
        target.unlink()
        assert own.restore(KEY, {"scores": target}) is not None
        assert target.read_bytes() == CONTENT

    become(SECOND, take)

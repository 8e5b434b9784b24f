"""Folders that hostile code has filled: measured, read and removed from outside."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from assay.sandbox.inside import folder as folders


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    place = tmp_path / "box"
    place.mkdir()
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    yield place, fd
    os.close(fd)
    if place.exists():
        folders.remove(str(place))  # what these tests leave, others stumble over


def deep(place: Path, levels: int, name: str = "folder") -> None:
    """Folders in folders: deeper than a path can be long, or than a stack holds."""
    at = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)


def test_only_plain_files_are_read(opened: tuple[Path, int], tmp_path: Path) -> None:
    place, fd = opened
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    (place / "link").symlink_to(tmp_path / "secret")
    (place / "folder").symlink_to(tmp_path / "outside")
    (place / "loop").symlink_to(place)
    os.mkfifo(place / "pipe")
    (place / "a").mkdir()
    (place / "a" / "plain").write_bytes(b"1")
    (place / os.fsdecode(b"\xff\xfe")).write_bytes(b"2")
    assert dict(folders.files(fd, 1000, 10)) == {"a/plain": b"1"}


def test_reading_stops_at_the_limits(opened: tuple[Path, int]) -> None:
    place, fd = opened
    for name in "abce":
        (place / name).write_bytes(bytes(10))
    assert [name for name, _ in folders.files(fd, 1000, 2)] == ["a", "b"]
    assert [name for name, _ in folders.files(fd, 25, 9)] == ["a", "b"]
    deep(place, 100)
    assert [name for name, _ in folders.files(fd, 1000, 9)] == ["a", "b", "c", "e"]


def test_putting_never_writes_through_a_link(opened: tuple[Path, int], tmp_path: Path) -> None:
    place, fd = opened
    (tmp_path / "victim").write_text("whole")
    (tmp_path / "outside").mkdir()
    (place / "link").symlink_to(tmp_path / "victim")
    (place / "folder").symlink_to(tmp_path / "outside")
    folders.put(fd, "link", b"new")
    assert (tmp_path / "victim").read_text() == "whole"
    assert (place / "link").read_bytes() == b"new" and not (place / "link").is_symlink()
    with pytest.raises(NotADirectoryError):
        folders.put(fd, "folder/file", b"new")
    assert not list((tmp_path / "outside").iterdir())


def test_usage_counts_bytes_and_entries(opened: tuple[Path, int], tmp_path: Path) -> None:
    place, _ = opened
    (tmp_path / "outside").write_bytes(bytes(1 << 20))
    (place / "a").mkdir()
    (place / "a" / "b").write_bytes(b"x" * 5000)
    (place / "link").symlink_to(tmp_path / "outside")
    size, entries = folders.usage(str(place), 100)
    assert entries == 3
    assert 5000 <= size <= 5000 + (1 << 16)
    assert folders.usage(str(place), 2)[1] > 2
    deep(place, 30, "d" * 200)
    assert folders.usage(str(place), 10_000)[1] > 10_000


def test_a_long_file_that_takes_no_room_is_not_read(opened: tuple[Path, int]) -> None:
    place, fd = opened
    with (place / "holes").open("wb") as file:
        file.truncate(1 << 42)
    (place / "plain").write_bytes(b"1")
    assert list(folders.files(fd, 1 << 40, 9)) == [("plain", b"1")]


def test_files_that_have_lost_their_names_are_counted(opened: tuple[Path, int], tmp_path: Path) -> None:
    place, _ = opened
    before = folders.unnamed(os.getpid(), str(place), 7)

    def made(name: str, size: int) -> BinaryIO:
        file = (place / name).open("w+b", buffering=0)
        file.write(b"x" * size)
        (place / name).unlink()
        return file

    with made("open", 8192) as held, made("mapped", 100) as other, (place / "kept").open("wb") as named:
        named.write(bytes(4096))
        with mmap.mmap(other.fileno(), 100):
            both = folders.unnamed(os.getpid(), str(place), 7) - before
            assert both == sum(os.fstat(file.fileno()).st_blocks * 512 for file in (held, other)) > 8192
    # What is only mapped: without the copy of the descriptor that `mmap` keeps.
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    with made("only mapped", 100) as file:
        at = libc.mmap(None, ctypes.c_size_t(100), 1, 1, file.fileno(), ctypes.c_long(0))
    assert folders.unnamed(os.getpid(), str(place), 7) - before == 7
    libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(100))
    assert folders.unnamed(os.getpid(), str(place), 7) == before


def test_removing_knows_no_depth_and_no_rights(opened: tuple[Path, int], tmp_path: Path) -> None:
    place, _ = opened
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_text("kept")
    deep(place, 1000)
    (place / "closed").mkdir()
    (place / "closed" / "file").write_text("x")
    (place / "closed" / "inner").mkdir()
    (place / "closed" / "inner").chmod(0)
    (place / "closed").chmod(0)
    (place / "link").symlink_to(tmp_path / "outside")
    folders.remove(str(place))
    assert not place.exists()
    assert (tmp_path / "outside" / "kept").exists()

"""A folder in which hostile code writes, handled from outside: measuring, filling, reading, removing.

No link is followed, nothing but plain files is opened, and neither depth nor rights nor names can hurt.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

LOOKED_AT = 10
"""Entries of one folder that are looked at, for each file that may be read."""

DEEPEST = 32
"""Levels of folders that are read; what lies deeper is passed over."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def usage(path: str, most_entries: int) -> tuple[int, int]:
    """Bytes on disk and entries in a folder that somebody may be writing to; stops counting above the most.

    What is too deep to be reached by its name, or closed to us, counts as too many entries.
    """
    size = entries = 0
    waiting = [path]
    while waiting and entries <= most_entries:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except FileNotFoundError:  # removed meanwhile
            continue
        except OSError:
            return size, most_entries + 1
    return size, entries


def unnamed(pid: int, place: str, each: int) -> int:
    """Bytes on disk of files in a folder whose names are gone, but which a process still holds.

    Open ones are measured; one that is only mapped cannot be, and counts `each`.
    """
    held: dict[int, int] = {}
    with suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):  # closed meanwhile
                found = os.stat(f"/proc/{pid}/fd/{number}")
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                    held[found.st_ino] = found.st_blocks * 512
    with suppress(OSError), open(f"/proc/{pid}/maps", "rb") as maps:
        mine, gone = os.fsencode(place) + b"/", b" (deleted)\n"
        for line in maps:
            _, _, _, _, inode, *path = line.split(maxsplit=5)
            if path and path[0].startswith(mine) and path[0].endswith(gone):
                held.setdefault(int(inode), each)
    return sum(held.values())


def put(folder: int, name: str, data: bytes) -> None:
    """Write a file below an open folder, and folders on the way; `ValueError` for a name that leads out."""
    *above, last = _parts(name)
    at = os.dup(folder)
    try:
        for part in above:
            try:
                os.mkdir(part, 0o777, dir_fd=at)
                os.chmod(part, 0o777, dir_fd=at)  # the box may be another user than we are
            except FileExistsError:
                pass
            at = _moved(at, part)
        with suppress(FileNotFoundError):
            os.unlink(last, dir_fd=at)  # never write through what lies there
        fd = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=at)
        with open(fd, "wb") as file:
            os.fchmod(fd, 0o666)
            file.write(data)
    finally:
        os.close(at)


def files(folder: int, most_bytes: int, most_files: int) -> Iterator[tuple[str, bytes]]:
    """Name and content of each plain file below an open folder, in order of name.

    What would be more bytes than the most is passed over, and what has a name that is no text; the end is
    where there would be more files.
    """
    left_bytes, left_files = most_bytes, most_files
    for name in sorted(_names(folder, "", 0, most_files)):
        data = _read(folder, name, left_bytes)
        if data is None:
            continue
        left_bytes -= len(data)
        left_files -= 1
        if left_files < 0:
            return
        yield name, data


def remove(path: str) -> None:
    """Remove a folder whatever is in it: any depth, any rights. Nobody may write to it any more.

    Goes down and up by one open folder, so that depth costs neither stack nor long names nor descriptors.
    """
    os.chmod(path, 0o700)
    at = os.open(path, _FOLDER)
    try:
        names: list[str] = []
        left = [_emptied(at)]
        while True:
            if left[-1]:
                names.append(left[-1].pop())
                os.chmod(names[-1], 0o700, dir_fd=at)
                at = _moved(at, names[-1])
                left.append(_emptied(at))
            elif names:
                left.pop()
                at = _moved(at, "..")
                os.rmdir(names.pop(), dir_fd=at)
            else:
                break
    finally:
        os.close(at)
    os.rmdir(path)


def _emptied(folder: int) -> list[str]:
    """Remove what is not a folder from an open folder; the names of what is left."""
    with os.scandir(folder) as found:
        entries = list(found)
    folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    for name in {entry.name for entry in entries} - set(folders):
        os.unlink(name, dir_fd=folder)
    return folders


def _moved(at: int, name: str) -> int:
    """Open the folder of this name in an open folder, and close that one."""
    to = os.open(name, _FOLDER, dir_fd=at)
    os.close(at)
    return to


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    if not all(parts) or any(part in (".", "..") or "\0" in part for part in parts):
        raise ValueError(f"{name!r} is no name of a file below the folder")
    return parts


def _names(folder: int, prefix: str, depth: int, most: int) -> Iterator[str]:
    """Names of what is not a folder, below an open folder."""
    with os.scandir(folder) as found:
        for seen, entry in enumerate(found):
            if seen >= LOOKED_AT * most:
                return
            try:
                entry.name.encode()
            except UnicodeEncodeError:
                continue
            if not entry.is_dir(follow_symlinks=False):
                yield prefix + entry.name
            elif depth < DEEPEST:
                try:
                    below = os.open(entry.name, _FOLDER, dir_fd=folder)
                except OSError:  # closed to us, or no folder any more
                    continue
                try:
                    yield from _names(below, f"{prefix}{entry.name}/", depth + 1, most)
                finally:
                    os.close(below)


def _read(folder: int, name: str, most: int) -> bytes | None:
    """The content of a plain file; null for anything else, or where it is longer than `most`."""
    *above, last = name.split("/")
    at = os.dup(folder)
    try:
        for part in above:
            at = _moved(at, part)
        fd = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_size > most:
                return None  # a file may be long that takes no room
            return file.read(found.st_size)
    except OSError:
        return None
    finally:
        os.close(at)

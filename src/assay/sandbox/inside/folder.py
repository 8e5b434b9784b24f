"""Measures, fills, reads and removes a folder to which hostile code can write.

Links are not followed, and only regular files are opened. Deep nesting, missing permissions and unusual names
are handled.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

LOOKED_AT = 10
"""Number of entries of one folder that are examined, in multiples of the files that may be read."""

DEEPEST = 32
"""Number of levels of nested folders that are read. Deeper files are ignored."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def usage(path: str, most_entries: int) -> tuple[int, int]:
    """Measure a folder to which code may be writing.

    Args:
        path: The folder.
        most_entries: Number of entries after which counting stops.

    Returns:
        The size on disk in bytes, and the number of entries. If a part cannot be accessed, for example
        because its path is too long, the number of entries is `most_entries` + 1.
    """
    size = entries = 0
    waiting = [path]
    while waiting and entries <= most_entries:
        try:
            with os.scandir(waiting.pop()) as listing:
                for entry in listing:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except FileNotFoundError:  # removed in the meantime
            continue
        except OSError:
            return size, most_entries + 1
    return size, entries


def unnamed(pid: int, place: str, each: int) -> int:
    """Measure the deleted files that a process still has open or mapped.

    Args:
        pid: The process.
        place: The folder in which mapped files count. Open files count wherever they are.
        each: Size in bytes that counts for a file that is only mapped, which cannot be measured.

    Returns:
        Their size on disk in bytes.
    """
    held: dict[int, int] = {}
    with suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):  # closed in the meantime
                status = os.stat(f"/proc/{pid}/fd/{number}")
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                    held[status.st_ino] = status.st_blocks * 512
    with suppress(OSError), open(f"/proc/{pid}/maps", "rb") as maps:
        mine, gone = os.fsencode(place) + b"/", b" (deleted)\n"
        for line in maps:
            _, _, _, _, inode, *path = line.split(maxsplit=5)
            if path and path[0].startswith(mine) and path[0].endswith(gone):
                held.setdefault(int(inode), each)
    return sum(held.values())


def put(folder: int, name: str, data: bytes) -> None:
    """Write a file below an open folder, and make its parent folders.

    Args:
        folder: Descriptor of the folder.
        name: Path of the file within the folder.
        data: Its content.

    Raises:
        OSError: The file cannot be written.
        ValueError: The name leads out of the folder.
    """
    *above, last = _parts(name)
    at = os.dup(folder)
    try:
        for part in above:
            try:
                os.mkdir(part, 0o777, dir_fd=at)
                os.chmod(part, 0o777, dir_fd=at)  # the box may run as another user
            except FileExistsError:
                pass
            at = _moved(at, part)
        with suppress(FileNotFoundError):
            os.unlink(last, dir_fd=at)  # never write through an existing link
        fd = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=at)
        with open(fd, "wb") as file:
            os.fchmod(fd, 0o666)
            file.write(data)
    finally:
        os.close(at)


def files(folder: int, most_bytes: int, most_files: int) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the regular files below an open folder, sorted by name.

    At most `most_files` files are read. A file is left out if the total size would exceed `most_bytes` with
    it, or if its name is not UTF-8.
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
    """Remove a folder of any nesting depth and permissions. No process must write to it any more.

    Only one folder is open at a time, and its parent is reached by `..`. Deep nesting therefore exhausts
    neither the stack nor the descriptors, and no path becomes too long.
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
    """Remove everything from an open folder except folders, and return their names."""
    with os.scandir(folder) as found:
        entries = list(found)
    folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    for name in {entry.name for entry in entries} - set(folders):
        os.unlink(name, dir_fd=folder)
    return folders


def _moved(at: int, name: str) -> int:
    """Open the folder `name` in the open folder `at`, close `at`, and return the new descriptor."""
    to = os.open(name, _FOLDER, dir_fd=at)
    os.close(at)
    return to


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    if not all(parts) or any(part in (".", "..") or "\0" in part for part in parts):
        raise ValueError(f"{name!r} is no name of a file below the folder")
    return parts


def _names(folder: int, prefix: str, depth: int, most: int) -> Iterator[str]:
    """Yield the paths of all entries below an open folder that are not folders."""
    with os.scandir(folder) as listing:
        for number, entry in enumerate(listing):
            if number >= LOOKED_AT * most:
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
                except OSError:  # no permission, or no longer a folder
                    continue
                try:
                    yield from _names(below, f"{prefix}{entry.name}/", depth + 1, most)
                finally:
                    os.close(below)


def _read(folder: int, name: str, most: int) -> bytes | None:
    """Read a regular file. Return None if it is not one, cannot be read, or is longer than `most` bytes."""
    *above, last = name.split("/")
    at = os.dup(folder)
    try:
        for part in above:
            at = _moved(at, part)
        fd = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
        with open(fd, "rb") as file:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                return None  # a sparse file can be long without using disk space
            return file.read(status.st_size)
    except OSError:
        return None
    finally:
        os.close(at)

"""The file system of a box, which contains only the interpreter's libraries, the inputs and one folder.

It is built in a separate mount namespace, in memory, and disappears when the last process in it ends.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from . import kernel

FOLDER = "/box"
"""The path of the box's folder inside the box."""

INPUTS = "/inputs"
NAME = "box"
"""The host name inside the box."""

NOBODY = 65534
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
PACKAGES = ("site-packages", "dist-packages")
"""Names of folders of installed packages in a standard library. A box sees only its own libraries in them."""

_STAGE = "/tmp"
"""The folder on which the new root is mounted while it is built. Any existing folder would serve."""


class View(NamedTuple):
    """The files that a box sees.

    Attributes:
        readable: Folders and files that are shown at their own paths.
        inputs: Paths of inputs by name. They are shown below `INPUTS`.
        bytes: Size of the box's folder in bytes.
        files: Largest number of entries in the box's folder.
    """

    readable: tuple[str, ...]
    inputs: Mapping[str, str]
    bytes: int
    files: int


def new_namespaces(user: bool) -> None:
    """Move this process into all of `kernel.NEW_NAMESPACES` and, with `user`, into a new user namespace.

    An ordinary user needs the user namespace to be allowed to make the others.
    """
    uid, gid = os.geteuid(), os.getegid()
    flags = sum(kernel.NEW_NAMESPACES.values())
    kernel.unshare(flags | kernel.NEW_USER if user else flags)
    if user:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{NOBODY} {uid} 1"),
            ("gid_map", f"{NOBODY} {gid} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    socket.sethostname(NAME)


def build(view: View) -> int:
    """Build the file system and make it the root of this process, after `new_namespaces`.

    Returns:
        A descriptor of the box's folder, through which the parent reads and writes its files.

    Raises:
        OSError: A system call failed. The message names it.
    """
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    kernel.mount("root", _STAGE, "tmpfs", kernel.NO_SUID, "size=1m,nr_inodes=4096,mode=755")
    os.mkdir(f"{_STAGE}/old")
    os.mkdir(f"{_STAGE}/new")
    # A root must be a mount point, which the bind mount makes of `new`.
    kernel.mount(f"{_STAGE}/new", f"{_STAGE}/new", None, kernel.BIND)
    kernel.pivot_root(_STAGE, f"{_STAGE}/old")
    os.chdir("/")

    for path in _outermost(view.readable):
        _show(path, path)
    for path in view.readable:
        for packages in PACKAGES:
            if os.path.isdir(f"/new{path}/{packages}"):
                _hide(f"{path}/{packages}", view.readable)
    for name, path in view.inputs.items():
        _show(path, f"{INPUTS}/{name}")
    for path in DEVICES:
        _place(f"/new{path}", folder=False)
    os.mkdir(f"/new{FOLDER}")
    if not os.path.exists("/new/tmp"):  # it exists if a checkout lies below /tmp
        os.symlink(FOLDER, "/new/tmp")
    kernel.make_read_only("/new")

    for path in DEVICES:
        kernel.mount(f"/old{path}", f"/new{path}", None, kernel.BIND)
        # If devices were not read-only, their owner could change their permissions and times.
        kernel.make_read_only(f"/new{path}", devices=True)
    options = f"size={view.bytes},nr_inodes={view.files + 1},mode=700,uid={NOBODY},gid={NOBODY}"
    kernel.mount(
        "box", f"/new{FOLDER}", "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_EXEC, options
    )
    folder = os.open(f"/new{FOLDER}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    os.chdir("/new")
    kernel.pivot_root(".", ".")  # the old root now lies on top of the new one, at the same place
    kernel.unmount(".")
    os.chdir("/")
    return folder


def _outermost(paths: Iterable[str]) -> list[str]:
    """Leave out the paths that lie below another of the paths."""
    chosen: list[str] = []
    for path in sorted(set(paths)):
        if not any(path.startswith(above + "/") for above in chosen):
            chosen.append(path)
    return chosen


def _show(source: str, target: str) -> None:
    if os.path.exists(f"/old{source}"):
        _place(f"/new{target}", os.path.isdir(f"/old{source}"))
        kernel.mount(f"/old{source}", f"/new{target}", None, kernel.BIND | kernel.RECURSIVE)


def _hide(folder: str, but: Iterable[str]) -> None:
    """Mount an empty folder over this one, and show only the paths `but` in it."""
    kernel.mount("none", f"/new{folder}", "tmpfs", kernel.NO_SUID, "size=64k,mode=755")
    for path in but:
        if path.startswith(folder + "/"):
            _show(path, path)


def _place(path: str, folder: bool) -> None:
    """Make an empty file or folder that serves as a mount point."""
    os.makedirs(path if folder else os.path.dirname(path), mode=0o755, exist_ok=True)
    if not folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))

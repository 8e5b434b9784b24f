"""Confines the process of a box before it runs untrusted code."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from . import kernel, landlock, seccomp
from .view import DEVICES, NOBODY, PACKAGES

CHANNEL = 3
"""The descriptor of the channel. The only other open descriptors are 0 to 2, which refer to /dev/null."""


class Walls(NamedTuple):
    """The layers around a box.

    Attributes:
        namespaces: "nobody" if root makes the namespaces and the box runs as the user nobody, "user" if an
            ordinary user makes them, or "" if there are no namespaces.
        landlock: Whether Landlock is used.
        seccomp: Whether system calls are filtered.
    """

    namespaces: str
    landlock: bool
    seccomp: bool


class Allowance(NamedTuple):
    """Limits that the kernel enforces.

    Attributes:
        address_space: Size of the address space in bytes.
        file_size: Size of one file in bytes.
        open_files: Number of open files.
    """

    address_space: int
    file_size: int
    open_files: int


def confine(channel: int, walls: Walls, allowance: Allowance, readable: tuple[str, ...], folder: str) -> None:
    """Confine the present process permanently.

    Args:
        channel: The descriptor of the channel, which is moved to `CHANNEL`.
        walls: The layers to use.
        allowance: The limits that the kernel enforces.
        readable: Paths that may be read, as the process sees them.
        folder: The folder that may be written, as the process sees it.

    Raises:
        OSError: A layer cannot be set up. The caller must not run any code then.
    """
    os.setsid()
    os.umask(0o022)
    os.dup2(channel, CHANNEL, inheritable=False)
    os.closerange(CHANNEL + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    kernel.no_new_privileges()
    if walls.namespaces == "nobody":
        kernel.drop_bounds()
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    else:
        kernel.drop_bounds()
    kernel.drop_capabilities()
    if walls.namespaces:
        kernel.not_dumpable()  # without namespaces, the keeper must be able to list its open files
    kernel.die_with_parent(signal.SIGKILL)  # must follow the change of user, which would cancel it
    os.chdir(folder)
    for limit, most in (
        (resource.RLIMIT_AS, allowance.address_space),
        (resource.RLIMIT_FSIZE, allowance.file_size),
        (resource.RLIMIT_NOFILE, allowance.open_files),
        (resource.RLIMIT_CORE, 1),  # with 0, the kernel would still pipe core dumps to a program
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 256),
    ):
        resource.setrlimit(limit, (most, most))
    if walls.landlock:
        # With namespaces, all visible files may be read.
        landlock.confine(("/",) if walls.namespaces else (*_bare(readable), *DEVICES), (folder, "/dev/null"))
    if walls.seccomp:
        # Without namespaces, the files of the machine are visible, and Landlock protects no permissions.
        seccomp.install(os.getpid(), own_files=bool(walls.namespaces))


def _bare(readable: Iterable[str]) -> Iterator[str]:
    """Replace each folder that contains a folder of installed packages by its other entries.

    This is necessary because Landlock grants access to everything below a path.
    """
    for path in readable:
        parts = os.listdir(path) if os.path.isdir(path) else []
        if any(name in parts for name in PACKAGES):
            yield from (f"{path}/{name}" for name in parts if name not in PACKAGES)
        else:
            yield path

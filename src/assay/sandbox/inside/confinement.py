"""Confines the process of a box, layer by layer, before it runs any hostile code."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from . import kernel, landlock, seccomp
from .view import DEVICES, NOBODY, PACKAGES

CHANNEL = 3
"""The descriptor of the channel, the only one that is open besides three of /dev/null."""


class Walls(NamedTuple):
    """The layers around a box.

    Attributes:
        namespaces: "nobody" where root makes namespaces and the box runs as the user nobody, "user" where an
            ordinary user makes them, or "" without namespaces.
        landlock: Whether Landlock is used.
        seccomp: Whether the filter of system calls is used.
    """

    namespaces: str
    landlock: bool
    seccomp: bool


class Allowance(NamedTuple):
    """Limits that the kernel enforces: address space and file size in bytes, number of open files."""

    address_space: int
    file_size: int
    open_files: int


def confine(channel: int, walls: Walls, allowance: Allowance, readable: tuple[str, ...], folder: str) -> None:
    """Confine the present process for ever.

    Args:
        channel: The descriptor of the channel, which becomes `CHANNEL`.
        walls: The layers.
        allowance: Limits of the kernel.
        readable: Paths that may be read, as the process sees them.
        folder: The folder that may be written, as the process sees it.

    Raises:
        OSError: A layer cannot be made. Then no code must be run.
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
        kernel.not_dumpable()  # without namespaces the keeper must be able to list its open files
    kernel.die_with_parent(signal.SIGKILL)  # after the change of user, which would cancel it
    os.chdir(folder)
    for limit, most in (
        (resource.RLIMIT_AS, allowance.address_space),
        (resource.RLIMIT_FSIZE, allowance.file_size),
        (resource.RLIMIT_NOFILE, allowance.open_files),
        (resource.RLIMIT_CORE, 1),  # with 0 the kernel would still hand a core to a program of the machine
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 256),
    ):
        resource.setrlimit(limit, (most, most))
    if walls.landlock:
        # Within namespaces, all visible files may be read.
        landlock.confine(("/",) if walls.namespaces else (*_bare(readable), *DEVICES), (folder, "/dev/null"))
    if walls.seccomp:
        # Without namespaces, files are visible, and Landlock does not protect their permissions.
        seccomp.install(os.getpid(), own_files=bool(walls.namespaces))


def _bare(readable: Iterable[str]) -> Iterator[str]:
    """Replace folders that hold installed packages by their entries without the packages.

    Landlock grants access to everything below a path.
    """
    for path in readable:
        parts = os.listdir(path) if os.path.isdir(path) else []
        if any(name in parts for name in PACKAGES):
            yield from (f"{path}/{name}" for name in parts if name not in PACKAGES)
        else:
            yield path

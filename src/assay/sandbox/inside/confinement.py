"""What the process of a box gives up before it runs a line of hostile code, one layer after the other."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from . import kernel, landlock, seccomp
from .view import DEVICES, NOBODY, PACKAGES

CHANNEL = 3
"""The descriptor of the channel: the only one that is open, besides three of /dev/null."""


class Walls(NamedTuple):
    """Which layers surround a box.

    `namespaces`: "nobody" (made by root, the box is the user nobody), "user" (as an ordinary user makes
    them), or nothing.
    """

    namespaces: str
    landlock: bool
    seccomp: bool


class Allowance(NamedTuple):
    """Limits that the kernel holds: address space and file size in bytes, number of open files."""

    address_space: int
    file_size: int
    open_files: int


def confine(channel: int, walls: Walls, allowance: Allowance, readable: tuple[str, ...], folder: str) -> None:
    """Put the present process behind these walls for ever, with the channel as its descriptor `CHANNEL`.

    `readable` and `folder` are named as the process sees them. Raises `OSError` where a layer does not hold:
    then nothing must be run.
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
        kernel.not_dumpable()  # without them the keeper has to see which files it holds
    kernel.die_with_parent(signal.SIGKILL)  # after the change of user, which would switch it off
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
        # Within namespaces all that is in sight may be read.
        landlock.confine(("/",) if walls.namespaces else (*_bare(readable), *DEVICES), (folder, "/dev/null"))
    if walls.seccomp:
        # Without namespaces, files of the machine are in sight, and Landlock does not keep their rights.
        seccomp.install(os.getpid(), own_files=bool(walls.namespaces))


def _bare(readable: Iterable[str]) -> Iterator[str]:
    """The same paths, but the parts of a folder that holds installed packages instead of the folder itself.

    What Landlock opens, it opens with all that lies below.
    """
    for path in readable:
        parts = os.listdir(path) if os.path.isdir(path) else []
        if any(name in parts for name in PACKAGES):
            yield from (f"{path}/{name}" for name in parts if name not in PACKAGES)
        else:
            yield path

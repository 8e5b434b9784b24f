"""The warm template: an interpreter that has imported the libraries of boxes, and forks a keeper for each
box.

It is a new program, holds nothing of any world, runs no code of agents, and answers only its parent:

    ["open", order], with the ends of a leash and a channel      a keeper is forked (see `keeper`)
    ["probe", order]                                             answered with what this machine offers
"""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import PathFinder
from typing import Any, NoReturn

from . import keeper, kernel, landlock, seccomp, view
from .channel import decode, encode

LARGEST = 1 << 20
"""Largest size of an order in bytes."""

EXPENDABLE = 500
"""The `oom_score_adj` of sandboxed processes; the kernel kills processes with a higher value first."""

FOREIGN = (
    "zlib",
    "bz2",
    "lzma",
    "sqlite3",
    "hashlib",
    "uuid",
    "pyexpat",
    "decimal",
    "statistics",
    "numbers",
    "string",
)
"""Modules of the standard library that are imported early, because they need libraries of the system which a
box
cannot read, or because nearly all code imports them."""

SYSTEM = (
    *("libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libm.so.6", "libresolv.so.2"),
    *("libstdc++.so.6", "libgcc_s.so.1", "libgomp.so.1", "libatomic.so.1"),
)
"""Libraries of the system on which compiled packages may rely by the manylinux standard."""


class _Only:
    """An import hook that hides all packages except those of the box and the modules in its folder.

    Other packages cannot be read anyway. The hook makes them look as if they were not installed, so that
    packages with optional requirements can do without them.
    """

    def __init__(self, names: frozenset[str], folders: frozenset[str]) -> None:
        self.names = names
        self.folders = folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if path is not None or name in self.names or name in sys.stdlib_module_names:
            return
        if PathFinder.find_spec(name, [p for p in sys.path if p not in self.folders]) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main(control_fd: int) -> NoReturn:
    """Import, then answer orders until the parent hangs up; never returns."""
    if not kernel.fix_addresses():
        os.set_inheritable(control_fd, True)
        os.execv(sys.executable, sys.orig_argv)
    os.umask(0o022)
    # Code can see which signals are ignored, which depends on how the parent was started.
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _go_first()
    control = socket.socket(fileno=control_fd)
    try:
        _import(decode(control.recv(LARGEST)))
    except BaseException as problem:
        control.send(encode(["failed", f"{type(problem).__name__}: {problem}"]))
        os._exit(1)
    control.send(encode(["warm"]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers need not be reaped
    while True:
        data, ends, _, _ = socket.recv_fds(control, LARGEST, 2)
        if not data:
            os._exit(0)
        what, order = decode(data)
        if what == "probe":
            control.send(encode(["probed", _probe(order)]))
            continue
        if os.fork() == 0:
            control.close()
            leash, channel = ends
            keeper.keep(leash, channel, order)
        for fd in ends:
            os.close(fd)


def _go_first() -> None:
    """Let the kernel kill boxes before the process of the world where memory runs out."""
    with suppress(OSError):
        with open("/proc/self/oom_score_adj") as file:
            present = int(file.read())
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(str(max(present, EXPENDABLE)))


def _import(order: dict[str, Any]) -> None:
    """Set the path of the libraries and import the preloaded modules."""
    sys.path += order["path"]
    sys.argv = [""]
    guard: Any = _Only(frozenset(order["names"]), frozenset(order["path"]))
    sys.meta_path.insert(0, guard)
    for name in FOREIGN:
        try:
            importlib.import_module(name)
        except ImportError:  # this interpreter was built without it
            continue
    for name in SYSTEM:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
    for name in order["preload"]:
        importlib.import_module(name)
    if "numpy" in sys.modules:  # numpy imports this part on demand, and every block needs it for its seed
        importlib.import_module("numpy.random")
    sys.path.append("")  # modules in the folder of a box, after all others


def _probe(order: dict[str, Any]) -> dict[str, Any]:
    """Try each layer in a process of its own; returns the reasons of those that fail."""
    seen = view.View(tuple(order["readable"]), {}, 1 << 20, 16)

    def namespaces(user: bool) -> None:
        view.new_namespaces(user)
        view.build(seen)
        if os.fork() == 0:
            os._exit(0 if os.getpid() == 1 else 1)
        if os.wait()[1] != 0:
            raise OSError("a new process namespace does not begin with process 1")
        if not user:
            os.setresuid(view.NOBODY, view.NOBODY, view.NOBODY)
        for path in seen.readable:
            if not os.access(path, os.R_OK):
                raise OSError(f"{path} is not open to everybody")

    def filtered() -> None:
        kernel.no_new_privileges()
        seccomp.install(os.getpid(), own_files=True)
        try:
            os.fork()
        except PermissionError:
            return
        raise OSError("the filter lets a fork pass")

    def fenced() -> None:
        kernel.no_new_privileges()
        landlock.confine(("/dev/null",), ())
        try:
            os.listdir("/")
        except PermissionError:
            return
        raise OSError("a folder can still be read")

    tries: dict[str, Callable[[], None]] = {
        "nobody": lambda: namespaces(user=False),
        "user": lambda: namespaces(user=True),
        "seccomp": filtered,
        "landlock": fenced,
    }
    return {"abi": landlock.abi(), "failed": {name: _tried(attempt) for name, attempt in tries.items()}}


def _tried(attempt: Callable[[], None]) -> str | None:
    """Run an attempt in a process of its own; returns its error, None where it succeeds."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        try:
            attempt()
            os.write(writer, b"+")
        except BaseException as problem:
            os.write(writer, f"-{type(problem).__name__}: {problem}".encode()[:1000])
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        answer = file.read().decode()
    return None if answer == "+" else answer[1:] or "it ended without a word"

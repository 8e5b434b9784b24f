"""The warm template: an interpreter that has imported the libraries of boxes and forks a keeper for each box.

It is started as a new program, so its memory holds no data of a world. It runs no code of agents, and accepts
orders only from its parent:

    ["open", order], with the ends of a leash and a channel      forks a keeper (see `keeper`)
    ["probe", order]                                             answers which layers of protection work
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
"""Modules of the standard library that are imported before boxes are forked.

They need libraries of the system that a box cannot read, or are imported by nearly all code.
"""

SYSTEM = (
    *("libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libm.so.6", "libresolv.so.2"),
    *("libstdc++.so.6", "libgcc_s.so.1", "libgomp.so.1", "libatomic.so.1"),
)
"""Libraries of the system that compiled packages may need according to the manylinux standard."""


class _Only:
    """An import hook that hides all packages except those of the box and the modules in its folder.

    A box could not read the other packages in any case. The hook makes an import of them raise
    `ModuleNotFoundError`, so that packages treat them as optional requirements that are not installed.
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
    """Import the libraries, then execute orders until the parent ends. This function never returns."""
    if not kernel.fix_addresses():
        os.set_inheritable(control_fd, True)
        os.execv(sys.executable, sys.orig_argv)
    os.umask(0o022)
    # Code in a box can see which signals are ignored, which depends on how the parent was started.
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
    """Make the kernel kill boxes before the process of the world if memory runs out."""
    with suppress(OSError):
        with open("/proc/self/oom_score_adj") as file:
            present = int(file.read())
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(str(max(present, EXPENDABLE)))


def _import(order: dict[str, Any]) -> None:
    """Set `sys.path`, install the import hook, and import the modules that boxes share."""
    sys.path += order["path"]
    sys.argv = [""]
    guard: Any = _Only(frozenset(order["names"]), frozenset(order["path"]))
    sys.meta_path.insert(0, guard)
    for name in FOREIGN:
        try:
            importlib.import_module(name)
        except ImportError:  # this interpreter was built without the module
            continue
    for name in SYSTEM:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
    for name in order["preload"]:
        importlib.import_module(name)
    if "numpy" in sys.modules:  # numpy imports this module on demand, and each block needs it to set the seed
        importlib.import_module("numpy.random")
    sys.path.append("")  # the folder of the box, so that its modules are found after all others


def _probe(order: dict[str, Any]) -> dict[str, Any]:
    """Try each layer of protection in a separate process.

    Returns:
        The ABI version of Landlock (`abi`), and for each layer the reason why it fails, or None (`failed`).
    """
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
    """Run an attempt in a separate process. Return its error, or None if it succeeds."""
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

"""The keeper, a process for each box, which builds the box's file system, starts it and enforces its limits.

The parent controls the keeper through the leash, a second channel to which hostile code has no access:

    ["go", seconds]        lets the box run for this processor time
    ["rest"]               stops the box; the answer is ["rests", seconds of processor time since `go`]
    ["interrupt"]          interrupts the block, because its time is over
    ["kill"]               kills the box

When the box has ended, for whatever reason, the keeper sends `["ended", {...}]` and exits. When the parent
ends, the leash is closed, and the keeper kills the box. If the box's folder is on a disk of the machine, the
parent removes it. If the parent closes the leash before that, the keeper removes it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import suppress
from typing import Any, NoReturn

from . import folder as folders
from . import interpreter, kernel, view
from .channel import Channel, ChannelError, Closed
from .confinement import CHANNEL, Allowance, Walls, confine

LOOK_AT_DISK = 0.1
"""Time in seconds between two measurements of a folder on a disk of the machine."""

SHORTEST = 0.005
"""Smallest time in seconds between two readings of the processor time."""


def keep(leash_fd: int, channel_fd: int, order: dict[str, Any]) -> NoReturn:
    """Open the box of this order and watch it until it ends. This function never returns."""
    leash = Channel(leash_fd, order["message"])
    walls = Walls(**order["walls"])
    try:
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        address_space = _address_space() + order["memory"]
        kernel.adopt_orphans()
        if walls.namespaces:
            view.new_namespaces(user=walls.namespaces == "user")
            seen = view.View(tuple(order["readable"]), order["inputs"], order["disk"], order["files"])
            opened = view.build(seen)
            place, inputs = view.FOLDER, {name: f"{view.INPUTS}/{name}" for name in order["inputs"]}
        else:
            opened, place, inputs = None, order["folder"], order["inputs"]
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            allowance = Allowance(address_space, order["file_size"], order["open_files"])
            _become(channel_fd, walls, allowance, order, place, inputs)
        os.close(channel_fd)
        _first_byte(leash_fd, [] if opened is None else [opened])
        if opened is not None:
            os.close(opened)
        _watch(leash, pid, wake, order if not walls.namespaces else None)
        if not walls.namespaces:
            _sweep()
            _inherit(leash, order["folder"])
    except ChannelError:
        os._exit(1)
    except BaseException as problem:
        _first_byte(leash_fd, [])
        leash.send(["failed", f"{type(problem).__name__}: {problem}"])
        os._exit(1)
    os._exit(0)


def _become(
    channel_fd: int,
    walls: Walls,
    allowance: Allowance,
    order: dict[str, Any],
    place: str,
    inputs: dict[str, str],
) -> NoReturn:
    """Confine this process and become the box. This function never returns."""
    try:
        confine(channel_fd, walls, allowance, (*order["readable"], *order["inputs"].values()), place)
        channel = Channel(CHANNEL, order["message"])
        channel.send(["walled"])
        os.environ.clear()
        os.environ.update(order["environment"], HOME=place, TMPDIR=place)
        _, start = channel.receive()
        interpreter.Interpreter(channel, {**start, "inputs": inputs}).serve()
    except BaseException as problem:
        try:
            Channel(CHANNEL, order["message"]).send(["failed", f"{type(problem).__name__}: {problem}"])
        finally:
            os._exit(1)


def _watch(leash: Channel, pid: int, wake: int, disk: dict[str, Any] | None) -> None:
    """Execute the commands from the leash until the box has ended, then report how it ended."""
    clock = (~pid << 3) | 2  # the CPU-time clock of the box, see clock_getcpuclockid(3)
    began: float | None = None
    budget, why, next_look = 0.0, "", 0.0
    waiting = select.poll()
    waiting.register(leash.fd, select.POLLIN)
    waiting.register(wake, select.POLLIN)
    while True:
        timeout = None
        if began is not None and not why:
            left = budget - (time.clock_gettime(clock) - began)
            if left <= 0:
                why = "cpu"
            elif disk is not None and time.monotonic() >= next_look:
                why = _too_much(pid, disk)
                next_look = time.monotonic() + LOOK_AT_DISK
            if why:
                _kill(pid)
            timeout = max(SHORTEST, min(left, LOOK_AT_DISK) if disk is not None else left)
        ready = {fd for fd, _ in waiting.poll(None if timeout is None else timeout * 1000)}
        if wake in ready:
            os.read(wake, 1024)
            ended = _reap(pid)
            if ended is not None:
                with suppress(Closed):
                    leash.send(["ended", {**ended, "why": why}])
                return
        while leash.fd in ready or leash.pending:
            ready.discard(leash.fd)
            try:
                command, *rest = leash.receive()
            except ChannelError:
                command, rest = "kill", []
                waiting.unregister(leash.fd)  # the parent has ended, so only the end of the box is awaited
            if command == "go":
                budget, began = rest[0], time.clock_gettime(clock)
                os.kill(pid, signal.SIGCONT)
            elif command == "rest":
                if not _stopped(pid):
                    continue  # it has ended, which the next iteration detects
                used = 0.0 if began is None else time.clock_gettime(clock) - began
                began = None
                why = why or ("" if disk is None else _too_much(pid, disk))
                if why:
                    _kill(pid)
                else:
                    with suppress(Closed):  # detected in the next iteration
                        leash.send(["rests", used])
            elif command == "interrupt":
                os.kill(pid, interpreter.INTERRUPT)
            else:
                why = why or "asked"
                _kill(pid)


def _stopped(pid: int) -> bool:
    """Stop the box. Return False if it has ended instead."""
    os.kill(pid, signal.SIGSTOP)
    state = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return state is not None and state.si_code == os.CLD_STOPPED


def _too_much(pid: int, disk: dict[str, Any]) -> str:
    """Return `disk` if the box's files, with deleted open ones, exceed the limits, else an empty text."""
    size, entries = folders.usage(disk["folder"], disk["files"])
    size += folders.unnamed(pid, disk["folder"], disk["file_size"])
    return "disk" if size > disk["disk"] or entries > disk["files"] else ""


def _kill(pid: int) -> None:
    """Kill the box and the processes of its group, which it can have started if seccomp is not used."""
    for kill in (os.kill, os.killpg):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _reap(pid: int) -> dict[str, Any] | None:
    """Reap all children that have ended. Return how the box ended, or None if it is not among them."""
    ended = None
    while True:
        try:
            child, status, used = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if child == 0:
            return ended
        if child == pid:
            code = os.waitstatus_to_exitcode(status)
            ended = {"code": code, "cpu": used.ru_utime + used.ru_stime}


def _sweep() -> None:
    """Kill the processes that the box has started. There can be some only if seccomp is not used."""
    for _ in range(1000):
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            orphans = file.read().split()
        if not orphans:
            return
        for orphan in orphans:
            _kill(int(orphan))
        os.waitpid(-1, 0)


def _inherit(leash: Channel, folder: str) -> None:
    """Wait until the leash is closed, then remove the box's folder unless the parent has removed it."""
    with suppress(ChannelError):
        while True:
            leash.receive()
    with suppress(FileNotFoundError):
        folders.remove(folder)


def _first_byte(leash_fd: int, opened: list[int]) -> None:
    """Send the first byte on the leash, together with the descriptors in `opened`."""
    with socket.socket(fileno=os.dup(leash_fd)) as leash:
        socket.send_fds(leash, [b"."], opened)


def _address_space() -> int:
    """The size of this process's address space in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

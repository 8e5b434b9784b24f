"""One process beside each box: builds its view, starts it, watches over it, and ends it.

The parent holds the keeper on a leash, a second channel that hostile code never sees:

    ["go", seconds]        the box may run, for so many seconds of processor time
    ["rest"]               the box is stopped; answered, when it stands, with ["rests", seconds since `go`]
    ["interrupt"]          the block is told that its time is over
    ["kill"]               the box is killed

When the box ends, for whatever reason, the keeper says `["ended", {...}]` and goes. When the parent ends, the
leash does, and the keeper kills the box. A folder on a disk of the machine is removed by the parent, which
holds the leash until then, or else by the keeper.
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
"""Seconds between two measurements of a folder that lies on a disk of the machine."""

SHORTEST = 0.005
"""Seconds between two looks at the processor time."""


def keep(leash_fd: int, channel_fd: int, order: dict[str, Any]) -> NoReturn:
    """Open the box of this order and stay with it to its end; never returns."""
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
    """Be the box."""
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
    """Obey the leash until the box has ended, then say how."""
    clock = (~pid << 3) | 2  # the process's processor time, see clock_getcpuclockid(3)
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
                waiting.unregister(leash.fd)  # nobody is there any more: only the end is waited for
            if command == "go":
                budget, began = rest[0], time.clock_gettime(clock)
                os.kill(pid, signal.SIGCONT)
            elif command == "rest":
                if not _stopped(pid):
                    continue  # it ends: the next look takes leave of it
                used = 0.0 if began is None else time.clock_gettime(clock) - began
                began = None
                why = why or ("" if disk is None else _too_much(pid, disk))
                if why:
                    _kill(pid)
                else:
                    with suppress(Closed):  # heard at the next look
                        leash.send(["rests", used])
            elif command == "interrupt":
                os.kill(pid, interpreter.INTERRUPT)
            else:
                why = why or "asked"
                _kill(pid)


def _stopped(pid: int) -> bool:
    """Stop the box; whether it stands still now, rather than being at its end."""
    os.kill(pid, signal.SIGSTOP)
    found = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return found is not None and found.si_code == os.CLD_STOPPED


def _too_much(pid: int, disk: dict[str, Any]) -> str:
    """`disk` where the box has more in its folder, with or without a name, than it may; else nothing."""
    size, entries = folders.usage(disk["folder"], disk["files"])
    size += folders.unnamed(pid, disk["folder"], disk["file_size"])
    return "disk" if size > disk["disk"] or entries > disk["files"] else ""


def _kill(pid: int) -> None:
    """The box, and where hostile code could start processes, those of its session."""
    for kill in (os.kill, os.killpg):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _reap(pid: int) -> dict[str, Any] | None:
    """Take leave of every child that has ended; how the box ended, if it is among them."""
    found = None
    while True:
        try:
            child, status, used = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if child == 0:
            return found
        if child == pid:
            code = os.waitstatus_to_exitcode(status)
            found = {"code": code, "cpu": used.ru_utime + used.ru_stime}


def _sweep() -> None:
    """Kill what the box has left: only where no filter kept it from starting processes is there anything."""
    for _ in range(1000):
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            orphans = file.read().split()
        if not orphans:
            return
        for orphan in orphans:
            _kill(int(orphan))
        os.waitpid(-1, 0)


def _inherit(leash: Channel, folder: str) -> None:
    """Remove the box's folder when nobody holds the leash any more, if nobody else has."""
    with suppress(ChannelError):
        while True:
            leash.receive()
    with suppress(FileNotFoundError):
        folders.remove(folder)


def _first_byte(leash_fd: int, opened: list[int]) -> None:
    """The leash begins with one byte, to which a descriptor of the box's folder may be tied."""
    with socket.socket(fileno=os.dup(leash_fd)) as leash:
        socket.send_fds(leash, [b"."], opened)


def _address_space() -> int:
    """Bytes of address space that this process takes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")

"""A box: a confined interpreter for untrusted code.

This module runs in the parent, the process that holds the world. Each box has a keeper, a process that
watches it (`assay.sandbox.inside.keeper`). The parent exchanges messages with the box over the channel, and
with the keeper over the leash.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import stat
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from assay import canonical, surrogates
from assay.errors import ConfigError, SandboxError
from assay.numbers import rng
from assay.protocol import BlobRef, Call, Json, Result
from assay.sandbox import template as templates
from assay.sandbox.inside import folder as folders
from assay.sandbox.inside.channel import Channel, ChannelError, Closed, Late, Malformed, TooLong
from assay.sandbox.level import Layer, Level
from assay.sandbox.limits import Limits
from assay.sandbox.outcome import Ending, Outcome, Usage

DATE = 1_735_689_600.0
"""Default start of the simulated clock, in seconds since 1970: 2025-01-01 00:00 UTC."""

OPENING = 30.0
"""Time in seconds within which a new box must be ready."""

ENDING = 30.0
"""Time in seconds within which the kernel must stop or end a box."""

LONGEST = 10_000
"""Largest number of characters of a block's error. Only hostile code produces longer ones."""


@dataclass(frozen=True)
class Policy:
    """The permissions of agents' code in a suite, and the protection that the suite requires.

    Attributes:
        limits: Limits of each block and of the box.
        distributions: The distributions whose packages can be imported, as can those that they require.
        preload: Modules that are imported once, before boxes are forked, to save time.
        minimum: The lowest level at which a box is opened. Use `none` only for code that you trust.
        tools_count: Whether the time in which tools answer counts as time of the block. Such tools have to
            end in time themselves, see `Box.time_left`.
        without: Layers that are left out in tests.
    """

    limits: Limits = field(default_factory=Limits)
    distributions: tuple[str, ...] = ("numpy",)
    preload: tuple[str, ...] = ("numpy",)
    minimum: Level = "reduced"
    tools_count: bool = False
    without: frozenset[Layer] = frozenset()


class Box:
    """An interpreter in a confined process, which keeps its variables from block to block.

    The process starts with the first block, so that a replay, which runs no block, needs no sandbox. Code
    calls tools by `call(tool, arguments)`, and a refused call raises `ToolError`. A block that does not end
    in time is interrupted. If it still does not end, or exceeds another limit, the interpreter can be killed
    (`Outcome.alive` is then false), and the next block runs in a new one with an empty folder. A box must
    not be used by two threads at once, but several boxes may be used in parallel.

    Args:
        policy: The permissions of the code and the required protection, by default `Policy()`.
        names: Names of tools for which the code gets functions of the same name, with keyword arguments.
        prelude: Source code of the suite that is executed before the first block. Its definitions are
            restored before each block. If it defines `check_block(source)`, and this returns a reason, the
            block is not run.
        inputs: Files or folders that code may read, by name. In the box, the variable `INPUTS` maps the names
            to paths.
        seed: Seed of the random numbers in the box.
        date: Start of the simulated clock, in seconds since 1970.

    Raises:
        ConfigError: The name of an input has a slash.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        names: Sequence[str] = (),
        prelude: str = "",
        inputs: Mapping[str, Path] | None = None,
        seed: int = 0,
        date: float = DATE,
    ) -> None:
        self.policy = policy or Policy()
        self.limits = self.policy.limits
        self._names, self._prelude, self._seed, self._date = tuple(names), prelude, seed, date
        self._inputs = {name: str(path.resolve()) for name, path in (inputs or {}).items()}
        for name in self._inputs:
            if "/" in name or name in ("", ".", ".."):
                raise ConfigError(f"an input of a sandbox is named {name!r}", "use a name without a slash")
        self._number = 0
        self._place: Path | None = None
        self._folder: int | None = None
        self._leash: Channel | None = None
        self._channel: Channel | None = None
        self._sockets: list[socket.socket] = []
        self._last: socket.socket | None = None
        self._block: _Block | None = None
        self.level: Level | None = None

    # -- what a suite calls

    def run(self, code: str, call: Call | None = None) -> Outcome:
        """Run one block to its end.

        Args:
            code: The source of the block.
            call: Function that makes the block's calls of tools. If it raises an exception, the box is killed
                and the exception is raised again.

        Returns:
            The outcome of the block.

        Raises:
            SandboxError: The box cannot be opened. The code of a block cannot cause this error.
        """
        if self._channel is None:
            self._open()
        self._number += 1
        try:
            self._block = _Block(self, call)
            return self._block.run(code, self._number)
        except BaseException:
            self.kill()
            raise
        finally:
            self._block = None

    @property
    def time_left(self) -> float | None:
        """Seconds until the block that runs is interrupted, not below 0; `None` if no block runs."""
        return None if self._block is None else max(0.0, self._block.deadline - time.monotonic())

    def put(self, name: str, data: bytes) -> None:
        """Write a file into the box's folder, between two blocks.

        Args:
            name: The path of the file within the folder.
            data: Its content.

        Raises:
            OSError: The file would exceed the limits of the folder (`errno.ENOSPC`).
            ValueError: The name leads out of the folder.
        """
        if self._channel is None:
            self._open()
        assert self._folder is not None
        if self._place is not None:  # a folder on a disk of the machine, not a file system of limited size
            size, entries = folders.usage(str(self._place), self.limits.files)
            entries += 1 + name.count("/")
            if size + len(data) > self.limits.disk or entries > self.limits.files:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        folders.put(self._folder, name, data)

    def files(self) -> dict[str, bytes]:
        """Read the regular files in the box's folder, between two blocks or after the last.

        Links, pipes, deeply nested files and files beyond the limits of the folder are left out.

        Returns:
            The content of each file by its path within the folder.
        """
        if self._folder is None:
            return {}
        return dict(folders.files(self._folder, self.limits.disk, self.limits.files))

    def close(self) -> None:
        """End the interpreter and remove its folder. Do nothing if the box is not open."""
        self.kill()
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None
        if self._place is not None:
            folders.remove(str(self._place))
            self._place = None
        if self._last is not None:
            self._last.close()
            self._last = None

    def __enter__(self) -> Box:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- the process

    def kill(self) -> dict[str, Any]:
        """Kill the interpreter. Its folder can still be read.

        Returns:
            The keeper's report. Its keys are `code` (the exit code, negative for a signal), `cpu` (processor
            time in seconds) and `why` (the reason if the keeper killed the box, empty if it did not, `lost`
            if there is no report).
        """
        ended: dict[str, Any] = {"code": None, "cpu": 0.0, "why": "lost"}
        if self._leash is not None:
            with suppress(ChannelError):
                self._leash.send(["kill"], time.monotonic() + ENDING)
            ended = self._ended(ENDING) or ended
        self._let_go()
        return ended

    def _let_go(self) -> None:
        """Release an interpreter that has ended, but keep its folder."""
        if self._place is not None and self._sockets:  # once it is closed, the keeper removes the folder
            self._last = self._sockets.pop(0)
        for end in self._sockets:
            end.close()
        self._sockets, self._leash, self._channel = [], None, None

    def _ended(self, patience: float) -> dict[str, Any] | None:
        """Wait for the keeper's report of the box's end. Return None if it takes over `patience` seconds."""
        deadline = time.monotonic() + patience
        while self._leash is not None:
            try:
                message = self._leash.receive(deadline)
            except ChannelError:
                return None
            if message[0] == "ended":
                ended: dict[str, Any] = message[1]
                return ended
        return None

    def _open(self) -> None:
        self.close()
        policy, limits = self.policy, self.limits
        template = templates.warm(policy.distributions, policy.preload)
        # A box that runs as the user nobody can read only files that all users may read.
        closed = any(not Path(path).stat().st_mode & stat.S_IROTH for path in self._inputs.values())
        walls = template.offer.walls(policy.without | {"nobody"} if closed else policy.without)
        template.offer.demand(walls, policy.minimum)
        self.level = template.offer.level(walls)
        if not walls.namespaces:
            self._place = Path(tempfile.mkdtemp(prefix="assay-box-"))
        leash, their_leash = socket.socketpair()
        channel, their_channel = socket.socketpair()
        self._sockets = [leash, channel]
        with their_leash, their_channel:
            order = {
                "walls": walls._asdict(),
                "readable": template.libraries.readable,
                "inputs": self._inputs,
                "folder": None if self._place is None else str(self._place),
                "environment": templates.ENVIRONMENT,
                **{name: getattr(limits, name) for name in ("message", "memory", "disk", "files")},
                **{name: getattr(limits, name) for name in ("file_size", "open_files")},
            }
            template.open(order, their_leash.fileno(), their_channel.fileno())
        deadline = time.monotonic() + OPENING
        leash.settimeout(OPENING)
        try:
            _, passed, _, _ = socket.recv_fds(leash, 1, 1)
        except OSError:
            passed = []
        for end in self._sockets:
            end.setblocking(False)
        self._leash = Channel(leash.fileno(), limits.message)
        self._channel = Channel(channel.fileno(), limits.message)
        if passed:
            self._folder = passed[0]
        elif self._place is not None:
            self._folder = os.open(self._place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        start = {"names": self._names, "prelude": self._prelude, "date": self._date}
        try:
            self._leash.send(["go", limits.cpu], deadline)
            self._expect("walled", deadline)
            self._channel.send(["start", start], deadline)
            self._expect("ready", deadline)
        except ChannelError as problem:
            raise self._unopened(f"{type(problem).__name__}: {problem}") from None

    def _expect(self, word: str, deadline: float) -> None:
        assert self._channel is not None
        message = self._channel.receive(deadline)
        if message[0] != word:
            raise self._unopened(str(message[1:]))

    def _unopened(self, why: str) -> SandboxError:
        """Return the error for a box that did not open, with the keeper's reason if it sent one."""
        with suppress(ChannelError):
            while self._leash is not None:
                message = self._leash.receive(time.monotonic() + 1)
                if message[0] == "failed":
                    why = message[1]
                    break
        self.close()
        return SandboxError(
            f"a sandbox did not open: {why}",
            "if a prelude is named, mend it; otherwise see `assay sandbox --check`",
        )


class _Block:
    """Runs one block, and enforces the limits on its time, output and messages."""

    def __init__(self, box: Box, call: Call | None) -> None:
        assert box._channel is not None and box._leash is not None
        self.box, self.call, self.limits = box, call, box.limits
        self.channel, self.leash = box._channel, box._leash
        self.printed = {"stdout": bytearray(), "stderr": bytearray()}
        self.calls: dict[str, int] = {}
        self.began = time.monotonic()
        self.deadline = self.began + self.limits.wall
        self.interrupted = False

    def run(self, code: str, number: int) -> Outcome:
        self.channel.received = 0
        seed = rng.stream(self.box._seed, "block", number).bits()
        try:
            self.leash.send(["go", self.limits.cpu], self.deadline)
            try:
                self.channel.send(["run", number, code, seed], self.deadline)
            except TooLong as problem:
                return self._alive("refused", f"the block is {problem}", None)
            while True:
                done = self._take(self._receive())
                if done is not None:
                    return done
        except Late:
            return self._dead("timeout", f"the block did not end within {self.limits.wall:g} s")
        except Closed:
            return self._fallen()
        except Malformed as problem:
            return self._dead("protocol", str(problem))

    def _receive(self) -> Any:
        """Receive a message. Interrupt the block at the deadline, and raise `Late` after the grace time."""
        try:
            # `receive` checks the deadline only while it waits, which a flood of messages would prevent.
            if time.monotonic() > self.deadline:
                raise Late
            return self.channel.receive(self.deadline)
        except Late:
            if self.interrupted:
                raise
            self.interrupted = True
            self.deadline = time.monotonic() + self.limits.grace
            self.leash.send(["interrupt"], self.deadline)
            return self.channel.receive(self.deadline)

    def _take(self, message: Any) -> Outcome | None:
        """Handle one message. Return the outcome if it ended the block, else None."""
        if self.channel.received > self.limits.traffic:
            return self._dead("output", f"more than {self.limits.traffic} bytes of messages")
        match message:
            case ["stdout" | "stderr" as name, str(text)]:
                return self._print(name, text)
            case ["call", str(tool), arguments]:
                return self._answer(tool, arguments)
            case ["done", {"status": str(status), "error": str() | None as error, "value": value}] if (
                status in ("ok", "error", "refused", "timeout", "memory", "disk")
            ):
                return self._alive(status, error, value)  # type: ignore[arg-type]
        return self._dead("protocol", "a message that no block sends")

    def _print(self, name: str, text: str) -> Outcome | None:
        try:
            data = text.encode("latin-1")
        except UnicodeEncodeError:
            return self._dead("protocol", "printed text that is no bytes")
        left = self.limits.output - sum(map(len, self.printed.values()))
        self.printed[name] += data[:left]
        if len(data) > left:
            return self._dead("output", f"more than {self.limits.output} bytes printed")
        return None

    def _answer(self, tool: str, arguments: Json) -> Outcome | None:
        name = surrogates.replace(tool)[:100]
        if sum(self.calls.values()) >= self.limits.calls:
            return self._dead("calls", f"more than {self.limits.calls} calls of tools")
        self.calls[name] = self.calls.get(name, 0) + 1
        if self.call is None:
            answer: list[Json] = ["answer", False, "this code can call no tool"]
        else:
            began = time.monotonic()
            answer = _answered(self.call(tool, arguments))
            if not self.box.policy.tools_count:
                self.deadline += time.monotonic() - began
        try:
            self.channel.send(answer, self.deadline)
        except TooLong as problem:  # no part of the message has been sent
            self.channel.send(["answer", False, f"{name} answered with {problem}"], self.deadline)
        return None

    def _alive(self, status: Ending, error: str | None, value: Json) -> Outcome:
        """Stop the interpreter after its block has ended, so that leftover code cannot run between blocks."""
        word, state = self._rest()
        if word == "rests":
            return self._outcome(status, error, value, True, state)
        self.box._let_go()
        return self._after(state, status, error, value)

    def _rest(self) -> tuple[str, Any]:
        """Stop the interpreter.

        Returns:
            `rests` and the processor time of the block in seconds, or, if the interpreter has ended, `ended`
            and the keeper's report as in `Box.kill`.
        """
        deadline = time.monotonic() + ENDING
        with suppress(Closed):  # the keeper has ended, but its last message can still be read
            self.leash.send(["rest"], deadline)
        while True:
            message = self.leash.receive(deadline)
            if message[0] in ("rests", "ended"):
                return message[0], message[1]

    def _fallen(self) -> Outcome:
        """The outcome of a block whose channel was closed. Its interpreter has ended or is still alive."""
        try:
            word, state = self._rest()
        except ChannelError:  # the keeper has ended as well
            return self._dead("killed", "its interpreter is gone")
        if word == "rests":
            return self._dead("protocol", "the block has closed the channel")
        self.box._let_go()
        return self._after(state, "killed", "its interpreter is gone")

    def _dead(self, status: Ending, error: str) -> Outcome:
        """Kill the interpreter and return the outcome with this status and error."""
        return self._after(self.box.kill(), status, error)

    def _after(self, ended: dict[str, Any], status: Ending, error: str | None, value: Json = None) -> Outcome:
        code = ended["code"]
        if ended["why"] == "cpu":
            status, error = "cpu", f"more than {self.limits.cpu:g} s of processor time"
        elif ended["why"] == "disk":
            status, error = "disk", f"more than {self.limits.disk} bytes or {self.limits.files} files"
        elif status == "killed" and code is not None:
            error = (
                f"its interpreter ended itself with the exit code {code}"
                if code >= 0
                else f"its interpreter was ended by the signal {_signal(-code)}"
            )
        kept = None if ended["why"] in ("cpu", "disk") else value
        return self._outcome(status, error, kept, False, ended["cpu"])

    def _outcome(self, status: Ending, error: str | None, value: Json, alive: bool, cpu: float) -> Outcome:
        return Outcome(
            status=status,
            stdout=self.printed["stdout"].decode(errors="replace"),
            stderr=self.printed["stderr"].decode(errors="replace"),
            error=None if error is None else surrogates.replace(error)[:LONGEST],
            value=_sound(value),
            calls=dict(sorted(self.calls.items())),
            alive=alive,
            usage=Usage(time.monotonic() - self.began, cpu),
        )


def _signal(number: int) -> str:
    """The name of a signal, or its number if it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _answered(result: Result) -> list[Json]:
    """Convert a tool's result into a message.

    Its content is the only part, a list of several parts, or the reason of a refusal.
    """
    if not result.ok:
        return ["answer", False, result.error or "refused"]
    parts: list[Json] = [
        {"sha256": part.sha256, "media_type": part.media_type, "size": part.size}
        if isinstance(part, BlobRef)
        else part
        for part in result.parts
    ]
    return ["answer", True, parts[0] if len(parts) == 1 else parts]


def _sound(value: Json) -> Json:
    """Return the value, or None if it contains text that UTF-8 cannot encode or is nested too deeply."""
    try:
        canonical.dumps(value).encode()
    except (ValueError, RecursionError):
        return None
    return value

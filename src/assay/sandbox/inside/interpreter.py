"""The loop inside a box: receives blocks of code, runs them, and reports their outcomes.

Hostile code shares this process and can change everything in it, so nothing in this module is a protection.
The report on a block may come from the block itself, so the parent trusts it no more than printed output.
"""

from __future__ import annotations

import ast
import builtins
import errno
import io
import linecache
import os
import signal
import sys
import traceback
from collections.abc import Callable
from types import CodeType
from typing import Any, NoReturn

from . import kernel, pretence
from .channel import Channel, Closed, Malformed, TooLong

PIECE = 1 << 14
"""Number of bytes of printed output that are collected before they are sent in one message."""

AT_ONCE = 200
"""Number of writes of a block that are sent at once. Later ones are collected into messages of `PIECE` bytes.

If a block prints little, its last lines are not lost when the interpreter is killed. If it prints much, one
message for each line would take more time than the block. The rule depends on no clock, so the output is the
same under any load.
"""

FRAMES, LINE, MESSAGE = 8, 200, 2000
"""Limits of a traceback: the number of innermost frames, characters of a line, characters of the message."""

REFUSALS = frozenset({errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOSYS})
FULL = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})

INTERRUPT = signal.SIGUSR1
"""The signal that interrupts a block when its time is over."""


class ToolError(Exception):
    """A tool refused a call. The message is the reason."""


class TimeUp(BaseException):
    """The block's time is over.

    It is not an `Exception`, so that code which catches `Exception` is interrupted as well.
    """


class Interpreter:
    """Runs blocks in one namespace, which is kept from block to block."""

    def __init__(self, channel: Channel, start: dict[str, Any]) -> None:
        self.channel = channel
        self.pid = os.getpid()
        self.running = False
        self.calling = False
        self.pretence = pretence.Pretence(start["date"])
        self.undisturbed = _Undisturbed(self)
        self.printed: dict[str, _Printed] = {}
        self.streams = {name: self._stream(name) for name in ("stdout", "stderr")}
        self.namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
        self.given: dict[str, Any] = {
            "call": self.call,
            "ToolError": ToolError,
            "INPUTS": start["inputs"],
            **{name: self._proxy(name) for name in start["names"]},
        }
        self.namespace |= self.given
        self.reserve: bytearray | None = None
        signal.signal(INTERRUPT, self._interrupted)
        sys.stdin = io.StringIO()
        if start["prelude"]:
            before = set(self.namespace)
            exec(compile(start["prelude"], "<prelude>", "exec"), self.namespace)
            self.given |= {k: v for k, v in self.namespace.items() if k not in before or k in self.given}

    def serve(self) -> NoReturn:
        """Run the blocks that the parent sends, until it closes the channel."""
        kernel.hear_signals(False)  # signal handlers of a block must not run between blocks
        self.channel.send(["ready"])
        while True:
            try:
                _, number, code, seed = self.channel.receive()
            except Closed:
                os._exit(0)
            self.channel.send(["done", self.run(number, code, seed)])

    def run(self, number: int, code: str, seed: int) -> dict[str, Any]:
        """Run one block and return its status, error and value. Its output is sent while it runs."""
        file = f"<block {number}>"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        sys.stdout, sys.stderr = self.streams["stdout"], self.streams["stderr"]
        self.namespace |= self.given
        self.pretence.seed(seed)
        # This memory is released when the block runs out of memory, so that the error can still be reported.
        self.reserve = bytearray(1 << 20)
        value, status, error = None, "ok", None
        try:
            kernel.hear_signals(True)  # signals that arrived after the last block are handled here
            self.running = True
            try:
                check = self.given.get("check_block")
                reason = None if check is None else check(code)
                if reason is not None:
                    status, error = "refused", str(reason)
                else:
                    value = self._execute(code, file)
            finally:
                self.running = False
                kernel.hear_signals(False)
        except TimeUp:
            status, error = "timeout", "the block's time is over"
        except BaseException as problem:
            self.reserve = None
            status, error = _judge(problem, file)
        self.reserve = None
        if os.getpid() != self.pid:  # a forked child, which is possible without seccomp
            os._exit(0)
        for name, stream in self.streams.items():
            try:
                stream.flush()
                self.printed[name].push()
                self.printed[name].writes = 0
            except ValueError:  # the block has closed the stream
                self.printed[name].push()
                self.streams = {**self.streams, name: self._stream(name)}
        try:
            self.channel.check(value)
        except (TypeError, ValueError, RecursionError, Malformed):
            value = None
        return {"status": status, "error": error, "value": value}

    def call(self, tool: str, arguments: Any = None) -> Any:
        """Call a tool and return its answer.

        Raises:
            ToolError: The call is refused, or too long for a message.
            RuntimeError: Another call is in progress.
        """
        if self.calling:
            raise RuntimeError("a call within a call")
        self.calling = True
        try:
            with self.undisturbed:
                self.channel.send(["call", tool, {} if arguments is None else arguments])
                _, ok, answer = self.channel.receive()
        except TooLong as problem:
            raise ToolError(str(problem)) from None
        finally:
            self.calling = False
        if not ok:
            raise ToolError(answer)
        return answer

    def _execute(self, code: str, file: str) -> Any:
        tree = ast.parse(code, file)
        last: CodeType | None = None
        end = tree.body[-1] if tree.body else None
        if isinstance(end, ast.Expr):
            del tree.body[-1]
            last = compile(ast.Expression(end.value), file, "eval")
        exec(compile(tree, file, "exec"), self.namespace)
        return None if last is None else eval(last, self.namespace)

    def _proxy(self, tool: str) -> Callable[..., Any]:
        def proxy(**arguments: Any) -> Any:
            return self.call(tool, arguments)

        proxy.__name__ = proxy.__qualname__ = tool
        return proxy

    def _interrupted(self, number: int, frame: Any) -> None:
        if self.running:
            raise TimeUp

    def _stream(self, name: str) -> io.TextIOWrapper:
        self.printed[name] = _Printed(self.channel, name, self.undisturbed)
        buffered = io.BufferedWriter(self.printed[name], PIECE)
        return io.TextIOWrapper(buffered, "utf-8", "surrogatepass", line_buffering=True)


class _Undisturbed:
    """A context in which signals are blocked, so that no handler interrupts the sending of a message."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def __enter__(self) -> None:
        kernel.hear_signals(False)

    def __exit__(self, *problem: object) -> None:
        if self.interpreter.running:
            kernel.hear_signals(True)


class _Printed(io.RawIOBase):
    """A stream that sends printed bytes to the parent."""

    def __init__(self, channel: Channel, name: str, undisturbed: _Undisturbed) -> None:
        self.channel = channel
        self.kind = name
        self.undisturbed = undisturbed
        self.writes = 0
        self.kept = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data[:PIECE])
        self.writes += 1
        self.kept += piece
        if self.writes <= AT_ONCE or len(self.kept) >= PIECE:
            self.push()
        return len(piece)

    def push(self) -> None:
        """Send the bytes that were written but not sent yet."""
        piece, self.kept = self.kept, b""
        if piece:
            with self.undisturbed:
                self.channel.send([self.kind, piece.decode("latin-1")])


def _judge(problem: BaseException, file: str) -> tuple[str, str | None]:
    """Return the status and the error text for an exception of a block.

    Formatting an exception can run code of the block, and so raise any other exception.
    """
    try:
        if isinstance(problem, SystemExit):
            left = problem.code
            return ("ok", None) if left in (None, 0) else ("error", f"SystemExit: {left}"[:MESSAGE])
        text = _told(problem, file)
        if isinstance(problem, MemoryError):
            return "memory", text
        if isinstance(problem, OSError) and problem.errno in REFUSALS:
            return "refused", text
        if isinstance(problem, OSError) and problem.errno in FULL:
            return "disk", text
        if isinstance(problem, RuntimeError) and str(problem) == "can't start new thread":
            return "refused", text
        return "error", text
    except TimeUp:
        return "timeout", "the block's time is over"
    except MemoryError:
        return "memory", "MemoryError"
    except BaseException:
        return "error", "an exception that cannot be told"


def _told(problem: BaseException, file: str) -> str:
    """Format a short traceback: the lines in code of blocks, then the exception's type and message."""
    if isinstance(problem, SyntaxError) and problem.filename == file:
        return "".join(traceback.format_exception_only(problem))[-MESSAGE:]
    frames = []
    for frame, line in traceback.walk_tb(problem.__traceback__):
        if frame.f_code.co_filename.startswith("<block "):
            name = frame.f_code.co_filename
            text = linecache.getline(name, line).strip()
            frames.append((name, line, frame.f_code.co_name[:LINE], text[:LINE]))
    lines = [f'  File "{name}", line {line}, in {where}\n    {text}\n' for name, line, where, text in frames]
    if len(lines) > FRAMES:
        lines = [f"  ... {len(lines) - FRAMES} more\n", *lines[-FRAMES:]]
    last = traceback.format_exception_only(type(problem), problem)[-1].strip()
    return "".join(lines) + (last if len(last) <= MESSAGE else last[:MESSAGE] + " ...")

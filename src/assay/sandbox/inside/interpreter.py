"""The loop inside a box: receives blocks of code, runs them, and reports their outcomes.

Hostile code shares this process and can change everything in it. So nothing here protects anything: the
report on a block may come from the block itself, and the parent trusts it no more than printed output.
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
"""Approximate number of bytes of printed output in one message."""

AT_ONCE = 200
"""Number of lines of a block that are sent when they are printed; later ones are sent in pieces.

The last lines before an interpreter is killed matter where little is printed. Where much is printed, a
message for each line would cost more than the block. The rule uses no clock, so the output does not depend on
the load.
"""

FRAMES, LINE, MESSAGE = 8, 200, 2000
"""Limits of a traceback: number of innermost frames, characters of a line, and of the message."""

REFUSALS = frozenset({errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOSYS})
FULL = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})

INTERRUPT = signal.SIGUSR1
"""The signal that interrupts a block when its time is over."""


class ToolError(Exception):
    """A tool refused a call; the text says why."""


class TimeUp(BaseException):
    """The block's time is over. Not an `Exception`, so that a loop which ignores errors ends too."""


class Interpreter:
    """One namespace that lives from block to block."""

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
        """Run block after block until the parent hangs up."""
        kernel.hear_signals(False)  # handlers that a block has installed must not run between blocks
        self.channel.send(["ready"])
        while True:
            try:
                _, number, code, seed = self.channel.receive()
            except Closed:
                os._exit(0)
            self.channel.send(["done", self.run(number, code, seed)])

    def run(self, number: int, code: str, seed: int) -> dict[str, Any]:
        """Run one block; returns its status, error and value. Its output was sent while it ran."""
        file = f"<block {number}>"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        sys.stdout, sys.stderr = self.streams["stdout"], self.streams["stderr"]
        self.namespace |= self.given
        self.pretence.seed(seed)
        self.reserve = bytearray(
            1 << 20
        )  # released when memory runs out, so that the error can still be reported
        value, status, error = None, "ok", None
        try:
            kernel.hear_signals(True)  # signals that came too late for the last block arrive here
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
        if os.getpid() != self.pid:  # a forked copy, which is possible without seccomp
            os._exit(0)
        for name, stream in self.streams.items():
            try:
                stream.flush()
                self.printed[name].push()
                self.printed[name].writes = 0
            except ValueError:  # the block has closed it
                self.printed[name].push()
                self.streams = {**self.streams, name: self._stream(name)}
        try:
            self.channel.check(value)
        except (TypeError, ValueError, RecursionError, Malformed):
            value = None
        return {"status": status, "error": error, "value": value}

    def call(self, tool: str, arguments: Any = None) -> Any:
        """Call a tool and return its answer; raises `ToolError` with the reason of a refusal."""
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
    """Blocks signals while a message is sent, so that no handler interrupts it."""

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
        """Send the bytes that are kept back."""
        piece, self.kept = self.kept, b""
        if piece:
            with self.undisturbed:
                self.channel.send([self.kind, piece.decode("latin-1")])


def _judge(problem: BaseException, file: str) -> tuple[str, str | None]:
    """Status and text of an exception of a block; hostile code may make the text, too."""
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
    """A short traceback: the block's own lines, then the kind of exception and its message."""
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

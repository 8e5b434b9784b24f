"""The same bounds of time and memory for every input of every door."""

from __future__ import annotations

import contextlib
import io
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.reliability.fuzzing.door import ROOT, Call, Defect, Door

CPU_SECONDS = 5.0
"""Of one input. Time of the processor, so that a busy machine finds nothing."""

WALL_SECONDS = 60.0
"""Of one input: what waits for ever takes no time of the processor."""

MEMORY = 1 << 30
"""Bytes of address space that one input may add."""


STATM = Path("/proc/self/statm")

MEASURED = 50
"""Inputs after which the memory in use is measured anew."""

WARM = 3
"""Seeds that are tried before the first input, without bounds."""


class OutOfTime(BaseException):
    """An input took longer than its bound. No `except Exception` of a door may keep it."""


@dataclass(frozen=True)
class Finding:
    """An input that broke a door: what came out, and where."""

    door: str
    data: bytes
    kind: str
    trace: str

    @property
    def place(self) -> str:
        """Kind and innermost line of Assay: findings with the same place are one defect."""
        lines = [line.strip() for line in self.trace.splitlines() if "/src/assay/" in line]
        return f"{self.kind} {lines[-1].split('/src/')[-1] if lines else ''}".strip()


class Opened:
    """A door that is open, in a folder of its own; every input is held against the bounds.

    Meanwhile the process is in the folder of the checkout, where every command is called, and says nothing on
    standard error. `took` says whether the last input was taken, and not refused.
    """

    def __init__(self, door: Door) -> None:
        self.door = door
        self.took = False
        self._tried = 0
        self._stack = contextlib.ExitStack()
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-fuzz-")))
            stack.enter_context(contextlib.chdir(ROOT))
            self._said = stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            self._call: Call = door.open(folder)
            for data in door.seeds()[:WARM]:  # what is compiled or loaded once counts for no input
                with contextlib.suppress(*door.declared):
                    self._call(data)
            self._space = stack.enter_context(_limits())
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Put everything back as it was."""
        self._stack.close()

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def try_(self, data: bytes) -> Finding | None:
        """What an input breaks, or null: the door took it, or refused it as declared."""
        self.took = False
        if self._tried % MEASURED == 0:
            self._space()
            self._said.seek(0)
            self._said.truncate()
        self._tried += 1
        try:
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
            try:
                self._call(data)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.setitimer(signal.ITIMER_REAL, 0)
        except self.door.declared:
            return None
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            kind = str(problem) if isinstance(problem, OutOfTime | Defect) else type(problem).__name__
            return Finding(self.door.name, data, kind, _trace(problem))
        self.took = True
        return None


def _trace(problem: BaseException) -> str:
    """The end of a traceback; one of a recursion has a thousand lines."""
    lines = traceback.format_exception(problem, limit=-12)
    return "".join(lines)[-6000:]


@contextlib.contextmanager
def _limits() -> Iterator[Callable[[], None]]:
    """Handlers for the two clocks; gives what sets the limit of memory above what is in use now."""

    def stop(number: int, frame: FrameType | None) -> None:
        bound = CPU_SECONDS if number == signal.SIGPROF else WALL_SECONDS
        raise OutOfTime(f"more than {bound:g} s")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)

    def space() -> None:
        used = int(STATM.read_bytes().split()[0]) * resource.getpagesize()
        most = used + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == -1 else min(most, hard), hard))

    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    try:
        yield space
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def shorter(opened: Opened, finding: Finding, tries: int = 300, seconds: float = 60.0) -> Finding:
    """The same finding with as few bytes as can be had in so many tries and so much time, by leaving pieces
    out.
    """
    best, left = finding, tries
    until = time.monotonic() + seconds
    size = max(len(best.data) // 2, 1)
    while size >= 1 and left > 0 and time.monotonic() < until:
        at = 0
        while at < len(best.data) and left > 0 and time.monotonic() < until:
            left -= 1
            found = opened.try_(best.data[:at] + best.data[at + size :])
            if found is not None and found.place == best.place:
                best = found
            else:
                at += size
        size //= 2
    return best


def peak() -> int:
    """The most memory that this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def told(finding: Finding) -> str:
    """A finding as text, with the input in a form that can be written into the table."""
    shown = (
        repr(finding.data)
        if len(finding.data) <= 2000
        else repr(finding.data[:2000]) + f" ... ({len(finding.data)} bytes)"
    )
    return f"{finding.door}: {finding.place}\n  input {shown}\n{finding.trace}"


if sys.platform != "linux":
    raise ImportError("the bounds are those of Linux")

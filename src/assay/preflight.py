"""Before and after a run: can what it makes be written, is what was made still whole, has the clock jumped?

A disk that is full takes no error message either, where the logs are on it. So a run that fails asks here.
Snakemake refuses an output that is older than its input, as it is where the clock was put back in between.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from assay import damage
from assay.errors import WriteError
from assay.job import PARTIAL, REMEDIES

PLACES = ("results", "reports", ".snakemake")
"""Folders in which a run writes."""

INPUTS = ("tasks", "recordings", "private")
"""Folders from which jobs read."""

ENOUGH = 1 << 16
"""Bytes that must fit onto a disk: less than that, and no log does."""


def check_places(root: Path) -> None:
    """`WriteError` where a folder of the build, or what stands in its place, takes no file."""
    for place in PLACES:
        file = root / place / f"{PARTIAL}{os.getpid()}"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(bytes(ENOUGH))
        except OSError as problem:
            remedy = REMEDIES.get(problem.errno or 0, "make a folder of it that takes files, then run again")
            raise WriteError(f"{place}: {problem.strerror}", remedy) from problem
        finally:
            with suppress(OSError):
                file.unlink(missing_ok=True)


def end_future(root: Path) -> list[Path]:
    """Give files that a job reads or writes the present time where theirs is still to come: those files."""
    now = time.time()
    found = [path for path in _files(root) if path.stat(follow_symlinks=False).st_mtime > now]
    for path in found:
        with suppress(OSError):
            os.utime(path, (now, now), follow_symlinks=False)
    return found


def _files(root: Path) -> Iterator[Path]:
    yield from root.glob("Snakefile")
    for folder in (*PLACES[:2], *INPUTS):
        for inner, _, names in os.walk(root / folder):
            yield from (Path(inner, name) for name in names)


def main() -> int:
    """Make this checkout ready for a run, or say why it cannot be; returns the exit code."""
    try:
        check_places(Path())
    except WriteError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    future = end_future(Path())
    if future:
        print(f"note: {len(future)} files were of the future, such as {future[0]}: of now", file=sys.stderr)
    return damage.main()


if __name__ == "__main__":
    sys.exit(main())

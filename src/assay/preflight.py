"""Before and after a run: can what it makes be written, and is what was made still whole?

A disk that is full takes no error message either, where the logs are on it. So a run that fails asks here.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from assay import damage
from assay.errors import WriteError
from assay.job import PARTIAL, REMEDIES

PLACES = ("results", "reports", ".snakemake")
"""Folders in which a run writes."""

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


def main() -> int:
    """Check the folders of this checkout, and remove from them what is damaged; returns the exit code."""
    try:
        check_places(Path())
    except WriteError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    return damage.main()


if __name__ == "__main__":
    sys.exit(main())

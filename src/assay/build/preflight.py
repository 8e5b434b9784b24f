"""Before and after a run: can jobs run, can they write, is what they made still whole, has the clock jumped?

A disk that is full takes no error message either, where the logs are on it. So a run that fails asks here.
Snakemake refuses an output that is older than its input, as it is where the clock was put back in between.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from assay.build import damage
from assay.build.job import PARTIAL, REMEDIES
from assay.errors import PlatformError, WriteError

PLACES = ("results", "reports", ".snakemake")
"""Folders in which a run writes."""

INPUTS = ("tasks", "recordings", "private")
"""Folders from which jobs read."""

ENOUGH = 1 << 16
"""Bytes that must fit onto a disk: less than that, and no log does."""

LOCAL = ("local", "dryrun", "touch")
"""Executors that are part of Snakemake, and run jobs on this machine or not at all."""

PROGRAMS = {"slurm": ("sbatch", "squeue", "sacct", "scancel")}
"""Programs that an executor calls. Without them, Snakemake waits for ever for jobs that it did not submit."""


def executor(arguments: list[str]) -> str:
    """The name of the executor that a command line of Snakemake, or a profile that it names, asks for."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--executor", "-e")
    parser.add_argument("--workflow-profile")
    parser.add_argument("--profile")
    options, _ = parser.parse_known_args(arguments)
    if options.executor:
        return str(options.executor)
    for profile in (options.workflow_profile, options.profile):
        with suppress(OSError, TypeError):
            text = Path(profile, "config.yaml").read_text()
            if match := re.search(r"^executor: *([\w-]+)", text, re.MULTILINE):
                return match[1]
    return "local"


def check_plugin(executor: str) -> None:
    """`PlatformError` where Snakemake has no such executor, and would take its options for mistakes."""
    package = f"snakemake-executor-plugin-{executor}"
    if executor not in LOCAL and find_spec(package.replace("-", "_")) is None:
        known = Path("envs", f"{executor}.lock").exists()
        install = f"make setup EXTRAS={executor}" if known else f"install {package} into .venv"
        raise PlatformError(
            f"{package} is not installed, and Snakemake needs it to run jobs by {executor}",
            f"{install}, or run on this machine: make reproduce",
        )


def check_programs(executor: str) -> None:
    """`PlatformError` where the programs that this executor calls are missing."""
    missing = [name for name in PROGRAMS.get(executor, ()) if shutil.which(name) is None]
    if missing:
        raise PlatformError(
            f"no jobs can be submitted to {executor} from here: no {', '.join(missing)} on PATH",
            "start on a machine that submits to the cluster, or run on this machine: make reproduce",
        )


def check_places(root: Path) -> None:
    """`WriteError` where a folder of the build, or what stands in its place, takes no file."""
    for place in PLACES:
        file = root / place / f"{PARTIAL}{os.getpid()}"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(bytes(ENOUGH))
        except OSError as problem:
            raise write_error(place, problem) from problem
        finally:
            with suppress(OSError):
                file.unlink(missing_ok=True)


def write_error(place: str, problem: OSError) -> WriteError:
    """What to tell where a file or folder cannot be written."""
    remedy = REMEDIES.get(problem.errno or 0, "make a folder of it that takes files, then run again")
    return WriteError(f"{place}: {problem.strerror}", remedy)


def end_future(root: Path) -> list[Path]:
    """Give files that a job reads or writes the present time where theirs is still to come: those files."""
    now = time.time()
    paths = [path for path in _files(root) if path.stat(follow_symlinks=False).st_mtime > now]
    for path in paths:
        with suppress(OSError):
            os.utime(path, (now, now), follow_symlinks=False)
    return paths


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

"""Checks before and after a run: programs, disks, damaged outputs, files with times in the future.

If the logs are on a full disk, the message about it is lost, so a run that fails checks the disks again.
Times in the future are reset, because Snakemake refuses an output that is older than its input. That happens
if the clock was set back after an input was written.
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
"""The folders in which a run writes."""

INPUTS = ("tasks", "recordings", "private")
"""The folders from which jobs read."""

ENOUGH = 1 << 16
"""Bytes that must fit onto a disk; with less space, logs could not be written."""

LOCAL = ("local", "dryrun", "touch")
"""Executors that are part of Snakemake; they run jobs on this machine or not at all."""

PROGRAMS = {"slurm": ("sbatch", "squeue", "sacct", "scancel")}
"""The programs that an executor calls. Without them, Snakemake waits forever for jobs it could not submit."""


def executor(arguments: list[str]) -> str:
    """Return the name of the executor that Snakemake's command line, or a profile named there, selects."""
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
    """Check that Snakemake has this executor, because it would reject the options of an unknown one.

    Raises:
        PlatformError: If the plugin of the executor is not installed.
    """
    package = f"snakemake-executor-plugin-{executor}"
    if executor not in LOCAL and find_spec(package.replace("-", "_")) is None:
        known = Path("envs", f"{executor}.lock").exists()
        install = f"make setup EXTRAS={executor}" if known else f"install {package} into .venv"
        raise PlatformError(
            f"{package} is not installed, and Snakemake needs it to run jobs by {executor}",
            f"{install}, or run on this machine: make reproduce",
        )


def check_programs(executor: str) -> None:
    """Check that the programs that this executor calls are installed.

    Raises:
        PlatformError: If a program is missing.
    """
    missing = [name for name in PROGRAMS.get(executor, ()) if shutil.which(name) is None]
    if missing:
        raise PlatformError(
            f"no jobs can be submitted to {executor} from here: no {', '.join(missing)} on PATH",
            "start on a machine that submits to the cluster, or run on this machine: make reproduce",
        )


def check_places(root: Path) -> None:
    """Check that files can be written in every folder in which a run writes.

    Raises:
        WriteError: If a folder cannot be written to, or its disk is full.
    """
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
    """Return the error for a file or folder that cannot be written."""
    remedy = REMEDIES.get(problem.errno or 0, "make a folder of it that takes files, then run again")
    return WriteError(f"{place}: {problem.strerror}", remedy)


def end_future(root: Path) -> list[Path]:
    """Set the modification times of files that jobs read or write to now, if they lie in the future.

    Returns:
        The files whose times were in the future.
    """
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
    """Prepare this checkout for a run, or print why that is not possible; returns the exit code."""
    try:
        check_places(Path())
    except WriteError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    future = end_future(Path())
    if future:
        print(f"note: {len(future)} files had times in the future, such as {future[0]}", file=sys.stderr)
    return damage.main()


if __name__ == "__main__":
    sys.exit(main())

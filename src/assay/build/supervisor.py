"""Supervise one run of Snakemake in this checkout; `workflow/run` executes this module.

Snakemake's own lock outlives a killed run, and at a signal Snakemake waits for its jobs. So this process
holds a lock that the kernel releases when the process dies, and runs Snakemake as its child. At a signal it
ends the jobs and kills Snakemake, and the next run resumes the work.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from assay.build import interruption, preflight
from assay.build.interruption import Interrupted
from assay.build.job import PARTIAL, REMEDIES
from assay.build.settled import Settled
from assay.errors import AssayError, Busy, WriteError
from assay.sandbox.inside import kernel

LOCK = Path(".snakemake/run.lock")
"""A file that is locked while a run is active in this checkout; it holds the process id of the run."""

SNAKEMAKE_LOCKS = Path(".snakemake/locks")

MARK = "ASSAY_RUN"
"""An environment variable of Snakemake and its jobs, with the path of the checkout as its value.

It identifies processes that have outlived a killed run.
"""

SNAKEMAKE = (
    *(sys.executable, "-m", "snakemake"),
    # Print one line for each finished rule, a progress bar on a terminal, and the log of a job that fails.
    # The last option takes no values, so that it does not consume a target that follows.
    *("--logger", "rich", "--quiet", "host", "rules", "--show-failed-logs"),
)

RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The pattern (a UUID) at the end of the name that Snakemake gives to all cluster jobs of a run."""

GRACE = 2.0
"""Seconds that interrupted jobs have to clean up before they are killed."""

KILL_SECONDS = 1.0
"""Seconds to wait for a killed process; one that waits for a disk may end later."""

CLUSTER_SECONDS = 0.9
"""Seconds that each of two calls to SLURM may take while an interrupted run ends."""

SHOW_CURSOR = "\x1b[?25h"


def main(arguments: list[str]) -> int:
    """Run `snakemake ARGUMENT ...` as the only run in this checkout.

    Returns:
        The exit code of Snakemake; 128 + the number of the signal if a signal ended Snakemake; the exit code
        of an `AssayError`, which is printed as two lines, if Snakemake was not started.

    Raises:
        Interrupted: If a signal has ended the run. No process of the run is left on this machine.
    """
    try:
        return _run(arguments)
    except AssayError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    except OSError as problem:
        if problem.errno not in (errno.EEXIST, *REMEDIES):
            raise
        print(preflight.write_error(problem.filename, problem), file=sys.stderr)
        return WriteError.exit_code


def _run(arguments: list[str]) -> int:
    executor = preflight.executor(arguments)
    preflight.check_plugin(executor)
    with _lock():
        _check_cluster()
        if left := _processes():
            raise Busy("a job that outlived its run", f"process {' '.join(map(str, left))}")
        _clean()
        settled = Settled(arguments)
        if settled.holds():
            print("Nothing to be done: nothing has changed since the last run.", file=sys.stderr)
            return 0
        code = preflight.main() or _snakemake(arguments, local=executor in preflight.LOCAL)
        if code == 0:
            settled.note()
        return code


def _lock() -> TextIO:
    """Lock the checkout. The kernel releases the lock when the file is closed or this process dies.

    Raises:
        Busy: If another run holds the lock.
    """
    LOCK.parent.mkdir(exist_ok=True)
    lock = LOCK.open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Busy("another run", f"process {LOCK.read_text().strip()}") from None
    LOCK.write_text(f"{os.getpid()}\n")
    return lock


def _check_cluster() -> None:
    """Check that no cluster job of a killed run is running or waiting.

    Raises:
        Busy: If there is such a job.
    """
    # Snakemake's locks are left only by a killed run.
    if shutil.which("squeue") and any(SNAKEMAKE_LOCKS.glob("*")):
        try:
            jobs = _cluster_jobs(timeout=60)
        except (OSError, subprocess.SubprocessError) as problem:
            reason = getattr(problem, "stderr", None) or problem
            print(
                f"note: SLURM does not say whether jobs of a killed run are left: {reason}", file=sys.stderr
            )
        else:
            if jobs:
                ids = " ".join(jobs)
                raise Busy("a cluster job of a killed run", f"SLURM job {ids}", f"scancel {ids}")


def _cluster_jobs(timeout: float) -> list[str]:
    """Return the ids of the cluster jobs that runs in this checkout have submitted and that have not ended.

    Args:
        timeout: Seconds after which the call fails.

    Raises:
        OSError, subprocess.SubprocessError: If `squeue` fails or takes too long.
    """
    question = ["squeue", "--noheader", f"--user={os.getuid()}", "--format=%A %j %Z"]
    answer = subprocess.run(question, capture_output=True, text=True, timeout=timeout, check=True)
    rows = [line.strip().split(" ", 2) for line in answer.stdout.splitlines() if line.count(" ") >= 2]
    here = {int(job) for job, name, place in rows if place == str(Path.cwd()) and RUN_ID.search(name)}
    return [str(job) for job in sorted(here)]


def _processes() -> list[int]:
    """Return the process ids of a run in this checkout: of Snakemake, its jobs, and their child processes."""
    mark = os.fsencode(f"{MARK}={Path.cwd()}")
    marked = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # the process has ended, or belongs to another user
            if mark in environment.read_bytes().split(b"\0"):
                marked.append(int(environment.parent.name))
    return sorted(marked)


def _clean() -> None:
    """Remove the locks of Snakemake and the half-written outputs that a killed run leaves behind."""
    for lock in SNAKEMAKE_LOCKS.glob("*"):
        lock.unlink()
    for top in ("results", "reports"):
        for partial in Path(top).glob(f"{PARTIAL}*"):
            shutil.rmtree(partial) if partial.is_dir() else partial.unlink()


def _snakemake(arguments: list[str], *, local: bool) -> int:
    """Run Snakemake to its end, or end it and its jobs at a signal; returns the exit code."""
    child = None
    try:
        # Signals are blocked while the child is started, so that its process id is known to the handler.
        signal.pthread_sigmask(signal.SIG_BLOCK, interruption.SIGNALS)
        child = subprocess.Popen(
            [*SNAKEMAKE, *arguments], env={**os.environ, MARK: str(Path.cwd())}, preexec_fn=_before_snakemake
        )
        signal.pthread_sigmask(signal.SIG_UNBLOCK, interruption.SIGNALS)
        code = child.wait()
    except Interrupted:
        if child is not None:
            _end(child, local=local)
        raise
    if code >= 0:
        return code
    _end(child, local=local)
    print(
        f"error: Snakemake was killed ({signal.Signals(-code).name})\n"
        "remedy: run again to continue; with fewer jobs at once (--cores) if memory ran short",
        file=sys.stderr,
    )
    return 128 - code


def _before_snakemake() -> None:
    """Make the child die with its parent, and reset its signal handlers.

    It runs in the child between `fork` and `exec`.
    """
    kernel.die_with_parent(signal.SIGKILL)
    for number in interruption.SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    # A terminal also sends SIGINT to Snakemake, which would then wait for its jobs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, interruption.SIGNALS)


def _end(child: subprocess.Popen[bytes], *, local: bool) -> None:
    """End Snakemake and all processes and cluster jobs that it has started, within five seconds."""
    child.kill()
    with suppress(subprocess.TimeoutExpired):
        child.wait(KILL_SECONDS)
    with suppress(OSError):
        if sys.stderr.isatty():  # Snakemake's progress bar has hidden the cursor
            print(SHOW_CURSOR, file=sys.stderr, flush=True)
    _end_processes()
    if local:
        _clean()
    else:
        _cancel_cluster_jobs()


def _end_processes() -> None:
    """Send SIGTERM to each process of the run, and SIGKILL to those still alive after `GRACE` seconds."""
    asked: set[int] = set()
    kill_at = time.monotonic() + GRACE
    while (left := _processes()) and time.monotonic() < kill_at + KILL_SECONDS:
        killing = time.monotonic() >= kill_at
        for process in left if killing else set(left) - asked:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL if killing else signal.SIGTERM)
        asked.update(left)
        time.sleep(0.02)


def _cancel_cluster_jobs() -> None:
    """Cancel the cluster jobs of this run, or print that they could not be cancelled.

    Cancelled jobs take a while to end. Snakemake's locks are kept, so that the next run looks for such jobs.
    """
    try:
        if jobs := _cluster_jobs(timeout=CLUSTER_SECONDS):
            subprocess.run(
                ["scancel", *jobs], capture_output=True, text=True, timeout=CLUSTER_SECONDS, check=True
            )
    except (OSError, subprocess.SubprocessError) as problem:
        reason = getattr(problem, "stderr", None) or problem
        with suppress(OSError):  # the terminal may be gone
            print(
                f"note: cluster jobs of this run were not cancelled, the next run names them: {reason}",
                file=sys.stderr,
            )

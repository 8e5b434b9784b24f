"""One run of Snakemake in this checkout, from its lock to its end; `workflow/run` becomes this program.

Snakemake's own lock outlives a killed run, and a signal makes Snakemake wait for its jobs. So this process
holds a lock that the kernel drops when it dies, runs Snakemake as its child, and at a signal ends the jobs
and kills Snakemake: the next run resumes the work.
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
from assay.errors import AssayError, Busy, WriteError
from assay.sandbox.inside import kernel

LOCK = Path(".snakemake/run.lock")
"""Locked while a run works in this checkout; holds the process id of the run."""

SNAKEMAKE_LOCKS = Path(".snakemake/locks")

MARK = "ASSAY_RUN"
"""Variable in the environment of Snakemake and its jobs, with the path of the checkout.

It identifies processes that have outlived a killed run.
"""

SNAKEMAKE = (
    *(sys.executable, "-m", "snakemake"),
    # One line a finished rule, a bar on a terminal, and the log of a job that fails. The last option takes no
    # words, so that a target that follows is not taken for one of its own.
    *("--logger", "rich", "--quiet", "host", "rules", "--show-failed-logs"),
)

RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The name that Snakemake gives to all cluster jobs of a run ends so."""

GRACE = 2.0
"""Seconds that interrupted jobs have for cleaning up before they are killed."""

KILL_SECONDS = 1.0
"""How long to wait for a killed process: one that waits for a disk ends only after that."""

CLUSTER_SECONDS = 0.9
"""How long each of two questions to SLURM may take while an interrupted run ends."""

SHOW_CURSOR = "\x1b[?25h"


def main(arguments: list[str]) -> int:
    """Run `snakemake ARGUMENT ...` as the only run in this checkout.

    Returns:
        Snakemake's exit code. That of an `AssayError`, printed as two lines, where Snakemake was not started.
        128 + the number of a signal that has ended Snakemake.

    Raises:
        Interrupted: a signal has ended the run, and nothing of it is at work any more.
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
        return preflight.main() or _snakemake(arguments, local=executor in preflight.LOCAL)


def _lock() -> TextIO:
    """Lock the checkout; the kernel drops the lock when the file is closed or this process dies.

    Raises:
        Busy: another run holds the lock.
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
        Busy: there is such a job.
    """
    if shutil.which("squeue") and any(SNAKEMAKE_LOCKS.glob("*")):  # locks that are there tell of a killed run
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
    """The numbers of the cluster jobs that runs in this checkout have submitted.

    Raises:
        OSError, subprocess.SubprocessError: SLURM cannot be asked.
    """
    question = ["squeue", "--noheader", f"--user={os.getuid()}", "--format=%A %j %Z"]
    answer = subprocess.run(question, capture_output=True, text=True, timeout=timeout, check=True)
    rows = [line.strip().split(" ", 2) for line in answer.stdout.splitlines() if line.count(" ") >= 2]
    here = {int(job) for job, name, place in rows if place == str(Path.cwd()) and RUN_ID.search(name)}
    return [str(job) for job in sorted(here)]


def _processes() -> list[int]:
    """The processes of a run in this checkout: Snakemake, its jobs, and the processes that these started."""
    mark = os.fsencode(f"{MARK}={Path.cwd()}")
    marked = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended, or is another user's
            if mark in environment.read_bytes().split(b"\0"):
                marked.append(int(environment.parent.name))
    return sorted(marked)


def _clean() -> None:
    """Remove Snakemake's locks and half-written outputs, which a run leaves behind that was killed."""
    for lock in SNAKEMAKE_LOCKS.glob("*"):
        lock.unlink()
    for top in ("results", "reports"):
        for partial in Path(top).glob(f"{PARTIAL}*"):
            shutil.rmtree(partial) if partial.is_dir() else partial.unlink()


def _snakemake(arguments: list[str], *, local: bool) -> int:
    """Run Snakemake to its end, or end it and its jobs when a signal comes."""
    child = None
    try:
        # A signal that comes while the child is made waits until its process id is known.
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
    """Runs in the child before it becomes Snakemake: dies with its parent, and has the usual signals."""
    kernel.die_with_parent(signal.SIGKILL)
    for number in interruption.SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    # A terminal sends SIGINT to Snakemake, too, which would then end its jobs in its own way.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, interruption.SIGNALS)


def _end(child: subprocess.Popen[bytes], *, local: bool) -> None:
    """End Snakemake and everything that it has started; takes less than five seconds."""
    child.kill()
    with suppress(subprocess.TimeoutExpired):
        child.wait(KILL_SECONDS)
    with suppress(OSError):
        if sys.stderr.isatty():  # Snakemake's progress bar had hidden the cursor
            print(SHOW_CURSOR, file=sys.stderr, flush=True)
    _end_processes()
    if local:
        _clean()
    else:
        _cancel_cluster_jobs()


def _end_processes() -> None:
    """SIGTERM to each process of the run, and SIGKILL to those that have not ended after their grace."""
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
    """Cancel the cluster jobs of this run, or print that they go on.

    They take a while to end. Snakemake's locks stay, so that the next run looks for them.
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

"""Lets a run of Snakemake on one machine fork its jobs from a process that has imported their libraries.

`ForkedJobs` starts the process (`assay.build.forkserver`) and takes the place of `subprocess.Popen` where
Snakemake starts the shell of a job. It forks only commands of the form that `program` in `rules/plan.smk`
makes, and only while the environment is the one in which the libraries were imported. Any other command is
started as usual, also if the server cannot be started or has died. `ASSAY_FORK=off` turns it off.
"""

from __future__ import annotations

import array
import json
import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.build.forkserver import GRACE
from assay.build.job import ONE_THREAD
from assay.build.store import ROOT

FORK = "ASSAY_FORK"

FEWEST = 8
"""The server takes as long to start as it saves in about this number of jobs."""

LONGEST_SHOWN = 1000
"""Number of bytes of a job's command line that programs such as `ps` can show."""

SERVER = Path(__file__).with_name("forkserver.py")

READ_AT_IMPORT = re.compile(
    r"(NUMBA|OMP|GOTO|OPENBLAS|MKL|VECLIB|NUMEXPR|NPY|NUMPY|MPL|PYTHON|ARROW|LD|LC|MALLOC|GLIBC|KMP|BLIS)_"
    r"|PYTHON\w+|LANG$|LANGUAGE$|TZ$|HOME$|XDG_"
)
"""The environment variables that Python and the libraries may read when they start or are imported."""

_THREADS = dict.fromkeys((*ONE_THREAD, "GOTO_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
"""What Snakemake sets for each job of one thread."""

_SET_BY_JOBS = {"MPLBACKEND": "Agg", "MPLCONFIGDIR": str(ROOT / ".cache/matplotlib")}
"""Environment variables that every job sets before it imports a library (see `assay.build.job`)."""

_SHELL = "exec "
_LOG = re.compile(r" > (\S+|'[^']+') 2>&1$")
_PROGRAM = "workflow/scripts/stage.py"


def wanted(jobs: int) -> bool:
    """Whether a run with this number of jobs should start the server."""
    return jobs >= FEWEST and os.environ.get(FORK) != "off"


class ForkedJobs:
    """The connection to one server, called like `subprocess.Popen`. Several threads may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ready = False
        self._environment = {**os.environ, **_THREADS, **_SET_BY_JOBS}
        self._requests: socket.socket | None
        self._requests, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._server = subprocess.Popen(
                [sys.executable, str(SERVER), str(other.fileno()), " " * LONGEST_SHOWN],
                env=self._environment,
                pass_fds=[other.fileno()],
            )

    def __call__(self, command: Any, **options: Any) -> Any:
        """Fork a job where that is possible, else return `subprocess.Popen(command, **options)`."""
        request = self._request(command, options)
        return (request and self._fork(request)) or subprocess.Popen(command, **options)

    def close(self) -> None:
        """End the server, and with it every job that is still running."""
        with self._lock:
            if self._requests is not None:
                self._requests.close()
                self._requests = None
        self._server.wait()

    def _request(self, command: Any, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what the server needs to run a command, or None if it must be started as usual."""
        environment = options.get("env")
        if (
            not isinstance(command, str)
            or not isinstance(environment, dict)
            or options.get("stdout") == subprocess.PIPE
        ):
            return None
        log = _LOG.search(command)
        if not command.startswith(_SHELL) or log is None:
            return None
        words = command[len(_SHELL) : log.start()].strip()
        try:
            program, *arguments = shlex.split(words)
            (file,) = shlex.split(log[1])
        except ValueError:
            return None
        # Text that differs from its own quotation holds something that a shell would replace.
        plain = shlex.join([program, *arguments]) == words and shlex.quote(file) == log[1]
        if not plain or program != sys.executable or arguments[:1] != [_PROGRAM]:
            return None
        if _read_at_import(environment | _SET_BY_JOBS) != _read_at_import(self._environment):
            return None
        return {"arguments": arguments, "environment": environment, "folder": str(Path.cwd()), "log": file}

    def _fork(self, request: dict[str, Any]) -> ForkedJob | None:
        with self._lock:
            if self._requests is None:
                return None
            mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                with its:
                    if not self._ready:
                        self._ready = self._requests.recv(16) == b"ready"
                    descriptor = array.array("i", [its.fileno()])
                    self._requests.sendmsg(
                        [json.dumps(request).encode()],
                        [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptor)],
                    )
                answer = mine.recv(64).decode().split()  # empty if the server ends before it has read this
            except OSError:
                answer = []
            if not answer:
                print("note: jobs are no longer forked, since the fork server ended", file=sys.stderr)
                self._requests.close()
                self._requests = None
        if answer[:1] == ["started"]:
            return ForkedJob(int(answer[1]), mine)
        mine.close()
        return None


class ForkedJob:
    """A running job, with the methods of `subprocess.Popen` that Snakemake uses."""

    stdout = None

    def __init__(self, pid: int, answers: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._answers = answers
        self._descriptor: int | None = None
        with suppress(OSError):  # it has ended, or the kernel is older than 5.3
            self._descriptor = os.pidfd_open(pid)

    def wait(self) -> int:
        """Wait for the end of the job and return its exit code; that of a signal is negative."""
        if self.returncode is None:
            answer = self._answers.recv(64).decode().split()
            self._answers.close()
            if not answer:
                self._end_without_server()
            self.returncode = int(answer[1]) if answer else -signal.SIGTERM
            if self._descriptor is not None:
                os.close(self._descriptor)
        return self.returncode

    def _end_without_server(self) -> None:
        """Wait for the end of a job whose server has died: the kernel has sent it SIGTERM.

        Snakemake removes the outputs of a job that has failed, so the job must not write any after that.
        """
        if self._descriptor is not None and not select.select([self._descriptor], [], [], GRACE)[0]:
            self.kill()
            select.select([self._descriptor], [], [])

    def kill(self) -> None:
        """Send SIGKILL."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                if self._descriptor is None:
                    os.kill(self.pid, number)
                else:
                    signal.pidfd_send_signal(self._descriptor, number)


def _read_at_import(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if READ_AT_IMPORT.match(name)}

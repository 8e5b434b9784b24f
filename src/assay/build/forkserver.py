"""A process that has imported the libraries of jobs and forks one child for each job of a build.

Most of a short job's time goes into imports of numpy, pandas, numba and matplotlib. This process imports
them once. A child that it forks has them already, and then runs the program of the job exactly as a new
interpreter would: with its own arguments, folder, environment and log. Nothing of the checkout is imported
here, so that a child loads the source of its job itself.

`assay.build.forking` starts this file as a program of its own and sends the requests. It uses the standard
library and the libraries alone.
"""

from __future__ import annotations

import array
import ctypes
import gc
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

LIBRARIES = (
    *("numpy", "numpy.random", "pyarrow", "pyarrow.compute", "pyarrow.parquet", "pandas", "scipy.special"),
    *("scipy.optimize", "scipy.stats", "yaml", "matplotlib.figure", "matplotlib.backends.backend_agg"),
    *("matplotlib.backends.backend_svg", "numba"),
)
"""The modules that jobs of all suites import and that take the longest to import."""

LARGEST = 1 << 20
"""Largest number of bytes of a request."""

GRACE = 2.0
"""Seconds that children have to clean up after the run has ended, before they are killed."""

_PR_SET_PDEATHSIG = 1


def main() -> NoReturn:
    """Serve requests from the socket whose descriptor is the first argument, until it is closed.

    The second argument has no meaning: children write their own command line into its place.
    """
    requests = socket.socket(fileno=int(sys.argv[1]))
    # A program's folder comes first in the path; a child puts the folder of its own program there.
    del sys.path[0]
    # A terminal sends SIGINT to all processes of the run; this one ends when the run closes the socket.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_libraries()
    gc.collect()
    gc.freeze()  # collections in children then do not write to pages that they share with this process
    with suppress(BrokenPipeError):
        requests.send(b"ready")
        _serve(requests, interrupt)
    _exit(0)


def _import_libraries() -> None:
    for name in LIBRARIES:
        with suppress(ImportError):  # a job that needs it says so itself
            import_module(name)
    if "numba" in sys.modules:
        import numba

        # As in assay.numbers.kernels: otherwise the first compilation imports extensions of other packages.
        numba.core.entrypoints._already_initialized = True
        numba.njit("float64(float64)")(_increment)  # fills the registries of the compiler


def _increment(value: float) -> float:
    return value + 1


def _serve(requests: socket.socket, interrupt: Any) -> None:
    children: dict[int, socket.socket] = {}  # process id -> where the exit status is sent
    woken, wake = socket.socketpair()
    woken.setblocking(False)
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with selectors.DefaultSelector() as selector:
        selector.register(requests, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        inherited = (requests, woken, wake)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if woken in ready:
                with suppress(BlockingIOError):
                    woken.recv(4096)
                _report(children)
            if requests in ready:
                request, descriptors = _receive(requests)
                if request is None:
                    break
                answers = socket.socket(fileno=descriptors[0])
                if _has_threads():
                    with suppress(OSError):
                        answers.send(b"refused")
                    answers.close()
                    continue
                server = os.getpid()
                child = os.fork()
                if child == 0:
                    selector.close()
                    for inherited_socket in (*inherited, answers, *children.values()):
                        inherited_socket.close()
                    _run(request, interrupt, server)
                children[child] = answers
                with suppress(OSError):
                    answers.send(f"started {child}".encode())
    _end(children)


def _has_threads() -> bool:
    """Whether another thread runs in this process; a fork would copy the locks that it holds.

    The threads of jemalloc, which pyarrow loads, do not count: it lets go of its locks at a fork by itself.
    """
    names = [(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    return len([name for name in names if name != "jemalloc_bg_thd"]) > 1


def _receive(requests: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Return the next request and the descriptors sent with it; None once the socket is closed."""
    data, ancillary, _, _ = requests.recvmsg(LARGEST, socket.CMSG_SPACE(4))
    descriptors = array.array("i")
    for _, _, content in ancillary:
        descriptors.frombytes(content)
    return (json.loads(data) if data else None), list(descriptors)


def _report(children: dict[int, socket.socket]) -> None:
    """Send the exit status of every child that has ended."""
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == 0:
            return
        answers = children.pop(child)
        with suppress(OSError):  # nobody waits any more
            answers.send(f"ended {os.waitstatus_to_exitcode(status)}".encode())
        answers.close()


def _end(children: dict[int, socket.socket]) -> None:
    """End the children of a run that is over: with SIGTERM, and after `GRACE` seconds with SIGKILL."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for child in children:
            os.kill(child, number)  # not yet waited for, so the id is still that of the child
        until = time.monotonic() + GRACE
        while children and time.monotonic() < until:
            _report(children)
            time.sleep(0.01)


def _run(request: dict[str, Any], interrupt: Any, server: int) -> NoReturn:
    """Run the program of a request in this process, which is a child, as a new interpreter would run it."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != server:  # it died before the kernel knew that this process shall die with it
            os._exit(1)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, interrupt)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)
        sys.stdout.reconfigure(line_buffering=False)  # type: ignore[union-attr]
        program, *_ = sys.argv[:] = request["arguments"]
        _show_arguments()
        sys.path.insert(0, str(Path(program).resolve().parent))
        if "numba" in sys.modules:
            import numba

            numba.core.config.reload_config()  # it has read the environment of the server
        import runpy

        runpy.run_path(program, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        _exit(code)


def _show_arguments() -> None:
    """Let programs such as `ps` show the arguments of this job in place of those of the server."""
    start, end = map(int, Path("/proc/self/stat").read_text().rpartition(")")[2].split()[45:47])
    words = "\0".join([sys.executable, *sys.argv]).encode()[: end - start - 1]
    ctypes.memmove(start, words.ljust(end - start, b"\0"), end - start)


def _exit(code: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    os._exit(code)


if __name__ == "__main__":
    main()

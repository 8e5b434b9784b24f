"""Runs the programs of jobs under another Python, each in a fork that has imported what they need.

    foreign-python foreign.py SOCKET                  serve, until it is killed
    python foreign.py SOCKET program.py ARGUMENT ...  what a rule calls in place of a Python

A Python of another processor, emulated, takes most of a minute to import numpy: so it does that once.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any


def ask(address: str, arguments: list[str]) -> int:
    """Have a program run with this process's folder, environment and output; its exit code."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        asked = {"arguments": arguments, "folder": str(Path.cwd()), "environment": dict(os.environ)}
        line.sendall(json.dumps({**asked, "process": os.getpid()}).encode() + b"\n")
        return int(line.makefile().readline() or 1)


def serve(address: str) -> None:
    """Run what is asked for, one fork each."""
    import jsonschema  # noqa: F401
    import numba  # noqa: F401
    import numpy  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pydantic  # noqa: F401

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        line, _ = listener.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(line)
        line.close()


def _answer(line: socket.socket) -> None:
    """Run the program in a further fork, and tell its exit code."""
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    code = 0
    try:
        _run(json.loads(line.makefile().readline()))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(asked: dict[str, Any]) -> None:
    os.chdir(asked["folder"])
    found = os.environ["PYTHONPATH"]  # where this Python has its packages
    os.environ.clear()
    os.environ.update(asked["environment"], PYTHONPATH=found)
    for number in (1, 2):
        os.dup2(os.open(f"/proc/{asked['process']}/fd/{number}", os.O_WRONLY | os.O_APPEND), number)
    sys.argv = asked["arguments"]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
    serve(sys.argv[1])

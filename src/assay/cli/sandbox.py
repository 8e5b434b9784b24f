"""`assay sandbox`: test how well this machine is protected from code that agents write."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import NamedTuple

from assay.sandbox import Box, Limits, Policy
from assay.sandbox.inside import seccomp
from assay.sandbox.inside.kernel import machine
from assay.sandbox.level import LEVELS, Offer
from assay.sandbox.template import warm


class Attempt(NamedTuple):
    """An attempt of sandboxed code to escape; `code` prints `got in` if it succeeds."""

    name: str
    code: str


ATTEMPTS = (
    Attempt("read a file of the machine", "open('/etc/passwd').read(); print('got in')"),
    Attempt("list the root folder of the machine", "import os\nif 'etc' in os.listdir('/'): print('got in')"),
    Attempt("see that a file exists", "import os\nif os.path.exists('/etc/passwd'): print('got in')"),
    Attempt("see other processes", "import os\nif os.listdir('/proc'): print('got in')"),
    Attempt("write outside its folder", "open('/var/tmp/assay-sandbox', 'w').close(); print('got in')"),
    Attempt("open a network socket", "import socket\nsocket.socket(); print('got in')"),
    Attempt("start a process", "import os\npid = os.fork()\nif pid == 0: os._exit(0)\nprint('got in')"),
    Attempt("start a thread", "import threading\nthreading.Thread(target=print).start(); print('got in')"),
    Attempt("start a program", "import os\nos.posix_spawn('/bin/true', ['true'], {}); print('got in')"),
    Attempt("send a signal to its parent", "import os\nos.kill(os.getppid() or -1, 0); print('got in')"),
    Attempt(
        "become root of a new namespace",
        "import ctypes\nif not ctypes.CDLL(None).unshare(1 << 28): print('got in')",
    ),
    Attempt("take more memory than it may", "bytearray(1 << 30); print('got in')"),
    Attempt(
        "fill the disk",
        "f = open('fill', 'wb')\nfor _ in range(40): f.write(bytes(1 << 20))\nf.flush(); print('got in')",
    ),
    Attempt("run for ever", "while True: pass"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="try it out (this is what happens anyway)")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def main(args: argparse.Namespace) -> int:
    """Print the layers of protection, the level and the results of all attempts to escape.

    Returns:
        0 if the level is sufficient for code of unknown intent, else 1.
    """
    policy = Policy(
        Limits(wall=1.0, cpu=2.0, memory=256 << 20, disk=32 << 20, file_size=32 << 20),
        distributions=(),
        preload=(),
        minimum="none",
    )
    offer = warm(policy.distributions, policy.preload).offer
    walls = offer.walls()
    level = offer.level(walls)
    tried = dict(attempts(policy))
    fit = LEVELS.index(level) >= LEVELS.index(Policy().minimum)
    if args.json:
        findings = {
            "level": level,
            "fit_for_hostile_code": fit,
            "walls": walls._asdict(),
            "landlock_abi": offer.abi,
            "unavailable": {name: why for name, why in offer.failed.items() if why},
            "attempts": {name: "succeeded" if got_in else "failed" for name, got_in in tried.items()},
        }
        print(json.dumps(findings, indent=1, sort_keys=True))
    else:
        print(f"level: {level}{'' if fit else ' (too low for code of unknown intent)'}\n\nlayers")
        for name, state in _layers(offer):
            print(f"  {name:<12} {state}")
        print("\nwhat code in a box can do here")
        for name, got_in in tried.items():
            print(f"  {'yes' if got_in else 'no':<4} {name}")
    return 0 if fit else 1


def _layers(offer: Offer) -> Iterator[tuple[str, str]]:
    walls = offer.walls()
    how = {"nobody": "made by root, the box is the user nobody", "user": "made as an ordinary user", "": "no"}
    yield "namespaces", how[walls.namespaces]
    yield "landlock", f"ABI {offer.abi}" if walls.landlock else "no"
    yield "seccomp", f"{len(seccomp.ALLOWED)} system calls allowed on {machine()}" if walls.seccomp else "no"
    for name, why in offer.failed.items():
        if why:
            yield "", f"{name}: {why}"


def attempts(policy: Policy) -> Iterator[tuple[str, bool]]:
    for name, code in ATTEMPTS:
        with Box(policy) as box:
            outcome = box.run(code)
        yield name, "got in" in outcome.stdout

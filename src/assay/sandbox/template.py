"""The parent's side of a warm template: starts it, asks what the machine offers, and lets it open boxes."""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.errors import SandboxError
from assay.sandbox import libraries
from assay.sandbox.inside import channel
from assay.sandbox.inside import template as program
from assay.sandbox.level import Offer

ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}
"""All of the environment that hostile code sees, besides the name of its folder."""

PATIENCE = 60.0
"""Seconds that the imports of a template, or its answer, may take."""

START = """\
import sys
sys.path.insert(0, sys.argv[1])
from inside import template
del sys.path[0]
template.main(int(sys.argv[2]))
"""


class Template:
    """One warm interpreter with these distributions; modules named by `preload` are imported before it forks.

    It holds nothing of any world: it is a new program with an environment of its own. Safe to use from
    several threads; not after a fork of the parent (see `warm`).
    """

    def __init__(self, distributions: tuple[str, ...], preload: tuple[str, ...]) -> None:
        self.libraries = libraries.find(distributions)
        self._lock = threading.Lock()
        self.owner = os.getpid()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(PATIENCE)
        folder = str(Path(program.__file__).resolve().parent.parent)
        with theirs:
            self.process = subprocess.Popen(
                [
                    libraries.interpreter(),
                    *("-s", "-S", "-P", "-B", "-X", "utf8", "-c", START, folder, str(theirs.fileno())),
                ],
                env=ENVIRONMENT,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._ask({"path": self.libraries.folders, "names": self.libraries.names, "preload": preload})
        told = self._ask(["probe", {"readable": self.libraries.readable}])
        self.offer = Offer.from_json(told[1])

    def alive(self) -> bool:
        """Whether this process can still ask it for boxes."""
        return self.owner == os.getpid() and self.process.poll() is None

    def open(self, order: Mapping[str, Any], leash: int, box: int) -> None:
        """Have a keeper and its box forked, with their ends of a leash and a channel."""
        with self._lock:
            try:
                socket.send_fds(self._control, [channel.encode(["open", order])], [leash, box])
            except OSError as problem:
                raise self._gone(problem) from None

    def close(self) -> None:
        """End the interpreter; its boxes go with their own leashes."""
        self._control.close()
        if self.owner == os.getpid():
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _ask(self, question: Any) -> Any:
        try:
            self._control.send(channel.encode(question))
            answer = channel.decode(self._control.recv(program.LARGEST))
        except (OSError, channel.ChannelError) as problem:
            raise self._gone(problem) from None
        if answer[0] == "failed":
            self.close()
            raise SandboxError(f"the sandbox cannot import its libraries: {answer[1]}", "make setup")
        return answer

    def _gone(self, problem: Exception) -> SandboxError:
        self.close()
        return SandboxError(
            f"the sandbox's interpreter {libraries.interpreter()} does not answer ({type(problem).__name__})",
            "see whether it starts at all, and whether memory is short",
        )


_templates: dict[tuple[tuple[str, ...], tuple[str, ...]], Template] = {}
_lock = threading.Lock()


def warm(distributions: tuple[str, ...], preload: tuple[str, ...]) -> Template:
    """This process's template with these libraries; started when first asked for, or when it has died."""
    with _lock:
        key = (distributions, preload)
        template = _templates.get(key)
        if template is None or not template.alive():
            if template is not None:
                template.close()
            template = _templates[key] = Template(distributions, preload)
        return template


@atexit.register
def close_all() -> None:
    """End every template of this process."""
    with _lock:
        for template in _templates.values():
            template.close()
        _templates.clear()

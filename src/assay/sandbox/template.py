"""The parent's side of a warm template.

It starts the template, asks it which layers of protection work on this machine, and orders it to open boxes.
"""

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
"""The environment variables in a box, except `HOME` and `TMPDIR`, which name its folder."""

PATIENCE = 60.0
"""Time in seconds within which a template must import its libraries, and answer each request."""

START = """\
import sys
sys.path.insert(0, sys.argv[1])
from inside import template
del sys.path[0]
template.main(int(sys.argv[2]))
"""


class Template:
    """An interpreter that has imported libraries, and forks boxes on request.

    It is started as a new program with its own environment, so its memory holds no data of a world. It may be
    used by several threads, but not by a forked child of the parent (see `warm`).

    Args:
        distributions: The distributions whose packages can be imported.
        preload: Modules that are imported at the start.

    Raises:
        SandboxError: The interpreter does not start, or cannot import the modules.
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
        answer = self._ask(["probe", {"readable": self.libraries.readable}])
        self.offer = Offer.from_json(answer[1])

    def alive(self) -> bool:
        """Whether this process started the template and it is still running."""
        return self.owner == os.getpid() and self.process.poll() is None

    def open(self, order: Mapping[str, Any], leash: int, box: int) -> None:
        """Order the template to fork a keeper, which forks the box.

        Args:
            order: The settings of the keeper and the box.
            leash: Descriptor of the keeper's end of the leash.
            box: Descriptor of the box's end of the channel.
        """
        with self._lock:
            try:
                socket.send_fds(self._control, [channel.encode(["open", order])], [leash, box])
            except OSError as problem:
                raise self._gone(problem) from None

    def close(self) -> None:
        """End the template. Boxes that it has opened end when their leashes are closed."""
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
    """Return the template of this process with these libraries. Start it if there is none or it has ended."""
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

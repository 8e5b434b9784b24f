"""Agents of the command line: a program that reads the conversation and writes one reply.

The program is started anew for each reply, in a new and empty folder, with the whole conversation on its
standard input; what it writes to its standard output is the reply. So a session needs no state that an
interruption could lose. It runs in name spaces of its own, in which the checkout and the content store are
empty folders: tasks, references and recordings cannot be read. Of the environment it gets a few usual
variables and those of `access.pass_on`.
"""

from __future__ import annotations

import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.agents.transport import LONGEST, Connection, Reply, Request, TransportError
from assay.episodes.presentation import text_of
from assay.errors import ConfigError, PlatformError

USUAL = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR")
"""Environment variables that programs need to find other programs and their settings."""

ENTER = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--")
"""Enters new name spaces, in which root has no rights outside, and ends all processes with the program."""


def connect(connection: Connection) -> CommandTransport:
    """Open the transport `{kind: command, command: [PROGRAM, ARGUMENT, ...]}`.

    Raises:
        ConfigError: The program is not found.
        PlatformError: This machine cannot hide the tasks from the program.
    """
    command = tuple(map(str, connection.player.transport["command"]))
    if shutil.which(command[0]) is None:
        raise ConfigError(f"there is no program {command[0]!r} on PATH", "install it, or correct `command`")
    hidden = [Path.cwd()]
    if (store := os.environ.get("ASSAY_STORE", "off")) != "off":
        hidden.append(Path(store).absolute())
    if secret := os.environ.get("ASSAY_SECRET_FILE"):
        hidden.append(Path(secret).absolute().parent)
    check_hiding(hidden)
    return CommandTransport(command, tuple(hidden), connection.endpoint.pass_on, connection.endpoint.timeout)


def check_hiding(hidden: Sequence[Path]) -> None:
    """`PlatformError` where this machine does not let a program run without a view of these folders."""
    try:
        tried = subprocess.run(
            _hiding(hidden, ("true",)), capture_output=True, timeout=60, env=_environment()
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise PlatformError(f"unshare cannot be run ({problem})", "install util-linux") from problem
    if tried.returncode:
        raise PlatformError(
            "this machine gives no mount name spaces to users, so the tasks cannot be hidden from a program",
            "allow user name spaces (sysctl kernel.unprivileged_userns_clone=1), or record elsewhere",
        )


def _environment(pass_on: Sequence[str] = ()) -> dict[str, str]:
    """The environment of a program: the usual variables, without any key, and those of `pass_on`."""
    return {name: os.environ[name] for name in (*USUAL, *pass_on) if name in os.environ}


def _hiding(hidden: Sequence[Path], command: Sequence[str]) -> list[str]:
    """A command line that runs `command` where each hidden folder that exists is empty."""
    mounts = [f"mount -t tmpfs -o ro none {shlex.quote(str(path))}" for path in hidden if path.is_dir()]
    # `cd .` leaves the folder from which the checkout could still be read, where that is the working one.
    script = " && ".join([*mounts, 'cd "$PWD"', f"exec {shlex.join(command)}"])
    return [*ENTER, "sh", "-c", script]


@dataclass(frozen=True)
class CommandTransport:
    """A program that answers; `timeout` in seconds."""

    command: tuple[str, ...]
    hidden: tuple[Path, ...]
    pass_on: tuple[str, ...]
    timeout: float

    def ask(self, request: Request) -> Reply:
        """The reply that the program writes."""
        asked = transcript(request)
        with (
            tempfile.TemporaryDirectory(prefix="assay-agent-") as folder,
            tempfile.TemporaryFile() as spoken,
        ):
            spoken.write(asked.encode())
            spoken.seek(0)
            process = subprocess.Popen(
                _hiding(self.hidden, self.command),
                stdin=spoken,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={**_environment(self.pass_on), "PWD": folder},
                start_new_session=True,
            )
            try:
                written = _output(process, self.timeout)
            except subprocess.TimeoutExpired as problem:
                raise TransportError(f"no reply within {self.timeout:g} seconds") from problem
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                if process.stdout is not None:
                    process.stdout.close()
        if process.returncode and len(written) <= LONGEST:
            raise TransportError(f"the program ended with the code {process.returncode}")
        text = written[:LONGEST].decode(errors="replace").strip()
        return Reply(
            text,
            stop="length" if len(written) > LONGEST else "end",
            tokens_in=len(asked) // 4 + 1,
            tokens_out=len(text) // 4 + 1,
        )


def _output(process: subprocess.Popen[bytes], timeout: float) -> bytes:
    """Read what a program writes until it ends, or until it has written more than `LONGEST` bytes.

    No more than that is held in memory. `TimeoutExpired` is raised where the program takes too long.
    """
    deadline = time.monotonic() + timeout
    written = bytearray()
    assert process.stdout is not None
    while len(written) <= LONGEST:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, left))
        if not ready:
            raise subprocess.TimeoutExpired(process.args, timeout)
        if not (chunk := os.read(process.stdout.fileno(), 1 << 16)):
            process.wait(max(0.0, deadline - time.monotonic()))
            break
        written += chunk
    return bytes(written)


def transcript(request: Request) -> str:
    """A conversation as plain text: the system text, then each message under the name of its speaker."""
    texts = [request.system]
    for message in request.messages:
        speaker = "You" if message.role == "assistant" else "Laboratory"
        texts.append("\n".join([f"--- {speaker} ---", *map(text_of, message.parts)]))
    return "\n\n".join([*texts, "--- You ---\n"])

"""A transport that runs a command-line program, which reads the conversation and writes one reply.

The program is started anew for each reply, in a new and empty folder, with the whole conversation on its
standard input. Its standard output is the reply. So a session has no state that an interruption could lose.
The program runs in its own Linux namespaces, in which the checkout, the content store and the folder of
`ASSAY_SECRET_FILE` are empty, so that it cannot read tasks, reference results or recordings. Its environment
consists of the variables in `USUAL` and those of `access.pass_on`.
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
"""The start of a command line that runs a program in new namespaces.

Root inside these namespaces has no privileges outside of them, and all processes end with the program.
"""


def connect(connection: Connection) -> CommandTransport:
    """Open the transport `{kind: command, command: [PROGRAM, ARGUMENT, ...]}`.

    Raises:
        ConfigError: If the program is not on PATH.
        PlatformError: If this machine cannot hide the tasks from the program.
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
    """Check that this machine can run a program that does not see the content of some folders.

    Args:
        hidden: The folders.

    Raises:
        PlatformError: If it cannot.
    """
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
    """Return the environment of a program: the variables in `USUAL`, which hold no key, and `pass_on`."""
    return {name: os.environ[name] for name in (*USUAL, *pass_on) if name in os.environ}


def _hiding(hidden: Sequence[Path], command: Sequence[str]) -> list[str]:
    """Return a command line that runs `command` with an empty folder in place of each hidden one."""
    mounts = [f"mount -t tmpfs -o ro none {shlex.quote(str(path))}" for path in hidden if path.is_dir()]
    # The working folder may be hidden. Without `cd`, the program could still read it, because a process keeps
    # its working folder when another file system is mounted there.
    script = " && ".join([*mounts, 'cd "$PWD"', f"exec {shlex.join(command)}"])
    return [*ENTER, "sh", "-c", script]


@dataclass(frozen=True)
class CommandTransport:
    """A program as a model.

    Attributes:
        command: The program and its arguments.
        hidden: The folders whose content the program cannot see.
        pass_on: The environment variables that the program gets in addition to `USUAL`.
        timeout: The seconds that a reply may take.
    """

    command: tuple[str, ...]
    hidden: tuple[Path, ...]
    pass_on: tuple[str, ...]
    timeout: float

    def ask(self, request: Request) -> Reply:
        """Run the program and return the reply that it writes, with tokens counted as four characters each.

        Raises:
            TransportError: If the program takes too long or ends with an error code.
        """
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

    The limit bounds the use of memory.

    Raises:
        TimeoutExpired: If the program takes longer than `timeout` seconds.
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
    """Return a conversation as plain text: the system prompt, then each message with its speaker's name."""
    texts = [request.system]
    for message in request.messages:
        speaker = "You" if message.role == "assistant" else "Laboratory"
        texts.append("\n".join([f"--- {speaker} ---", *map(text_of, message.parts)]))
    return "\n\n".join([*texts, "--- You ---\n"])

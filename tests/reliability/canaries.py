"""Planted secrets, and who has seen them: files, command lines and environments of processes."""

from __future__ import annotations

import base64
import random
import string
import threading
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

MARK = "SECRETS_TEST"
"""A variable that all processes of a test have, so that only those are looked at."""


def canary(name: str) -> str:
    """A secret that is the same in every run, and that no other text holds by chance."""
    signs = random.Random(f"canary/{name}")
    letters = string.ascii_letters + string.digits
    return "".join(signs.choices(letters, k=20)) + "+/=%&" + "".join(signs.choices(letters, k=20))


def forms(secret: str) -> dict[str, bytes]:
    """What a secret looks like when somebody has encoded, quoted, reversed or shortened it."""
    data = secret.encode()
    found = {
        "plain": data,
        "first eight": data[:8],
        "last eight": data[-8:],
        "reversed": data[::-1],
        "hexadecimal": data.hex().encode(),
        "in an address": urllib.parse.quote(secret, safe="").encode(),
        "in a form": urllib.parse.quote_plus(secret, safe="/").encode(),
        "in JSON": secret.replace("/", "\\/").encode(),
        "in HTML": secret.replace("&", "&amp;").encode(),
    }
    for shift in range(3):
        # Base64 of a text that has the secret anywhere: three ways to fall on groups of three bytes.
        coded = base64.b64encode(b"\0" * shift + data)[(shift > 0) * 4 : -4]
        found[f"base64, {shift}"] = coded
        found[f"base64 of addresses, {shift}"] = coded.replace(b"+", b"-").replace(b"/", b"_")
    return found


def leaks(data: bytes, secrets: Mapping[str, str]) -> Iterator[str]:
    """Which secrets a text holds, and in which form."""
    for name, secret in secrets.items():
        for form, text in forms(secret).items():
            if text in data:
                yield f"{name} ({form})"


def leaks_below(folder: Path, secrets: Mapping[str, str], spare: frozenset[Path] = frozenset()) -> list[str]:
    """Files below a folder whose name or content holds a secret; links are not
    followed, and what is in `spare` is passed over."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path in spare:
            continue
        data = str(path.relative_to(folder)).encode() + b"\n"
        if path.is_file() and not path.is_symlink():
            data += path.read_bytes()
        found += [f"{path.relative_to(folder)}: {leak}" for leak in leaks(data, secrets)]
    return found


@dataclass
class Processes:
    """Looks at all processes again and again, while its block runs.

    `shown` are command lines with a secret, `holders` the programs that had one in their environment.
    """

    secrets: Mapping[str, str]
    mark: str
    shown: set[str] = field(default_factory=set)
    holders: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    looks: int = 0

    def __enter__(self) -> Processes:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.is_set():
            for folder in Path("/proc").glob("[0-9]*"):
                self._look_at(folder)
            self.looks += 1
            time.sleep(0.05)

    def _look_at(self, folder: Path) -> None:
        try:
            before = (folder / "cmdline").read_bytes()
            environment = (folder / "environ").read_bytes()
            after = (folder / "cmdline").read_bytes()
        except OSError:
            return  # it has ended, or is another user's
        if before != after:
            return  # it became another program meanwhile: the next look sees which
        command = after.replace(b"\0", b" ").strip()
        for leak in leaks(command, self.secrets):
            self.shown.add(f"{command.decode(errors='replace')[:200]}: {leak}")
        if f"{MARK}={self.mark}".encode() in environment:
            program = " ".join(command.decode(errors="replace").split()[:4])
            self.seen.add(program)
            self.holders |= {f"{program}: {leak}" for leak in leaks(environment, self.secrets)}

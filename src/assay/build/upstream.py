"""A content store of others, from which a checkout takes results that it has not made itself.

`ASSAY_STORE_UPSTREAM` names the folder, which is only read. `ASSAY_STORE_SECRET` names a file of at least 32
bytes that all machines share which may contribute. With it, a store signs each job that it keeps (HMAC-SHA256
over the key and the record of the job), and only signed jobs of the shared folder count: a hash alone would
not show that its content is the output of that job. Everything else in the folder, such as links, pipes or
files that are too large, counts as absent.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assay import canonical
from assay.errors import ConfigError

LONGEST_RECORD = 1 << 22
"""The largest size in bytes of the record of a job."""

CHUNK = 1 << 20

LEAST_SECRET = 32

Record = dict[str, tuple[str, int]]
"""A record of the store: for each output of a job, by name, its sha256 (hex) and its size in bytes."""


def secret() -> bytes:
    """Return the secret with which records are signed; empty if there is none.

    Raises:
        ConfigError: If the file cannot be read or is too short.
    """
    name = os.environ.get("ASSAY_STORE_SECRET")
    if not name:
        return b""
    try:
        content = Path(name).read_bytes()
    except OSError as problem:
        raise ConfigError(
            f"ASSAY_STORE_SECRET={name} cannot be read ({problem.strerror})", "name a file with the secret"
        ) from problem
    if len(content) < LEAST_SECRET:
        raise ConfigError(
            f"ASSAY_STORE_SECRET={name} holds {len(content)} bytes, fewer than {LEAST_SECRET}",
            "write 32 random bytes to the file",
        )
    return content


def signature(secret: bytes, key: str, record: bytes) -> bytes:
    """Return the signature (hex) of the record of a job."""
    return hmac.new(secret, key.encode() + b"\n" + record, hashlib.sha256).hexdigest().encode()


def record_of(value: object) -> Record | None:
    """Return the record of a job from its JSON value, or `None` if it is not of that form.

    A hash is a part of a path, so anything else in its place could lead out of the store.
    """
    if not isinstance(value, dict):
        return None
    record: Record = {}
    for name, entry in value.items():
        if not (isinstance(entry, list) and len(entry) == 2):
            return None
        sha256, size = entry
        if not isinstance(sha256, str) or not re.fullmatch("[0-9a-f]{64}", sha256) or type(size) is not int:
            return None
        record[name] = sha256, size
    return record


class Upstream(NamedTuple):
    """A shared store that is only read.

    Attributes:
        folder: Its folder.
        secret: The secret of those whose jobs count.
    """

    folder: Path
    secret: bytes

    @classmethod
    def of_environment(cls) -> Upstream | None:
        """Return the store that `ASSAY_STORE_UPSTREAM` names, or `None`.

        Raises:
            ConfigError: If it is no folder, or there is no secret.
        """
        name = os.environ.get("ASSAY_STORE_UPSTREAM")
        if not name:
            return None
        if not Path(name).is_dir():
            raise ConfigError(f"ASSAY_STORE_UPSTREAM={name} is not a folder", "name the folder of a store")
        if not (shared := secret()):
            raise ConfigError(
                "a shared store needs a secret, because anybody who can write to it could plant results",
                "set ASSAY_STORE_SECRET to a file that the machines which contribute share",
            )
        return cls(Path(name), shared)

    def restore(self, key: str, targets: Mapping[str, Path]) -> dict[str, str] | None:
        """Copy the outputs of a job to the targets.

        Args:
            key: The key of the job.
            targets: The path to which each output is written; these files must not exist.

        Returns:
            The sha256 (hex) of each output, or `None` if the store has no signed and undamaged copy of all of
            them; no target is left behind then.
        """
        sealed, signed = self._read("jobs", key, LONGEST_RECORD), self._read("signatures", key, 64)
        if sealed is None:
            return None
        if signed is None or not hmac.compare_digest(signed, signature(self.secret, key, sealed)):
            return self._refuse(key, "its record is not signed with the secret")
        try:
            record = record_of(canonical.loads(sealed.partition(b"\n")[0]))
        except ValueError:
            record = None
        if record is None or record.keys() != targets.keys():
            return None
        for name, target in targets.items():
            if not self._copy(*record[name], target):
                for each in targets.values():
                    each.unlink(missing_ok=True)
                return self._refuse(key, f"the content of {name} is missing or damaged")
        return {name: sha256 for name, (sha256, _) in record.items()}

    def _refuse(self, key: str, why: str) -> None:
        print(f"note: {self.folder}: job {key[:12]} is refused: {why}", file=sys.stderr, flush=True)

    def _open(self, kind: str, digest: str) -> int | None:
        """Open a regular file of the store; links are not followed, and pipes do not block."""
        path = self.folder / kind / digest[:2] / digest[2:]
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        return None

    def _read(self, kind: str, digest: str, most: int) -> bytes | None:
        descriptor = self._open(kind, digest)
        if descriptor is None:
            return None
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(most + 1)
        return content if len(content) <= most else None

    def _copy(self, sha256: str, size: int, target: Path) -> bool:
        """Copy a content, and return whether it has this hash and this size."""
        descriptor = self._open("blobs", sha256)
        if descriptor is None:
            return False
        actual, left = hashlib.sha256(), size
        with os.fdopen(descriptor, "rb") as source, target.open("xb") as copy:
            while left >= 0 and (chunk := source.read(min(CHUNK, left + 1))):
                left -= len(chunk)
                actual.update(chunk)
                copy.write(chunk)
        return left == 0 and actual.hexdigest() == sha256

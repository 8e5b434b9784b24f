"""Seeds that nobody chose: random bytes whose hash is published before the set that they generate.

A host draws 32 random bytes, commits to their hash (`tasks/<suite>/<set>/COMMITMENT`), and reveals the bytes
when the set is frozen. Then anybody can check that the bytes are those of the commitment, and rebuild the
set. A private set keeps its bytes until its host reveals them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path

from assay import canonical
from assay.errors import ConfigError
from assay.writing import write_whole

NAME = "COMMITMENT"
"""The file of a commitment, in the folder of its set."""

SIZE = 32
"""Bytes of a secret."""


@dataclass(frozen=True)
class Commitment:
    """The published part of a secret: its hash, and later the secret itself.

    Attributes:
        sha256: The hash of the secret, hexadecimal.
        secret: The secret itself, hexadecimal; None before it is revealed.
    """

    sha256: str
    secret: str | None = None

    def revealed(self, secret: bytes) -> Commitment:
        """Return this commitment with its secret.

        Raises:
            ConfigError: If the secret has another hash.
        """
        if _digest(secret) != self.sha256:
            raise ConfigError(
                "these are not the bytes of the commitment",
                f"give the {SIZE} bytes whose sha256 is {self.sha256}",
            )
        return Commitment(self.sha256, secret.hex())

    def to_text(self) -> str:
        """Return the text of the file of the commitment."""
        return canonical.dumps({"sha256": self.sha256, "secret": self.secret}) + "\n"


def draw() -> bytes:
    """Return a new secret from the operating system's source of randomness."""
    return secrets.token_bytes(SIZE)


def commit(secret: bytes) -> Commitment:
    """The commitment to a secret.

    Raises:
        ConfigError: the secret has another size than `SIZE` bytes.
    """
    if len(secret) != SIZE:
        raise ConfigError(f"a secret has {SIZE} bytes, not {len(secret)}", "draw one with `draw()`")
    return Commitment(_digest(secret))


def seed_of(secret: bytes, suite: str, task_set: str) -> int:
    """The seed of a set, of 63 bits; other sets of the same secret have unrelated seeds.

    Args:
        secret: the bytes that were committed to.
        suite: the name of the suite.
        task_set: the name of the set.
    """
    digest = hmac.digest(secret, f"{suite}/{task_set}".encode(), hashlib.sha256)
    return int.from_bytes(digest[:8], "little") >> 1


def write(folder: Path, commitment: Commitment) -> None:
    """Write the file of a commitment into the folder of its set."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / NAME, commitment.to_text().encode())


def read(folder: Path) -> Commitment:
    """The commitment in the folder of a set.

    Raises:
        ConfigError: there is none, it cannot be read, or its secret has another hash.
    """
    path = folder / NAME
    remedy = "restore the file from git"
    try:
        value = canonical.loads(path.read_bytes())
        commitment = Commitment(str(value["sha256"]))
        secret = value["secret"]
        return commitment if secret is None else commitment.revealed(bytes.fromhex(secret))
    except OSError as problem:
        raise ConfigError(f"{path} cannot be read ({problem.strerror})", remedy) from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise ConfigError(f"{path} is no commitment", remedy) from problem


def _digest(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()

"""Private task sets: the seed comes from a secret file, and only the hash of the file is published.

`ASSAY_SECRET_FILE` names a file of at least 32 bytes that the host of a leaderboard keeps secret. The seed of
the private set `<recipe>.private` is a keyed hash (HMAC-SHA256) of the names of suite and set. So nobody can
generate the tasks without the file, and the host can prove later that the tasks were fixed beforehand.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

from assay.errors import ConfigError

SUFFIX = ".private"


def set_seed(suite: str, name: str) -> tuple[str, int]:
    """Return the recipe and the seed of a set.

    Args:
        suite: The name of the suite.
        name: The name of the set, with the suffix `.private` if it is private.

    Returns:
        The name of the public set with the same recipe, and a seed of 63 bits. For a name without the suffix,
        the name itself and 0, which is not used.

    Raises:
        ConfigError: If the set is private and the secret file is missing, unreadable or too short.
    """
    recipe = name.removesuffix(SUFFIX)
    if recipe == name:
        return name, 0
    digest = hmac.digest(_secret(), f"{suite}/{recipe}".encode(), hashlib.sha256)
    return recipe, int.from_bytes(digest[:8], "little") >> 1


def commitment() -> str:
    """Return the sha256 (hex) of the secret, which a host publishes before any episode is played."""
    return hashlib.sha256(_secret()).hexdigest()


def _secret() -> bytes:
    path = os.environ.get("ASSAY_SECRET_FILE")
    remedy = "put 32 random bytes into a file outside git and set ASSAY_SECRET_FILE to its path"
    if not path:
        raise ConfigError("a private set needs ASSAY_SECRET_FILE, which is not set", remedy)
    try:
        secret = Path(path).read_bytes()
    except OSError as problem:
        raise ConfigError(f"ASSAY_SECRET_FILE {path}: {problem.strerror}", remedy) from problem
    if len(secret) < 32:
        raise ConfigError(f"ASSAY_SECRET_FILE {path} holds {len(secret)} bytes, fewer than 32", remedy)
    return secret

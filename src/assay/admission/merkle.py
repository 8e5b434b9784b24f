"""The root of a Merkle tree over the members of a bundle, as in RFC 6962, section 2.1."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def root(leaves: Sequence[bytes]) -> str:
    """Return the Merkle tree hash (hex) of a list of byte strings.

    Leaves and inner nodes have different prefixes, so that no inner node can pass as a leaf.

    Args:
        leaves: The byte strings, in order.

    Example:
        >>> root([]) == hashlib.sha256().hexdigest()
        True
        >>> root([b"a"]) == hashlib.sha256(b"\\x00a").hexdigest()
        True
    """
    return _hash(leaves).hex()


def _hash(leaves: Sequence[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1  # the largest power of two below the number of leaves
    return hashlib.sha256(b"\x01" + _hash(leaves[:split]) + _hash(leaves[split:])).digest()

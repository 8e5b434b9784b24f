"""Pictures, files and long texts by the hash of their bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from assay.errors import UnknownName
from assay.protocol import BlobRef


class MemoryBlobs:
    """Contents of one job, kept in memory; `fallback` finds what was put elsewhere (the tasks' contents)."""

    def __init__(self, fallback: Callable[[str], bytes | None] | None = None) -> None:
        self._kept: dict[str, tuple[BlobRef, bytes]] = {}
        self._fallback = fallback

    def put(self, data: bytes, media_type: str) -> BlobRef:
        """Keep these bytes; equal bytes are kept once.

        The reference has the media type given here, and the bytes are kept under the first of their types by
        the alphabet: neither depends on what else was put before, so shards leave no trace.
        """
        ref = BlobRef(hashlib.sha256(data).hexdigest(), media_type, len(data))
        kept = self._kept.get(ref.sha256)
        if kept is None or media_type < kept[0].media_type:
            self._kept[ref.sha256] = (ref, data)
        return ref

    def get(self, sha256: str) -> bytes:
        """The bytes of that hash; `UnknownName` where they are not kept."""
        if sha256 in self._kept:
            return self._kept[sha256][1]
        data = self._fallback(sha256) if self._fallback else None
        if data is None:
            raise UnknownName(
                f"no content with the hash {sha256[:16]}... is kept here",
                "delete the table that names it and run `make reproduce` again",
            )
        return data

    def items(self) -> Iterator[tuple[BlobRef, bytes]]:
        """What was put, in the order of the hashes."""
        for sha256 in sorted(self._kept):
            yield self._kept[sha256]

"""An in-memory store of pictures, files and long texts by the hash of their bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from assay.errors import UnknownName
from assay.protocol import BlobRef


class MemoryBlobs:
    """A store in memory of the contents of one job.

    Args:
        fallback: Returns the content with a given hash if it is stored elsewhere, such as a content of a
            task; otherwise `None`.

    Example:
        >>> blobs = MemoryBlobs()
        >>> reference = blobs.put(b"an urn", "text/plain")
        >>> blobs.get(reference.sha256)
        b'an urn'
    """

    def __init__(self, fallback: Callable[[str], bytes | None] | None = None) -> None:
        self._kept: dict[str, tuple[BlobRef, bytes]] = {}
        self._fallback = fallback

    def put(self, data: bytes, media_type: str) -> BlobRef:
        """Store the bytes and return the reference to them. Equal bytes are stored once.

        If the same bytes come with several media types, they are stored with the alphabetically first one. So
        the stored contents do not depend on their order, or on the shards of a job.
        """
        ref = BlobRef(hashlib.sha256(data).hexdigest(), media_type, len(data))
        kept = self._kept.get(ref.sha256)
        if kept is None or media_type < kept[0].media_type:
            self._kept[ref.sha256] = (ref, data)
        return ref

    def get(self, sha256: str) -> bytes:
        """Return the bytes with this hash (hex).

        Raises:
            UnknownName: If they are stored neither here nor in the fallback.
        """
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
        """Yield references and bytes of what was stored here, in the order of the hashes."""
        for sha256 in sorted(self._kept):
            yield self._kept[sha256]

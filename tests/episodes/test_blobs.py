"""Contents by hash: kept once, found again, and the same whatever else was put."""

from __future__ import annotations

import hashlib
import itertools

import pytest

from assay.episodes.blobs import MemoryBlobs
from assay.errors import UnknownName
from assay.protocol import BlobRef

ITEMS = [(b"one", "text/plain"), (b"two", "image/png"), (b"one", "application/json"), (b"", "text/plain")]


def test_a_reference_says_what_the_bytes_are() -> None:
    blobs = MemoryBlobs()
    ref = blobs.put(b"one", "text/plain")
    assert ref == BlobRef(hashlib.sha256(b"one").hexdigest(), "text/plain", 3)
    assert blobs.get(ref.sha256) == b"one"


def test_equal_bytes_are_kept_once_in_order_of_their_hashes() -> None:
    blobs = MemoryBlobs()
    for data, media_type in ITEMS:
        blobs.put(data, media_type)
    hashes = [ref.sha256 for ref, _ in blobs.items()]
    assert hashes == sorted({hashlib.sha256(data).hexdigest() for data, _ in ITEMS})
    assert {data for _, data in blobs.items()} == {b"one", b"two", b""}


def test_the_order_of_putting_leaves_no_trace() -> None:
    """Else an episode would depend on which others share its shard."""
    references, kept = set(), set()
    for order in itertools.permutations(ITEMS):
        blobs = MemoryBlobs()
        references.add(frozenset(blobs.put(*item) for item in order))
        kept.add(tuple(ref for ref, _ in blobs.items()))
    assert len(references) == len(kept) == 1
    assert frozenset(blobs.put(*item) for item in ITEMS) == frozenset(
        MemoryBlobs().put(*item) for item in ITEMS
    )


def test_what_is_not_here_is_looked_up_behind() -> None:
    behind = {"a" * 64: b"elsewhere"}
    blobs = MemoryBlobs(behind.get)
    assert blobs.get("a" * 64) == b"elsewhere"
    assert list(blobs.items()) == []  # what was put elsewhere is not this job's to write
    own = blobs.put(b"own", "text/plain")
    assert blobs.get(own.sha256) == b"own"


@pytest.mark.parametrize("blobs", [MemoryBlobs(), MemoryBlobs({}.get)], ids=["alone", "with others behind"])
def test_an_unknown_hash_is_an_error_with_a_remedy(blobs: MemoryBlobs) -> None:
    with pytest.raises(UnknownName, match="no content with the hash bbbbbbbbbbbbbbbb"):
        blobs.get("b" * 64)

"""Kept samples: those of the reference solver that would take minutes, compressed, with their digests.

A file of `data/samples` has the lines of a sample without a header, as its generator makes them. A digest in
`data/samples.yaml` holds a file against changes. The check `kept-samples`, which is a part of every build,
makes events of each sample again, and `assay collider samples` makes whole samples again.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assay.errors import AssayError
from assay.suites.collider.formats import documents

DATA_FILES = (
    "../data/samples.yaml",
    "../data/samples/T2bW_900_475_50.csv.xz",
    "../data/samples/T2tt_1000_50.csv.xz",
    "../data/samples/T2tt_800_400.csv.xz",
    "../data/samples/T5Wg_1600_100.csv.xz",
    "../data/samples/T5Wg_1750_1700.csv.xz",
    "../data/samples/T6gg_1750_1650.csv.xz",
    "../data/samples/TChiWZ_550_200.csv.xz",
    "../data/samples/TChiWg_700.csv.xz",
    "../data/samples/objects-T6gg_1750_1650.csv.xz",
)


class ChangedSample(AssayError):
    """A kept sample that does not have its digest."""


@dataclass(frozen=True)
class Kept:
    """A kept sample.

    Attributes:
        card: the card of the sample.
        seed: its seed.
        events: the number of its events.
        file: the name of the file in `data/samples`.
        sha256: the hash of its lines.
    """

    card: Mapping[str, str]
    seed: int
    events: int
    file: str
    sha256: str


SAMPLES: tuple[Kept, ...] = tuple(Kept(**entry) for entry in documents.packaged("samples.yaml"))


def of_card(card: Mapping[str, Any], seed: int, events: int) -> Kept | None:
    """Return the kept sample of a card and seed with at least that many events; None if there is none."""
    samples = (kept for kept in SAMPLES if (kept.card, kept.seed) == (card, seed))
    return next((kept for kept in samples if kept.events >= events), None)


def lines(kept: Kept) -> list[str]:
    """Return the lines of a kept sample, one per event.

    Raises:
        ChangedSample: they do not have their digest.
    """
    return _lines(kept.file, kept.sha256)


@lru_cache(maxsize=1)
def _lines(file: str, sha256: str) -> list[str]:
    text = lzma.decompress((documents.DATA / "samples" / file).read_bytes())
    if hashlib.sha256(text).hexdigest() != sha256:
        raise ChangedSample(f"{file} is not the sample that was kept", "restore it from the repository")
    return text.decode("ascii").splitlines(keepends=True)


def compressed(text: str) -> bytes:
    """Return the lines of a sample in the form in which they are kept."""
    return lzma.compress(text.encode("ascii"), preset=9 | lzma.PRESET_EXTREME)

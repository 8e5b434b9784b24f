"""Text as a unit vector without any download: hashed words and pairs of words (`hash-tf-v1`)."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

NAME = "hash-tf-v1"
SIZE = 4096

Vector = Mapping[int, float]
"""The entries of a unit vector that are not zero; empty for an empty text."""

Embedder = Callable[[str], Vector]


def words(text: str) -> list[str]:
    """Tokens: runs of ASCII letters and digits of the folded text."""
    return re.findall("[a-z0-9]+", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=8192)
def embed(text: str) -> Vector:
    """Unigrams and neighbouring pairs, hashed with signs, weight 1 + ln(count), of length one.

    The texts of items are embedded for every reply: what was made is kept, and is not to be changed.
    """
    tokens = words(text)
    counts = Counter(tokens)
    counts.update(f"{a} {b}" for a, b in pairwise(tokens))
    found: dict[int, float] = {}
    for gram in sorted(counts):
        place, sign = _place(gram)
        found[place] = found.get(place, 0.0) + sign * _weight(counts[gram])
    length = math.sqrt(math.fsum(v * v for v in found.values()))
    return {place: v / length for place, v in sorted(found.items()) if v} if length else {}


@lru_cache(maxsize=65_536)
def _place(gram: str) -> tuple[int, float]:
    """The entry of a word or pair of words, and its sign."""
    bits = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")
    return bits % SIZE, 1.0 if bits >> 63 else -1.0


@lru_cache(maxsize=1024)
def _weight(count: int) -> float:
    from assay.numbers import portable

    return 1.0 + portable.log(float(count))


def cosine(a: Vector, b: Vector) -> float:
    """Cosine of two unit vectors; 0 where one is empty."""
    if len(a) > len(b):
        a, b = b, a
    return math.fsum(v * b[place] for place, v in a.items() if place in b)


def mean(values: Sequence[float]) -> float:
    """The mean, added exactly."""
    return math.fsum(values) / len(values)

"""Text as a unit vector without any download: hashed words and pairs of words (`hash-tf-v1`)."""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

NAME = "hash-tf-v1"
SIZE = 4096

Vector = Mapping[int, float]
"""The entries of a unit vector that are not zero; empty for an empty text."""

Embedder = Callable[[str], Vector]


def words(text: str) -> list[str]:
    """Tokens: runs of ASCII letters and digits of the folded text."""
    return re.findall("[a-z0-9]+", unicodedata.normalize("NFKC", text).casefold())


def embed(text: str) -> Vector:
    """Unigrams and neighbouring pairs, hashed with signs, weight 1 + ln(count), of length one."""
    from assay import portable

    tokens = words(text)
    counts = Counter(tokens) + Counter(f"{a} {b}" for a, b in pairwise(tokens))
    found: dict[int, float] = {}
    for gram, count in sorted(counts.items()):
        bits = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")
        weight = 1.0 + portable.log(float(count))
        place = bits % SIZE
        found[place] = found.get(place, 0.0) + (weight if bits >> 63 else -weight)
    length = math.sqrt(math.fsum(v * v for v in found.values()))
    return {place: v / length for place, v in sorted(found.items()) if v} if length else {}


def cosine(a: Vector, b: Vector) -> float:
    """Cosine of two unit vectors; 0 where one is empty."""
    return math.fsum(v * b[place] for place, v in a.items() if place in b)


def mean(values: Sequence[float]) -> float:
    """The mean, added exactly."""
    return math.fsum(values) / len(values)

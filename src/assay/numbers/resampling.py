"""Many draws of a named stream at once, as resampling needs them."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.numbers.rng import GOLDEN


def indices(key: int, first: int, count: int, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return consecutive draws of `Stream.below(n)`.

    Args:
        key: The key of the stream.
        first: The number of the first draw; the stream's own first draw has the number 1.
        count: The number of draws.
        n: The draws lie in [0, n).

    Returns:
        int64 (count,).

    Example:
        >>> from assay.numbers.rng import stream
        >>> urn = stream(7, "urn")
        >>> indices(urn.key, 1, 5, 6).tolist() == [urn.below(6) for _ in range(5)]
        True
    """
    at = np.arange(first, first + count, dtype=np.uint64)
    z = np.uint64(key) + at * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return ((z >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)).astype(np.int64)

"""Uniform numbers for events and for their objects, each a draw of its own under a named key."""

from __future__ import annotations

import numpy as np

from assay.numbers.draws import sub, uniform
from assay.numbers.kernels import kernel


def per_object(key: int, counts: np.ndarray) -> np.ndarray:
    """Flat uniform numbers: one for each of the `counts[n]` objects of event n."""
    found = np.zeros(int(counts.sum()))
    _fill(np.uint64(key), counts, found)
    return found


def per_event(key: int, events: int) -> np.ndarray:
    """One uniform number an event."""
    return per_object(key, np.ones(events, np.int64))


@kernel
def _fill(key: np.uint64, counts: np.ndarray, found: np.ndarray) -> None:
    at = 0
    for n in range(counts.size):
        event = sub(key, np.uint64(n))
        for i in range(counts[n]):
            found[at] = uniform(event, np.uint64(i))
            at += 1

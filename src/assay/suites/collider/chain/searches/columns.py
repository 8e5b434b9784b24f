"""From lists of objects to one number an event."""

from __future__ import annotations

from typing import Any

import numpy as np


def leading(objects: Any) -> Any:
    """The first object of each event, null where there is none."""
    import awkward as ak

    return ak.firsts(objects)


def nth(objects: Any, n: int) -> Any:
    """The object of each event at place n, null where there are not so many."""
    import awkward as ak

    return ak.pad_none(objects, n + 1, clip=True)[:, n]


def column(values: Any, absent: float) -> np.ndarray:
    """One float an event; `absent` where there is none."""
    import awkward as ak

    return np.asarray(ak.to_numpy(ak.fill_none(values, absent)), dtype=np.float64)


def smallest(values: Any, absent: float) -> np.ndarray:
    """The least value of each event's list; `absent` where it is empty."""
    import awkward as ak

    return column(ak.min(ak.fill_none(values, [], axis=0), axis=-1), absent)


def total(values: Any) -> np.ndarray:
    """The sum of each event's list."""
    import awkward as ak

    return np.asarray(ak.to_numpy(ak.sum(values, axis=-1)), dtype=np.float64)


def count(objects: Any) -> np.ndarray:
    """How many objects each event has, as floats."""
    import awkward as ak

    return np.asarray(ak.to_numpy(ak.num(objects)), dtype=np.float64)

"""Functions that give one number per event: reductions of lists of objects, and efficiencies."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, uniforms
from assay.suites.collider.chain.detector.objects import Event

AXES = ("px", "py", "pz", "energy")


def leading(objects: Any) -> Any:
    """Return the first object of each event; None if it has none."""
    return ak.firsts(objects)


def nth(objects: Any, n: int) -> Any:
    """Return the object of each event at index n; None if it has fewer objects."""
    return ak.pad_none(objects, n + 1, clip=True)[:, n]


def column(values: Any, absent: float) -> np.ndarray:
    """Return values as floats, one per event, with `absent` in place of None."""
    return np.asarray(ak.to_numpy(ak.fill_none(values, absent)), dtype=np.float64)


def smallest(values: Any, absent: float) -> np.ndarray:
    """Return the smallest value of each event's list; `absent` if it is empty."""
    return column(ak.min(ak.fill_none(values, [], axis=0), axis=-1), absent)


def total(values: Any) -> np.ndarray:
    """The sum of each event's list."""
    return np.asarray(ak.to_numpy(ak.sum(values, axis=-1)), dtype=np.float64)


def count(objects: Any) -> np.ndarray:
    """The number of objects of each event, as floats."""
    return np.asarray(ak.to_numpy(ak.num(objects)), dtype=np.float64)


def trigger(event: Event, paper: str) -> np.ndarray:
    """Return 1.0 for each event that passes the trigger of a paper, and 0.0 for the others."""
    chance = uniforms(event.stream.child("trigger").key, np.ones(len(event), np.int64))
    taken: np.ndarray = (chance < parameters.value(paper, "trigger")).astype(float)
    return taken


def either(condition: Any, value: float, other: float) -> Any:
    """Return `value` for each object where `condition` is true, and `other` for the rest."""
    return other + (value - other) * condition


def pair_momentum(first: Any, second: Any) -> dict[str, np.ndarray]:
    """Return the components (GeV) of the sum of two momenta for each event; 0 if one of them is missing."""
    return {axis: column(first[axis] + second[axis], 0.0) for axis in AXES}


def invariant_mass(momentum: Any) -> np.ndarray:
    """Return the mass (GeV) of momenta with the components of `AXES`.

    It is 0 if rounding makes its square negative.
    """
    energy, px, py, pz = (momentum[axis] for axis in ("energy", "px", "py", "pz"))
    return np.asarray(np.sqrt(np.maximum(energy**2 - px**2 - py**2 - pz**2, 0.0)))

"""Functions on arrays of events: angles, distances, random numbers, and the optional package awkward."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from assay.numbers.draws import sub, uniform
from assay.numbers.kernels import kernel
from assay.numbers.portable import norminv

PI = math.pi


class _Awkward:
    """The package awkward, imported on first use, because it is not installed without the physics chain."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("awkward"), name)


ak: Any = _Awkward()


@kernel
def apart(first: float, second: float) -> float:
    """Return the angle between two azimuths in [-pi, pi], in [0, pi] radians; for use inside kernels."""
    angle = abs(first - second)
    return 2.0 * PI - angle if angle > PI else angle


def between(first: Any, second: Any) -> Any:
    """Return the angles between arrays of azimuths, in [0, pi] radians."""
    return PI - abs(abs(first - second) - PI)


def delta_r(first: Any, second: Any) -> Any:
    """Return the distances sqrt(d_eta^2 + d_phi^2) between objects with the fields `eta` and `phi`."""
    d_phi = between(first.phi, second.phi)
    return np.sqrt((first.eta - second.eta) ** 2 + d_phi**2)


def uniforms(key: int, counts: np.ndarray) -> np.ndarray:
    """Return a flat array of uniform random numbers, one for each of the `counts[n]` objects of event n.

    Each number is an independent draw, identified by the key, the event and the index of the object in it.
    """
    numbers = np.zeros(int(counts.sum()))
    _fill(np.uint64(key), counts, numbers)
    return numbers


def normals(key: int, counts: np.ndarray) -> np.ndarray:
    """Return standard normal numbers, arranged like those of `uniforms`."""
    numbers = uniforms(key, counts)
    _to_normal(numbers)
    return numbers


def uniforms_like(key: int, objects: Any) -> Any:
    """Return one uniform random number for each object of awkward lists, in lists of the same lengths."""
    counts = ak.to_numpy(ak.num(objects))
    return ak.unflatten(uniforms(key, counts), counts)


@kernel
def _to_normal(numbers: np.ndarray) -> None:
    for i in range(numbers.size):
        numbers[i] = norminv(numbers[i])


@kernel
def _fill(key: np.uint64, counts: np.ndarray, numbers: np.ndarray) -> None:
    at = 0
    for n in range(counts.size):
        event = sub(key, np.uint64(n))
        for i in range(counts[n]):
            numbers[at] = uniform(event, np.uint64(i))
            at += 1

"""Angles between directions: inside kernels, and for numpy and awkward arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.numbers.kernels import kernel

PI = math.pi


@kernel
def apart(first: float, second: float) -> float:
    """The angle between two azimuths of [-pi, pi], in [0, pi]."""
    found = abs(first - second)
    return 2.0 * PI - found if found > PI else found


def between(first: Any, second: Any) -> Any:
    """The angles between arrays of azimuths, in [0, pi]."""
    return PI - abs(abs(first - second) - PI)


def delta_r(first: Any, second: Any) -> Any:
    """The distances of objects with `eta` and `phi`."""
    d_phi = between(first.phi, second.phi)
    return np.sqrt((first.eta - second.eta) ** 2 + d_phi**2)

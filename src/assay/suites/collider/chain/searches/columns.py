"""One number for each event: from lists of objects, and from draws of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, uniforms
from assay.suites.collider.chain.detector.objects import Event

AXES = ("px", "py", "pz", "energy")


def leading(objects: Any) -> Any:
    """The first object of each event, None where there is none."""
    return ak.firsts(objects)


def nth(objects: Any, n: int) -> Any:
    """The object of each event at place n, None where there are not so many."""
    return ak.pad_none(objects, n + 1, clip=True)[:, n]


def column(values: Any, absent: float) -> np.ndarray:
    """One float an event; `absent` where there is none."""
    return np.asarray(ak.to_numpy(ak.fill_none(values, absent)), dtype=np.float64)


def smallest(values: Any, absent: float) -> np.ndarray:
    """The least value of each event's list; `absent` where it is empty."""
    return column(ak.min(ak.fill_none(values, [], axis=0), axis=-1), absent)


def total(values: Any) -> np.ndarray:
    """The sum of each event's list."""
    return np.asarray(ak.to_numpy(ak.sum(values, axis=-1)), dtype=np.float64)


def count(objects: Any) -> np.ndarray:
    """The number of objects of each event, as floats."""
    return np.asarray(ak.to_numpy(ak.num(objects)), dtype=np.float64)


def trigger(event: Event, paper: str) -> np.ndarray:
    """1.0 for each event that the trigger of a paper takes, and 0.0 for the others."""
    chance = uniforms(event.stream.child("trigger").key, np.ones(len(event), np.int64))
    taken: np.ndarray = (chance < parameters.value(paper, "trigger")).astype(float)
    return taken


def lepton_efficiency(electron: Any, paper: str) -> Any:
    """The efficiency of a paper for each lepton, given which of them are electrons (the others are muons)."""
    a, b = (parameters.value(paper, f"{kind} efficiency") for kind in ("electron", "muon"))
    return b + (a - b) * electron


def pair_momentum(first: Any, second: Any) -> dict[str, np.ndarray]:
    """The components (GeV) of the sum of two momenta for each event; 0 where one of them is missing."""
    return {axis: column(first[axis] + second[axis], 0.0) for axis in AXES}


def invariant_mass(momentum: Any) -> np.ndarray:
    """The mass (GeV) of momenta with the components of `AXES`; 0 where rounding makes its square negative."""
    energy, px, py, pz = (momentum[axis] for axis in ("energy", "px", "py", "pz"))
    return np.asarray(np.sqrt(np.maximum(energy**2 - px**2 - py**2 - pz**2, 0.0)))

"""Momentum around a particle: what isolation is made of."""

from __future__ import annotations

import numpy as np

from assay.numbers.kernels import kernel
from assay.suites.collider.chain.angles import apart
from assay.suites.collider.chain.detector.particles import Measured


def cone_sums(
    measured: Measured, candidates: np.ndarray, radii: np.ndarray, counted: np.ndarray
) -> np.ndarray:
    """The sum of pT (GeV) within a cone around each candidate, itself left out.

    `candidates` are places of measured particles, `radii` their cones, `counted` which measured particles
    enter a sum.
    """
    events = np.searchsorted(measured.offsets, candidates, side="right") - 1
    sums = np.zeros(len(candidates))
    _sums(
        candidates,
        measured.offsets[events],
        measured.offsets[events + 1],
        radii,
        counted,
        measured.pt,
        measured.eta,
        measured.phi,
        sums,
    )
    return sums


def shrinking(pt: np.ndarray, cone: dict[str, float]) -> np.ndarray:
    """A cone that narrows as scale / pT between its widest and its narrowest radius."""
    return np.clip(cone["scale"] / pt, cone["narrowest"], cone["widest"])


@kernel
def _sums(
    candidates: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    radii: np.ndarray,
    counted: np.ndarray,
    pt: np.ndarray,
    eta: np.ndarray,
    phi: np.ndarray,
    sums: np.ndarray,
) -> None:
    for c in range(candidates.size):
        centre = candidates[c]
        total = 0.0
        for i in range(first[c], last[c]):
            if i == centre or not counted[i]:
                continue
            d_eta = eta[i] - eta[centre]
            if abs(d_eta) > radii[c]:
                continue
            d_phi = apart(phi[i], phi[centre])
            if d_eta * d_eta + d_phi * d_phi < radii[c] * radii[c]:
                total += pt[i]
        sums[c] = total

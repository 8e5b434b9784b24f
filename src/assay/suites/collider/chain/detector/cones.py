"""Cones around particles: momentum sums for isolation, and photons that electrons radiated."""

from __future__ import annotations

import numpy as np

from assay.numbers.kernels import kernel
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import apart
from assay.suites.collider.chain.detector.particles import ELECTRON, PHOTON, Measured

DRESSING: float = parameters.value("leptons", "dressing")
"""Radius of the cone whose photons are added to an electron, as they share its calorimeter cluster."""


def sums(measured: Measured, candidates: np.ndarray, radii: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the sum of pT (GeV) in a cone around each candidate, without the candidate itself.

    Args:
        measured: the particles of a chunk.
        candidates: the indices of the candidates among the measured particles.
        radii: the radius of each candidate's cone.
        counted: mask of the measured particles that enter the sums.
    """
    total = np.zeros(len(candidates))
    _sums(
        candidates,
        *_events(measured, candidates),
        radii,
        counted,
        measured.pt,
        measured.eta,
        measured.phi,
        total,
    )
    return total


def shrinking(pt: np.ndarray, cone: dict[str, float]) -> np.ndarray:
    """Return cone radii of scale / pT, limited to the range from `narrowest` to `widest`."""
    return np.clip(cone["scale"] / pt, cone["narrowest"], cone["widest"])


def dress(measured: Measured, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Add the photons around electrons to the momenta of these; muons stay as they are.

    Args:
        measured: the particles of a chunk.
        places: the indices of the leptons among the measured particles.

    Returns:
        Momenta of the leptons, shape (4, leptons): px, py, pz and energy in GeV; and a mask of the measured
            particles that were added.
    """
    particles = np.array([measured.px, measured.py, measured.pz, measured.energy])
    momenta = np.ascontiguousarray(particles[:, places])
    taken = np.zeros(len(measured.kind), np.bool_)
    around = _events(measured, places)
    _dress(places, *around, measured.kind, particles, measured.eta, measured.phi, momenta, taken)
    return momenta, taken


def _events(measured: Measured, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the first particle of each particle's event, and the index after the last one."""
    events = np.searchsorted(measured.offsets, places, side="right") - 1
    return measured.offsets[events], measured.offsets[events + 1]


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


@kernel
def _dress(
    places: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    kind: np.ndarray,
    particles: np.ndarray,
    eta: np.ndarray,
    phi: np.ndarray,
    momenta: np.ndarray,
    taken: np.ndarray,
) -> None:
    for n in range(places.size):
        centre = places[n]
        if kind[centre] != ELECTRON:
            continue
        for i in range(first[n], last[n]):
            if kind[i] != PHOTON or taken[i]:
                continue
            d_eta = eta[i] - eta[centre]
            d_phi = apart(phi[i], phi[centre])
            if d_eta * d_eta + d_phi * d_phi < DRESSING * DRESSING:
                taken[i] = True
                for axis in range(4):
                    momenta[axis, n] += particles[axis, i]

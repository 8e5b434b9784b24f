"""Electrons with the photons that they radiated, which one cluster of the calorimeter takes together."""

from __future__ import annotations

import numpy as np

from assay.numbers.kernels import kernel
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.angles import apart
from assay.suites.collider.chain.detector.particles import ELECTRON, PHOTON, Measured

CONE: float = parameters.value("leptons", "dressing")


def dress(measured: Measured, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Momenta (rows px, py, pz, energy in GeV) of leptons at these places, electrons with the photons around
    them; and which measured particles were taken in.
    """
    momenta = np.array(
        [column[places] for column in (measured.px, measured.py, measured.pz, measured.energy)]
    )
    taken = np.zeros(len(measured.kind), np.bool_)
    events = np.searchsorted(measured.offsets, places, side="right") - 1
    _dress(
        places,
        measured.offsets[events],
        measured.offsets[events + 1],
        measured.kind,
        np.array([measured.px, measured.py, measured.pz, measured.energy]),
        measured.eta,
        measured.phi,
        momenta,
        taken,
    )
    return momenta, taken


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
            if d_eta * d_eta + d_phi * d_phi < CONE * CONE:
                taken[i] = True
                for axis in range(4):
                    momenta[axis, n] += particles[axis, i]

"""Jets, clustered with anti-kT (R = 0.4) from measured particles, and the flavour of the hadrons in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.numbers.kernels import kernel
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, apart
from assay.suites.collider.chain.detector.particles import MUON, Measured
from assay.suites.collider.chain.generation import Chunk

LIGHT, CHARM, BOTTOM = 0, 4, 5
"""Flavours of jets."""

MATCH = parameters.value("jets", "hadron match")
MATCH_CONE: float = MATCH["cone"]


def cluster(measured: Measured, wanted: np.ndarray, muons: bool = True) -> Any:
    """Return the jets of each event, by falling pT.

    Args:
        measured: the particles of a chunk.
        wanted: mask of the events to cluster; the other events have no jets.
        muons: whether muons are clustered; they deposit almost nothing in calorimeters.

    Returns:
        An awkward array of lists of records (pt, eta, phi, px, py, pz, energy; in GeV).
    """
    taken = np.repeat(wanted, measured.counts) & (muons | (measured.kind != MUON))
    events = np.repeat(np.arange(len(wanted)), measured.counts)
    particles = ak.unflatten(
        ak.zip(
            {
                "px": measured.px[taken],
                "py": measured.py[taken],
                "pz": measured.pz[taken],
                "E": measured.energy[taken],
            },
            with_name="Momentum4D",
        ),
        np.bincount(events[taken], minlength=len(wanted)),
    )
    sequence = _anti_kt(particles, parameters.value("jets", "radius"))
    return _records(sequence.inclusive_jets(parameters.value("jets", "least")))


def recluster(jets: Any, radius: float, least: float, trimming: float) -> Any:
    """Return jets of a larger radius that are clustered from jets, by falling pT.

    Args:
        jets: the jets to cluster, as from `cluster`.
        radius: the radius of the new jets.
        least: the smallest pT of a new jet, GeV.
        trimming: constituents with less than this share of the new jet's pT are removed from it.

    Returns:
        Records as from `cluster`.
    """
    momenta = ak.zip({"px": jets.px, "py": jets.py, "pz": jets.pz, "E": jets.energy}, with_name="Momentum4D")
    sequence = _anti_kt(momenta, radius)
    fat, parts = sequence.inclusive_jets(0.0), sequence.constituents(0.0)
    kept = parts[np.hypot(parts.px, parts.py) >= trimming * np.hypot(fat.px, fat.py)]
    trimmed = {axis: ak.sum(kept[axis], axis=-1) for axis in ("px", "py", "pz", "E")}
    records = _records(ak.zip(trimmed, with_name="Momentum4D"))
    return records[records.pt > least]


def _anti_kt(momenta: Any, radius: float) -> Any:
    import fastjet

    fastjet._swig.ClusterSequence.set_fastjet_banner_stream(None)  # else it is printed to stdout
    return fastjet.ClusterSequence(momenta, fastjet.JetDefinition(fastjet.antikt_algorithm, radius))


def _records(momenta: Any) -> Any:
    """Return momenta as records with pt, eta and phi, by falling pT."""
    pt = np.sqrt(momenta.px**2 + momenta.py**2)
    records = ak.zip(
        {
            "pt": pt,
            "eta": np.arcsinh(momenta.pz / pt),
            "phi": np.arctan2(momenta.py, momenta.px),
            "px": momenta.px,
            "py": momenta.py,
            "pz": momenta.pz,
            "energy": momenta.E,
        }
    )
    return records[ak.argsort(records.pt, ascending=False, stable=True)]


def flavours(chunk: Chunk, jets: Any) -> Any:
    """Return the heaviest flavour of the hadrons in each jet: BOTTOM, CHARM or LIGHT."""
    kinds = np.abs(chunk.ids)
    ordinary = (kinds > 100) & (kinds < 1_000_000)
    digits = [(kinds // 100) % 10, (kinds // 1000) % 10]
    pt2 = chunk.px * chunk.px + chunk.py * chunk.py
    heavy = np.maximum(*digits)
    (rows,) = np.nonzero(ordinary & (heavy >= CHARM) & (heavy <= BOTTOM) & (pt2 > MATCH["pt"] ** 2))
    pt = np.sqrt(pt2[rows])
    counts = ak.to_numpy(ak.num(jets))
    events = np.repeat(np.arange(len(chunk)), counts)
    first = np.searchsorted(rows, chunk.offsets)
    heaviest = np.zeros(len(events), np.int64)
    _match(
        ak.to_numpy(ak.flatten(jets.eta)),
        ak.to_numpy(ak.flatten(jets.phi)),
        first[events],
        first[events + 1],
        np.arcsinh(chunk.pz[rows] / pt),
        np.arctan2(chunk.py[rows], chunk.px[rows]),
        heavy[rows],
        heaviest,
    )
    return ak.unflatten(heaviest, counts)


@kernel
def _match(
    eta: np.ndarray,
    phi: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    hadron_eta: np.ndarray,
    hadron_phi: np.ndarray,
    heavy: np.ndarray,
    heaviest: np.ndarray,
) -> None:
    for jet in range(eta.size):
        for i in range(first[jet], last[jet]):
            d_phi = apart(phi[jet], hadron_phi[i])
            d_eta = eta[jet] - hadron_eta[i]
            if d_eta * d_eta + d_phi * d_phi < MATCH_CONE * MATCH_CONE:
                heaviest[jet] = max(heaviest[jet], heavy[i])

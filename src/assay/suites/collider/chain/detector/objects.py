"""Reconstruction of photons, leptons and tracks, and the class that holds all objects of an event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, delta_r, uniforms_like
from assay.suites.collider.chain.detector import cones, jets, performance
from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.detector.particles import (
    CHARGED,
    ELECTRON,
    MUON,
    PHOTON,
    UNSEEN,
    V0,
    Apparatus,
    Measured,
)
from assay.suites.collider.chain.generation import Chunk

TRACKER: float = parameters.value("detector", "tracker")


@dataclass(frozen=True)
class Event:
    """The objects of a chunk.

    Objects are awkward arrays of records, one list per event, by falling pT. `ptmiss` (GeV) and `phimiss`
    have one number per event.

    Attributes:
        chunk: the generated particles.
        measured: the measured particles.
        photons: records of pt, eta, phi and `identified`.
        leptons: records of pt, eta, phi, px, py, pz, energy, charge, flavour (11 or 13), `isolation` (sum of
            pT in the shrinking cone over pT), `clean` (the same without electrons and muons) and `chance` (a
            uniform random number for efficiencies).
        tracks: records of pt, eta, phi, `lepton`, `charged` (sum of charged pT in the cone, GeV) and
            `isolation` (the same over pT).
        stream: the random numbers for further draws.
        card: the version of the detector.
        clustered: jets of all events; None if they are clustered on demand.
    """

    chunk: Chunk
    measured: Measured
    photons: Any
    leptons: Any
    tracks: Any
    stream: Stream
    card: str = V0
    clustered: Any = None

    def __len__(self) -> int:
        return len(self.chunk)

    @property
    def ptmiss(self) -> np.ndarray:
        return self.measured.ptmiss

    @property
    def phimiss(self) -> np.ndarray:
        return np.asarray(np.arctan2(self.measured.miss_y, self.measured.miss_x))

    def jets(self, wanted: np.ndarray) -> Any:
        """Return the jets of the events in the mask `wanted`, with their flavour; other events have none."""
        if self.clustered is not None:
            return self.clustered[ak.ones_like(self.clustered.pt, dtype=np.bool_) & wanted]
        clustered = jets.cluster(self.measured, wanted)
        return ak.with_field(clustered, jets.flavours(self.chunk, clustered), "flavour")


def reconstruct(chunk: Chunk, stream: Stream, apparatus: Apparatus = detector.CMS) -> Event:
    """Measure a chunk and reconstruct its objects; all random numbers come from children of `stream`."""
    measured = detector.measure(chunk, stream.child("detector").key, apparatus)
    clustered = None
    if apparatus.card != V0:
        measured, clustered = performance.corrected(chunk, measured, stream.child("jets").key)
    return Event(
        chunk=chunk,
        measured=measured,
        photons=_photons(chunk, measured, stream.child("photons")),
        leptons=_leptons(chunk, measured, stream.child("leptons"), apparatus),
        tracks=_tracks(measured),
        stream=stream,
        card=apparatus.card,
        clustered=clustered,
    )


def _photons(chunk: Chunk, measured: Measured, stream: Stream) -> Any:
    """Return isolated photons that were not radiated by hadrons or leptons, with `identified`."""
    near = measured.kind == PHOTON
    near &= (measured.pt > parameters.value("photons", "least")) & (np.abs(measured.eta) < TRACKER)
    (places,) = np.nonzero(near)
    origin = np.abs(chunk.ids[_ancestors(chunk, measured.rows[places])])
    places = places[((origin < 11) | (origin > 16)) & ((origin < 100) | (origin > 1_000_000))]
    radii = np.full(len(places), parameters.value("photons", "cone"))
    around = cones.sums(measured, places, radii, measured.kind != UNSEEN)
    places = places[around < parameters.value("photons", "most in cone") * measured.pt[places]]
    photons = records(measured, places, {})
    chance = uniforms_like(stream.key, photons)
    return ak.with_field(photons, chance < photon_efficiency(photons), "identified")


def photon_efficiency(photons: Any) -> Any:
    """Return the published identification efficiency at each photon's pT and abs(eta)."""
    counts = ak.to_numpy(ak.num(photons))
    flat = ak.flatten(photons)
    table = np.array([*parameters.value("photons", "efficiency"), [0.0] * 4])
    row = np.searchsorted(parameters.value("photons", "eta edges"), np.abs(ak.to_numpy(flat.eta))) - 1
    edges = parameters.value("photons", "et edges")
    column = np.clip(np.searchsorted(edges, ak.to_numpy(flat.pt)) - 1, 0, len(edges) - 1)
    return ak.unflatten(table[np.maximum(row, 0), column], counts)


def _ancestors(chunk: Chunk, rows: np.ndarray) -> np.ndarray:
    """Return for each photon the index in the chunk of its nearest ancestor that is not a photon."""
    starts = chunk.offsets[np.searchsorted(chunk.offsets, rows, side="right") - 1]
    at = rows
    while True:
        before = starts + chunk.mothers[at]
        still = (chunk.ids[at] == 22) & (before < at)
        if not still.any():
            return at
        at = np.where(still, before, at)


def _leptons(chunk: Chunk, measured: Measured, stream: Stream, apparatus: Apparatus) -> Any:
    """Return electrons and muons of any origin; searches separate them by isolation."""
    leptonic = (measured.kind == ELECTRON) | (measured.kind == MUON)
    reach = max(parameters.value("leptons", "widest"), apparatus.value("muon chambers"))
    near = (measured.pt > parameters.value("leptons", "least")) & (np.abs(measured.eta) < reach)
    (places,) = np.nonzero(leptonic & near)
    momenta, radiated = cones.dress(measured, places)
    px, py, pz, energy = momenta
    pt = np.sqrt(px * px + py * py)
    radii = cones.shrinking(pt, parameters.value("leptons", "cone"))
    leptons = records(
        measured,
        places,
        {
            "pt": pt,
            "px": px,
            "py": py,
            "pz": pz,
            "energy": energy,
            "charge": chunk.charge[measured.rows[places]] // 3,
            "flavour": np.abs(chunk.ids[measured.rows[places]]),
            "isolation": cones.sums(measured, places, radii, ~radiated) / pt,
            "clean": cones.sums(measured, places, radii, ~radiated & ~leptonic) / pt,
        },
    )
    return ak.with_field(leptons, uniforms_like(stream.key, leptons), "chance")


def _tracks(measured: Measured) -> Any:
    """Return charged particles that a veto may count, with the charged momentum around them."""
    leptonic = (measured.kind == ELECTRON) | (measured.kind == MUON)
    charged = (measured.kind == CHARGED) | leptonic
    charged &= np.abs(measured.eta) < TRACKER
    least = np.where(
        leptonic, parameters.value("tracks", "least lepton"), parameters.value("tracks", "least hadron")
    )
    (places,) = np.nonzero(charged & (measured.pt > least))
    radii = np.full(len(places), parameters.value("tracks", "cone"))
    around = cones.sums(measured, places, radii, charged)
    more = {"lepton": leptonic[places], "charged": around, "isolation": around / measured.pt[places]}
    return records(measured, places, more)


def records(measured: Measured, places: np.ndarray, more: dict[str, np.ndarray]) -> Any:
    """Return records of the measured particles with these indices, one list per event, by falling pT."""
    events = np.searchsorted(measured.offsets, places, side="right") - 1
    counts = np.bincount(events, minlength=len(measured.miss_x))
    fields = {"pt": measured.pt[places], "eta": measured.eta[places], "phi": measured.phi[places], **more}
    records = ak.unflatten(ak.zip(fields), counts)
    return records[ak.argsort(records.pt, ascending=False, stable=True)]


def away_from(objects: Any, others: Any, radius: float) -> Any:
    """Return the objects without any of `others` within the distance `radius` in (eta, phi)."""
    first, second = ak.unzip(ak.cartesian([objects, others], nested=True))
    return objects[~ak.any(delta_r(first, second) < radius, axis=-1)]


def cleaning_leptons(leptons: Any) -> Any:
    """Return the leptons that remove overlapping jets in searches that do not select leptons."""
    asked = parameters.value("leptons", "cleaning")
    return leptons[(leptons.pt > asked["pt"]) & (leptons.isolation < asked["isolation"])]

"""Second version of the detector: objects brought to the published performance of CMS.

Every particle is measured alone, with perfect tracking and without pile-up, so jets come out several times
too well. Here jets get the rest of the published resolution, the missing momentum follows them, b tagging
falls with abs(eta), and leptons of CMS-SUS-16-034 have its published efficiencies. Nothing is fitted to a
yield.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, delta_r, normals
from assay.suites.collider.chain.detector import jets
from assay.suites.collider.chain.detector.particles import ELECTRON, MUON, PHOTON, V0, Measured
from assay.suites.collider.chain.generation import Chunk

GROUP = "performance"

LEAST_SINGLE, SHARE = 10.0, 0.5
"""A photon or lepton above this pT (GeV) with this share of a jet's pT keeps its own resolution."""


def jet_resolution(pt: Any) -> np.ndarray:
    """Return the published relative resolution of jets, interpolated in the logarithm of pT (GeV)."""
    return _curve("jet resolution", pt)


def added_resolution(pt: Any) -> np.ndarray:
    """Return the relative resolution that jets are given beside that of their particles."""
    whole, given = jet_resolution(pt), _curve("jet resolution of particles", pt)
    return np.asarray(np.sqrt(np.maximum(whole**2 - given**2, 0.0)))


def corrected(chunk: Chunk, measured: Measured, key: int) -> tuple[Measured, Any]:
    """Return the measured particles with the missing momentum corrected, and the jets of all events.

    Args:
        chunk: the generated particles.
        measured: the measured particles.
        key: the key of the random numbers.

    Returns:
        What `measured` becomes, and records of jets with `flavour` and `forward`, the factor on b tagging.
    """
    raw = jets.cluster(measured, np.ones(len(chunk), np.bool_))
    counts = ak.to_numpy(ak.num(raw))
    pt = ak.to_numpy(ak.flatten(raw.pt))
    added = np.where(_single(measured, raw), 0.0, added_resolution(pt))
    factor = np.maximum(1.0 + added * normals(key, counts), 0.0)
    scale = ak.unflatten(factor, counts)
    shift = [np.asarray(ak.to_numpy(ak.sum(raw[axis] * (scale - 1.0), axis=-1))) for axis in ("px", "py")]
    fields = {axis: raw[axis] * scale for axis in ("pt", "px", "py", "pz", "energy")}
    flavour = jets.flavours(chunk, raw)
    eta = np.abs(ak.to_numpy(ak.flatten(raw.eta)))
    table = parameters.value(GROUP, "b tagging by eta")
    place = np.clip(np.searchsorted(table["eta"], eta, side="right") - 1, 0, len(table["factor"]) - 1)
    forward = ak.unflatten(np.array(table["factor"])[place], counts)
    smeared = ak.zip({**fields, "eta": raw.eta, "phi": raw.phi, "flavour": flavour, "forward": forward})
    smeared = smeared[ak.argsort(smeared.pt, ascending=False, stable=True)]
    smeared = smeared[smeared.pt > parameters.value("jets", "least")]
    return replace(measured, miss_x=measured.miss_x - shift[0], miss_y=measured.miss_y - shift[1]), smeared


def _single(measured: Measured, raw: Any) -> np.ndarray:
    """Return a flat mask of the jets that are one photon, electron or muon, and are measured as such."""
    (places,) = np.nonzero(np.isin(measured.kind, (PHOTON, ELECTRON, MUON)) & (measured.pt > LEAST_SINGLE))
    events = np.searchsorted(measured.offsets, places, side="right") - 1
    counts = np.bincount(events, minlength=len(measured.miss_x))
    fields = {name: getattr(measured, name)[places] for name in ("pt", "eta", "phi")}
    jet, particle = ak.unzip(ak.cartesian([raw, ak.unflatten(ak.zip(fields), counts)], nested=True))
    near = (delta_r(jet, particle) < parameters.value("jets", "radius")) & (particle.pt > SHARE * jet.pt)
    return np.asarray(ak.to_numpy(ak.flatten(ak.any(near, axis=-1))))


def lepton_efficiency(leptons: Any, card: str, paper: str) -> Any:
    """Return the efficiency of leptons: the paper's flat numbers in the first version, published maps in
    the second.

    Args:
        leptons: lists of records of pt, eta and flavour.
        card: the version of the detector.
        paper: the group of the paper's parameters.
    """
    electron = leptons.flavour == 11
    if card == V0:
        flat, other = (parameters.value(paper, f"{kind} efficiency") for kind in ("electron", "muon"))
        return other + (flat - other) * electron
    counts = ak.to_numpy(ak.num(leptons))
    pt, eta = (ak.to_numpy(ak.flatten(leptons[name])) for name in ("pt", "eta"))
    maps = (parameters.value(GROUP, "electron map"), parameters.value(GROUP, "muon map"))
    found = [_map(table, pt, np.abs(eta)) for table in maps]
    return ak.unflatten(np.where(ak.to_numpy(ak.flatten(electron)), *found), counts)


def _map(table: Any, pt: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """Return entries of a map; its rows are bins of abs(eta), and its last row and column are open."""
    rows = np.clip(np.searchsorted(table["eta"], eta, side="right") - 1, 0, len(table["efficiency"]) - 1)
    columns = np.clip(np.searchsorted(table["pt"], pt, side="right") - 1, 0, len(table["pt"]) - 1)
    return np.asarray(np.array(table["efficiency"])[rows, columns])


def _curve(name: str, pt: Any) -> np.ndarray:
    given = parameters.value(GROUP, name)
    return np.asarray(np.interp(np.log(pt), np.log(given["pt"]), given["sigma"]))

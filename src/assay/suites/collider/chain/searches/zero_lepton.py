"""Code shared by both ATLAS searches for squarks and gluinos with jets, missing momentum and no lepton."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, between, delta_r
from assay.suites.collider.chain.detector import jets, performance
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.detector.particles import V0
from assay.suites.collider.chain.searches.columns import (
    column,
    count,
    nth,
    smallest,
    total,
)
from assay.suites.collider.chain.searches.kinematics import aplanarity

FAR = 9.0
"""Value of an angle or a pseudorapidity if an event has no such jet."""
NONE = -1.0
"""Value of a mass that is not defined for an event."""

LEAST_MISSING = 200.0
"""Missing momentum (GeV) up to which no jets are clustered; both searches require more."""


def variables_and_jets(event: Event, muon: str, lepton_in_jet: Any) -> tuple[dict[str, np.ndarray], Any]:
    """Return the variables of each event of a chunk, and all its jets that take part in the overlap removal.

    Args:
        event: the objects of the chunk.
        muon: the name of the parameters for cuts on muons.
        lepton_in_jet: maps the pT of leptons to the distance below which they are part of a jet.
    """
    leptons = _leptons(event, muon)
    electrons, muons = leptons[leptons.flavour == 11], leptons[leptons.flavour == 13]
    every = jets.cluster(event.measured, event.ptmiss > LEAST_MISSING, muons=False)
    asked = parameters.value("zero-lepton", "jets")
    least = parameters.value("zero-lepton", "least jet of overlap")
    every = every[(every.pt > least) & (abs(every.eta) < asked["eta"])]
    every = away_from(every, electrons, parameters.value("zero-lepton", "overlap"))
    hard = hard_jets(every)
    alone = [_apart(kind, every, lepton_in_jet) for kind in (electrons, muons)]
    etmiss, ht = event.ptmiss, total(hard.pt)
    pt = {n: column(nth(hard.pt, n - 1), 0.0) for n in (1, 2, 4, 6)}
    eta = {n: column(ak.max(abs(hard[:, :n].eta), axis=-1), FAR) for n in (2, 4)}
    momenta = tuple(ak.to_numpy(ak.flatten(hard[axis])) for axis in ("px", "py", "pz"))
    return {
        "leptons": count(alone[0]) + count(alone[1]),
        "etmiss": etmiss,
        "jets": count(hard),
        **{f"jet_{n}": values for n, values in pt.items()},
        **{f"eta_{n}": np.where(count(hard) >= n, values, FAR) for n, values in eta.items()},
        "angle_3": smallest(between(hard[:, :3].phi, event.phimiss), FAR),
        "angle_more": smallest(between(hard[:, 3:].phi, event.phimiss), FAR),
        "aplanarity": aplanarity(count(hard).astype(np.int64), *momenta),
        "meff": etmiss + ht,
        "etmiss_significance": np.where(ht > 0, etmiss / np.sqrt(np.where(ht > 0, ht, 1.0)), 0.0),
    }, every


def hard_jets(every: Any) -> Any:
    """Return the jets above the threshold for counting and for m_eff."""
    return every[every.pt > parameters.value("zero-lepton", "jets")["pt"]]


def meff_of(event: Event, hard: Any, jets_counted: int) -> np.ndarray:
    """Return the missing momentum plus the pT of the `jets_counted` leading jets, in GeV."""
    return np.asarray(event.ptmiss + total(hard[:, :jets_counted].pt))


def _leptons(event: Event, muon: str) -> Any:
    leptons = event.leptons
    electron = leptons.flavour == 11
    eta = abs(leptons.eta)
    e, m = (parameters.value("zero-lepton", name) for name in ("electron", muon))
    asked = (electron & (leptons.pt > e["pt"]) & (eta < e["eta"])) | (
        ~electron & (leptons.pt > m["pt"]) & (eta < m["eta"])
    )
    isolated = leptons.isolation < parameters.value("zero-lepton", "isolation")
    efficiency = performance.lepton_efficiency(leptons, V0, "zero-lepton")
    return leptons[asked & isolated & (leptons.chance < efficiency)]


def _apart(leptons: Any, others: Any, lepton_in_jet: Any) -> Any:
    first, second = ak.unzip(ak.cartesian([leptons, others], nested=True))
    return leptons[~ak.any(delta_r(first, second) < lepton_in_jet(first.pt), axis=-1)]

"""CMS-SUS-16-034 (arXiv 1709.08908): two leptons from a Z, jets and missing momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, between, delta_r
from assay.suites.collider.chain.detector import tagging
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.searches import kinematics
from assay.suites.collider.chain.searches.columns import (
    column,
    count,
    invariant_mass,
    lepton_efficiency,
    nth,
    pair_momentum,
    smallest,
    trigger,
)

PAPER = "sus-16-034"
FAR = 9.0
NONE = -1.0
"""Value of a mass that is not defined for an event."""

SAME = 0.01
"""Distance in (eta, phi) within which two objects are taken for the same particle."""


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    leptons = event.leptons
    electron = leptons.flavour == 11
    eta = abs(leptons.eta)
    chosen = leptons[
        (leptons.pt > 20.0)
        & (eta < 2.4)
        & ((eta < 1.4) | (eta > 1.6))
        & (leptons.clean < 0.2 - 0.1 * electron)
        & (leptons.chance < lepton_efficiency(electron, PAPER))
    ]
    pair = chosen[:, :2]
    first, second = nth(chosen, 0), nth(chosen, 1)
    matched = (first.flavour == second.flavour) & (first.charge * second.charge < 0)
    is_pair = column(matched, 0.0)
    together = pair_momentum(first, second)
    mass = invariant_mass(together)
    loose = leptons[(leptons.pt > 10.0) & (eta < 2.5 - 0.1 * ~electron) & (leptons.clean < 0.4)]
    more = away_from(loose, pair, SAME)
    tracks = event.tracks
    isolated = tracks[tracks.isolation < 0.1 + 0.1 * tracks.lepton]
    wanted = (is_pair > 0) & (mass > 80.0) & (mass < 102.0) & (event.ptmiss > 100.0)
    jets = away_from(event.jets(wanted), pair, 0.4)
    jets = tagging.tag(
        jets[(jets.pt > 25.0) & (abs(jets.eta) < 2.4)],
        event.stream.child("tagging"),
        parameters.value(PAPER, "medium light"),
    )
    hard = jets[jets.pt > 35.0]
    return {
        "trigger": trigger(event, PAPER),
        "pair": is_pair,
        "lepton_1": column(first.pt, 0.0),
        "lepton_2": column(second.pt, 0.0),
        "pair_pt": np.hypot(together["px"], together["py"]),
        "pair_mass": mass,
        "pair_apart": column(delta_r(first, second), 0.0),
        "more_leptons": count(more),
        "tracks": count(away_from(isolated, pair, SAME)),
        "jets": count(hard),
        "b_jets": count(jets[jets.tag >= tagging.MEDIUM]),
        "jet_angle": smallest(between(hard[:, :2].phi, event.phimiss), FAR),
        "mt2": _mt2(event, first, second, wanted & (count(hard) >= 2)),
        "jj_mass": _closest_mass(hard),
        "etmiss": event.ptmiss,
    }


def _mt2(event: Event, first: Any, second: Any, wanted: np.ndarray) -> np.ndarray:
    values = np.full(len(event), NONE)
    momenta = [column(lepton[axis], 0.0) for lepton in (first, second) for axis in ("px", "py")]
    for n in np.flatnonzero(wanted):
        ax, ay, bx, by = (float(momentum[n]) for momentum in momenta)
        values[n] = kinematics.mt2(ax, ay, bx, by, event.measured.miss_x[n], event.measured.miss_y[n])
    return values


def _closest_mass(jets: Any) -> np.ndarray:
    """Return the mass (GeV) of the two jets of each event that are closest in azimuth."""
    pairs = ak.combinations(jets, 2, fields=("a", "b"))
    closest = ak.argmin(between(pairs.a.phi, pairs.b.phi), axis=-1, keepdims=True)
    chosen = ak.firsts(pairs[closest])
    together = pair_momentum(chosen.a, chosen.b)
    return np.where(together["energy"] > 0, invariant_mass(together), NONE)

"""CMS-SUS-16-034 (arXiv 1709.08908): two leptons from a Z, jets and missing momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.arrays import ak, between, delta_r
from assay.suites.collider.chain.detector import performance, tagging
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.searches import kinematics
from assay.suites.collider.chain.searches.columns import (
    column,
    count,
    either,
    invariant_mass,
    nth,
    pair_momentum,
    smallest,
    trigger,
)
from assay.suites.collider.chain.searches.regions import selection

PAPER = "sus-16-034"
FAR = 9.0
NONE = -1.0
"""Value of a mass that is not defined for an event."""


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    number = selection("CMS-SUS-16-034").number
    leptons = event.leptons
    electron = leptons.flavour == 11
    eta = abs(leptons.eta)
    gap = number("lepton gap")
    chosen = leptons[
        (leptons.pt > number("lepton pt"))
        & (eta < number("lepton eta"))
        & ((eta < gap[0]) | (eta > gap[1]))
        & (leptons.clean < either(electron, number("electron isolation"), number("muon isolation")))
        & (leptons.chance < performance.lepton_efficiency(leptons, event.card, PAPER))
    ]
    pair = chosen[:, :2]
    first, second = nth(chosen, 0), nth(chosen, 1)
    matched = (first.flavour == second.flavour) & (first.charge * second.charge < 0)
    is_pair = column(matched, 0.0)
    together = pair_momentum(first, second)
    mass = invariant_mass(together)
    loose = leptons[
        (leptons.pt > number("further lepton pt"))
        & (eta < either(electron, number("further electron eta"), number("further muon eta")))
        & (leptons.clean < number("further lepton isolation"))
    ]
    more = away_from(loose, pair, number("same object"))
    tracks = event.tracks
    isolated = tracks[
        tracks.isolation
        < either(tracks.lepton, number("lepton track isolation"), number("hadron track isolation"))
    ]
    lowest, highest = number("computed for pair mass")
    wanted = (is_pair > 0) & (mass > lowest) & (mass < highest)
    wanted &= event.ptmiss > number("computed from missing momentum")
    jets = away_from(event.jets(wanted), pair, number("jet lepton distance"))
    jets = tagging.tag(
        jets[(jets.pt > number("b jet pt")) & (abs(jets.eta) < number("jet eta"))],
        event.stream.child("tagging"),
        parameters.value(PAPER, "medium light"),
    )
    hard = jets[jets.pt > number("jet pt")]
    return {
        "trigger": trigger(event, PAPER),
        "pair": is_pair,
        "lepton_1": column(first.pt, 0.0),
        "lepton_2": column(second.pt, 0.0),
        "pair_pt": np.hypot(together["px"], together["py"]),
        "pair_mass": mass,
        "pair_apart": column(delta_r(first, second), 0.0),
        "more_leptons": count(more),
        "tracks": count(away_from(isolated, pair, number("same object"))),
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

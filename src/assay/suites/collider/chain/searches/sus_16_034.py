"""CMS-SUS-16-034 (arXiv 1709.08908): two leptons from a Z, jets and missing momentum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.suites.collider.chain import chances, parameters
from assay.suites.collider.chain.angles import between, delta_r
from assay.suites.collider.chain.detector import tagging
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.searches import kinematics
from assay.suites.collider.chain.searches.columns import column, count, nth, smallest
from assay.suites.collider.chain.searches.regions import Cut, Region

FAR = 9.0
NONE = -1.0
"""What stands for a mass that an event does not have."""

SAME = 0.01
"""A track and a lepton within this distance are one."""

VARIABLES: Mapping[str, str] = {
    "trigger": "1 where the trigger took the event",
    "pair": "1 where the two leading leptons are of one flavour and opposite charge",
    "lepton_1": "pT of the leading lepton, GeV",
    "lepton_2": "pT of the second lepton, GeV",
    "pair_pt": "pT of the pair, GeV",
    "pair_mass": "mass of the pair, GeV",
    "pair_apart": "distance of the two leptons",
    "more_leptons": "further leptons",
    "tracks": "isolated tracks beside the two leptons",
    "jets": "jets above 35 GeV",
    "b_jets": "b-tagged jets above 25 GeV",
    "jet_angle": "least angle of the missing momentum and the two leading jets",
    "mt2": "M_T2 of the leptons, GeV; -1 where not needed",
    "jj_mass": "mass of the two jets that are closest in azimuth, GeV; -1 where there are none",
    "etmiss": "missing momentum, GeV",
}

_BASELINE = (
    Cut("two leptons of opposite charge and one flavour", "pair", 1.0),
    Cut("leading lepton above 25 GeV", "lepton_1", 25.0),
    Cut("second lepton above 20 GeV", "lepton_2", 20.0),
    Cut("trigger", "trigger", 1.0),
    Cut("pT of the pair above 25 GeV", "pair_pt", 25.0),
    Cut("leptons apart", "pair_apart", 0.1),
    Cut("mass of the pair from 86 to 96 GeV", "pair_mass", 86.0, 96.0),
    Cut("missing momentum above 100 GeV", "etmiss", 100.0),
    Cut("no further lepton", "more_leptons", 0.0, 1.0),
    Cut("no isolated track", "tracks", 0.0, 1.0),
    Cut("two jets", "jets", 2.0),
    Cut("missing momentum away from the leading jets", "jet_angle", 0.4),
)

REGIONS: Mapping[str, Region] = {
    "VZ": Region(
        "etmiss",
        (
            *_BASELINE,
            Cut("no b jet", "b_jets", 0.0, 1.0),
            Cut("M_T2 above 80 GeV", "mt2", 80.0),
            Cut("mass of the two jets below 110 GeV", "jj_mass", 0.0, 110.0),
        ),
    )
}


def variables(event: Event) -> dict[str, np.ndarray]:
    """The variables of each event of a chunk."""
    leptons = event.leptons
    electron = leptons.flavour == 11
    efficiency = _choose(electron, "electron efficiency", "muon efficiency")
    eta = abs(leptons.eta)
    chosen = leptons[
        (leptons.pt > 20.0)
        & (eta < 2.4)
        & ((eta < 1.4) | (eta > 1.6))
        & (leptons.clean < 0.2 - 0.1 * electron)
        & (leptons.chance < efficiency)
    ]
    pair = chosen[:, :2]
    first, second = nth(chosen, 0), nth(chosen, 1)
    matched = (first.flavour == second.flavour) & (first.charge * second.charge < 0)
    is_pair = column(matched, 0.0)
    together = {axis: column(first[axis] + second[axis], 0.0) for axis in ("px", "py", "pz", "energy")}
    mass = _mass(together)
    loose = leptons[(leptons.pt > 10.0) & (eta < 2.5 - 0.1 * ~electron) & (leptons.clean < 0.4)]
    more = away_from(loose, pair, SAME)
    tracks = event.tracks
    isolated = tracks[tracks.isolation < 0.1 + 0.1 * tracks.lepton]
    wanted = (is_pair > 0) & (mass > 80.0) & (mass < 102.0) & (event.ptmiss > 100.0)
    jets = away_from(event.jets(wanted), pair, 0.4)
    jets = tagging.tag(
        jets[(jets.pt > 25.0) & (abs(jets.eta) < 2.4)],
        event.stream.child("tagging"),
        parameters.value("sus-16-034", "medium light"),
    )
    hard = jets[jets.pt > 35.0]
    chance = chances.per_event(event.stream.child("trigger").key, len(event))
    return {
        "trigger": (chance < parameters.value("sus-16-034", "trigger")).astype(float),
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


def _choose(electron: Any, of_electrons: str, of_muons: str) -> Any:
    """One parameter for electrons and another for muons."""
    a, b = (parameters.value("sus-16-034", name) for name in (of_electrons, of_muons))
    return b + (a - b) * electron


def _mt2(event: Event, first: Any, second: Any, wanted: np.ndarray) -> np.ndarray:
    """M_T2 of the two leptons where it is wanted."""
    found = np.full(len(event), NONE)
    momenta = [column(lepton[axis], 0.0) for lepton in (first, second) for axis in ("px", "py")]
    for n in np.flatnonzero(wanted):
        ax, ay, bx, by = (float(momentum[n]) for momentum in momenta)
        found[n] = kinematics.mt2(ax, ay, bx, by, event.measured.miss_x[n], event.measured.miss_y[n])
    return found


def _closest_mass(jets: Any) -> np.ndarray:
    """The mass of the two jets of each event that are closest in azimuth."""
    import awkward as ak

    pairs = ak.combinations(jets, 2, fields=("a", "b"))
    closest = ak.argmin(between(pairs.a.phi, pairs.b.phi), axis=-1, keepdims=True)
    chosen = ak.firsts(pairs[closest])
    together = {axis: column(chosen.a[axis] + chosen.b[axis], 0.0) for axis in ("px", "py", "pz", "energy")}
    return np.where(together["energy"] > 0, _mass(together), NONE)


def _mass(momentum: Mapping[str, np.ndarray]) -> np.ndarray:
    squared = momentum["energy"] ** 2 - momentum["px"] ** 2 - momentum["py"] ** 2 - momentum["pz"] ** 2
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)))

"""CMS-SUS-16-051 (arXiv 1706.04402): one lepton, b jets and missing momentum from pairs of stops."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.suites.collider.chain.arrays import ak, between, delta_r
from assay.suites.collider.chain.detector import performance, tagging
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.detector.particles import V0
from assay.suites.collider.chain.searches import kinematics
from assay.suites.collider.chain.searches.columns import (
    column,
    count,
    invariant_mass,
    leading,
    pair_momentum,
    smallest,
    trigger,
)
from assay.suites.collider.chain.searches.kinematics import transverse_mass
from assay.suites.collider.chain.searches.regions import selection

PAPER = "sus-16-051"
NONE = -99.0
"""Value of a quantity that is not defined for an event, or is not needed by any cut."""


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    number = selection("CMS-SUS-16-051").number
    leptons = event.leptons
    electron = leptons.flavour == 11
    eta = abs(leptons.eta)
    good = (eta < number("lepton eta")) & (leptons.isolation < number("lepton isolation"))
    isolated = leptons[good]
    good = good & (leptons.pt > number("lepton pt")) & (~electron | (eta < number("electron eta")))
    chosen = leptons[good & (leptons.chance < performance.lepton_efficiency(leptons, V0, PAPER))]
    lead = leading(chosen)
    tracks = event.tracks
    lone = tracks[
        (tracks.pt > number("track pt"))
        & (abs(tracks.eta) < number("track eta"))
        & (tracks.charged < number("track isolation") * tracks.pt)
        & (tracks.charged < number("track isolation sum"))
    ]
    lepton_pt, lepton_phi = column(lead.pt, 0.0), column(lead.phi, 0.0)
    mt = transverse_mass(lepton_pt, lepton_phi, event.ptmiss, event.phimiss)
    leading_lepton = chosen[:, :1]
    wanted = (count(chosen) == 1) & (event.ptmiss > number("computed from missing momentum"))
    wanted &= mt > number("computed from transverse mass")
    jets = away_from(event.jets(wanted), leading_lepton, number("jet lepton distance"))
    jets = jets[(jets.pt > number("jet pt")) & (abs(jets.eta) < number("jet eta"))]
    jets = tagging.tag(jets, event.stream.child("tagging"))
    tagged = jets[jets.tag >= tagging.MEDIUM]
    same = number("same object")
    for_t_mod = wanted & (count(jets) >= number("computed from jets")) & (count(tagged) >= 1)
    return {
        "trigger": trigger(event, PAPER),
        "leptons": count(chosen),
        "lepton_pt": lepton_pt,
        "veto_leptons": count(away_from(isolated, leading_lepton, same)),
        "veto_tracks": count(away_from(lone, leading_lepton, same)),
        "mt": mt,
        "jets": count(jets),
        "b_jets": count(tagged),
        "jet_angle": smallest(between(jets[:, :2].phi, event.phimiss), 0.0),
        "leading_tagged": column(leading(jets).tag >= tagging.MEDIUM, 0.0),
        "lepton_angle": between(lepton_phi, event.phimiss),
        "m_lb": _m_lb(lead, tagged),
        "t_mod": _t_mod(event, lead, jets, for_t_mod, number("b candidates of t_mod")),
        "etmiss": event.ptmiss,
    }


def _m_lb(lepton: Any, tagged: Any) -> np.ndarray:
    """Return the mass (GeV) of the lepton and the closest b-tagged jet."""
    closest = ak.firsts(tagged[ak.argmin(delta_r(tagged, lepton), axis=-1, keepdims=True)])
    together = pair_momentum(closest, lepton)
    return np.where(together["energy"] > 0, invariant_mass(together), NONE)


def _t_mod(event: Event, lepton: Any, jets: Any, wanted: np.ndarray, most: int) -> np.ndarray:
    """Return the smallest t_mod over the `most` candidate b jets, for the events in the mask `wanted`."""
    order = ak.argsort(jets.discriminator, ascending=False, stable=True)
    candidates = jets[order][:, :most]
    least = np.full(len(event), NONE)
    lx, ly = column(lepton.px, 0.0), column(lepton.py, 0.0)
    for n in np.flatnonzero(wanted):
        miss_x, miss_y = event.measured.miss_x[n], event.measured.miss_y[n]
        values = []
        for jet in ak.to_list(candidates[n]):
            mass2 = jet["energy"] ** 2 - jet["px"] ** 2 - jet["py"] ** 2 - jet["pz"] ** 2
            mass = max(mass2, 0.0) ** 0.5
            values.append(kinematics.t_mod(lx[n], ly[n], jet["px"], jet["py"], mass, miss_x, miss_y))
        least[n] = min(values)
    return least

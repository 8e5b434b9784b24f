"""CMS-SUS-16-046 (arXiv 1711.08008): one photon and missing momentum."""

from __future__ import annotations

import numpy as np

from assay.suites.collider.chain.arrays import between, delta_r
from assay.suites.collider.chain.detector.objects import Event, away_from, cleaning_leptons
from assay.suites.collider.chain.searches.columns import column, leading, smallest, total, trigger
from assay.suites.collider.chain.searches.kinematics import transverse_mass
from assay.suites.collider.chain.searches.regions import selection

FAR = 9.0
"""Distance or angle of an event without a jet; every cut on it is passed."""


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    number = selection("CMS-SUS-16-046").number
    photons = event.photons[event.photons.identified]
    lead = leading(photons[abs(photons.eta) < number("barrel")])
    photon_pt = column(lead.pt, 0.0)
    wanted = photon_pt >= number("computed from photon pt")
    wanted &= event.ptmiss >= number("computed from missing momentum")
    jets = event.jets(wanted)
    jets = jets[(jets.pt > number("jet pt")) & (abs(jets.eta) < number("jet eta"))]
    jets = away_from(jets, photons, number("jet photon distance"))
    jets = away_from(jets, cleaning_leptons(event.leptons), number("jet lepton distance"))
    hard = jets[jets.pt > number("hard jet pt")]
    return {
        "trigger": trigger(event, "sus-16-046"),
        "photon_pt": photon_pt,
        "photon_jet": smallest(delta_r(jets, lead), FAR),
        "jet_angle": smallest(between(hard.phi, event.phimiss), FAR),
        "ptmiss": event.ptmiss,
        "mt": transverse_mass(photon_pt, column(lead.phi, 0.0), event.ptmiss, event.phimiss),
        "stgamma": event.ptmiss + total(photons.pt),
    }

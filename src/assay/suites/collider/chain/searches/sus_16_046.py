"""CMS-SUS-16-046 (arXiv 1711.08008): one photon and missing momentum."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.suites.collider.chain import chances, parameters
from assay.suites.collider.chain.angles import between, delta_r
from assay.suites.collider.chain.detector.objects import Event, away_from, cleaning_leptons
from assay.suites.collider.chain.searches.columns import column, leading, smallest, total
from assay.suites.collider.chain.searches.kinematics import transverse_mass
from assay.suites.collider.chain.searches.regions import Cut, Region

BARREL = 1.4442
FAR = 9.0
"""A distance that no cut asks for: there is no jet."""

VARIABLES: Mapping[str, str] = {
    "trigger": "1 where the trigger took the event",
    "photon_pt": "pT of the leading photon of the barrel, GeV",
    "photon_jet": "its distance to the nearest jet",
    "jet_angle": "least angle of the missing momentum and a jet above 100 GeV",
    "ptmiss": "missing momentum, GeV",
    "mt": "transverse mass of the photon and the missing momentum, GeV",
    "stgamma": "missing momentum and the pT of all photons, GeV",
}

REGIONS: Mapping[str, Region] = {
    "signal": Region(
        "stgamma",
        (
            Cut("photon above 180 GeV in the barrel", "photon_pt", 180.0),
            Cut("trigger", "trigger", 1.0),
            Cut("missing momentum above 300 GeV", "ptmiss", 300.0),
            Cut("transverse mass above 300 GeV", "mt", 300.0),
            Cut("no jet within 0.5 of the photon", "photon_jet", 0.5),
            Cut("missing momentum away from jets", "jet_angle", 0.3),
            Cut("S_T(gamma) above 600 GeV", "stgamma", 600.0),
        ),
    )
}


def variables(event: Event) -> dict[str, np.ndarray]:
    """The variables of each event of a chunk."""
    photons = event.photons[event.photons.identified]
    lead = leading(photons[abs(photons.eta) < BARREL])
    photon_pt = column(lead.pt, 0.0)
    wanted = (photon_pt >= 150.0) & (event.ptmiss >= 100.0)
    jets = event.jets(wanted)
    jets = jets[(jets.pt > 30.0) & (abs(jets.eta) < 3.0)]
    jets = away_from(away_from(jets, photons, 0.4), cleaning_leptons(event.leptons), 0.4)
    hard = jets[jets.pt > 100.0]
    chance = chances.per_event(event.stream.child("trigger").key, len(event))
    return {
        "trigger": (chance < parameters.value("sus-16-046", "trigger")).astype(float),
        "photon_pt": photon_pt,
        "photon_jet": smallest(delta_r(jets, lead), FAR),
        "jet_angle": smallest(between(hard.phi, event.phimiss), FAR),
        "ptmiss": event.ptmiss,
        "mt": transverse_mass(photon_pt, column(lead.phi, 0.0), event.ptmiss, event.phimiss),
        "stgamma": event.ptmiss + total(photons.pt),
    }

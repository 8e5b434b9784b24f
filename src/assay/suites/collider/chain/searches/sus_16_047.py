"""CMS-SUS-16-047 (arXiv 1707.06193): one photon, jets and missing momentum."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.suites.collider.chain import chances, parameters
from assay.suites.collider.chain.angles import between
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.searches.columns import column, leading, total
from assay.suites.collider.chain.searches.regions import Cut, Region

BARREL = 1.4442

VARIABLES: Mapping[str, str] = {
    "trigger": "1 where the trigger took the event",
    "photon_pt": "pT of the leading photon of the barrel, GeV",
    "photon_angle": "angle of that photon and the missing momentum",
    "htgamma": "scalar sum of the pT of jets and of that photon, GeV",
    "ptmiss": "missing momentum, GeV",
}

_SELECTION = (
    Cut("photon above 100 GeV in the barrel", "photon_pt", 100.0),
    Cut("trigger", "trigger", 1.0),
    Cut("photon neither along nor against the missing momentum", "photon_angle", 0.3, np.pi - 0.3),
)

REGIONS: Mapping[str, Region] = {
    "high": Region("ptmiss", (*_SELECTION, Cut("H_T(gamma) from 2000 GeV", "htgamma", 2000.0))),
    "low": Region("ptmiss", (*_SELECTION, Cut("H_T(gamma) from 700 to 2000 GeV", "htgamma", 700.0, 2000.0))),
}


def variables(event: Event) -> dict[str, np.ndarray]:
    """The variables of each event of a chunk."""
    photons = event.photons[event.photons.identified]
    lead = leading(photons[abs(photons.eta) < BARREL])
    photon_pt = column(lead.pt, 0.0)
    jets = event.jets(photon_pt >= 100.0)
    jets = jets[(jets.pt > 30.0) & (abs(jets.eta) < 3.0)]
    jets = away_from(jets, photons[abs(photons.eta) < BARREL][:, :1], 0.4)
    chance = chances.per_event(event.stream.child("trigger").key, len(event))
    return {
        "trigger": (chance < parameters.value("sus-16-047", "trigger")).astype(float),
        "photon_pt": photon_pt,
        "photon_angle": between(column(lead.phi, 0.0), event.phimiss),
        "htgamma": photon_pt + total(jets.pt),
        "ptmiss": event.ptmiss,
    }

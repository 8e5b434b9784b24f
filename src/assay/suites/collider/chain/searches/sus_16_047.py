"""CMS-SUS-16-047 (arXiv 1707.06193): one photon, jets and missing momentum."""

from __future__ import annotations

import numpy as np

from assay.suites.collider.chain.arrays import between
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.searches.columns import column, leading, total, trigger
from assay.suites.collider.chain.searches.regions import selection


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    number = selection("CMS-SUS-16-047").number
    photons = event.photons[event.photons.identified]
    barrel = photons[abs(photons.eta) < number("barrel")]
    lead = leading(barrel)
    photon_pt = column(lead.pt, 0.0)
    jets = event.jets(photon_pt >= number("photon pt"))
    jets = jets[(jets.pt > number("jet pt")) & (abs(jets.eta) < number("jet eta"))]
    jets = away_from(jets, barrel[:, :1], number("jet photon distance"))
    return {
        "trigger": trigger(event, "sus-16-047"),
        "photon_pt": photon_pt,
        "photon_angle": between(column(lead.phi, 0.0), event.phimiss),
        "htgamma": photon_pt + total(jets.pt),
        "ptmiss": event.ptmiss,
    }

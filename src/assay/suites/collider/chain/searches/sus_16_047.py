"""CMS-SUS-16-047 (arXiv 1707.06193): one photon, jets and missing momentum."""

from __future__ import annotations

import numpy as np

from assay.suites.collider.chain.arrays import between
from assay.suites.collider.chain.detector.objects import Event, away_from
from assay.suites.collider.chain.searches.columns import column, leading, total, trigger

BARREL = 1.4442


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    photons = event.photons[event.photons.identified]
    lead = leading(photons[abs(photons.eta) < BARREL])
    photon_pt = column(lead.pt, 0.0)
    jets = event.jets(photon_pt >= 100.0)
    jets = jets[(jets.pt > 30.0) & (abs(jets.eta) < 3.0)]
    jets = away_from(jets, photons[abs(photons.eta) < BARREL][:, :1], 0.4)
    return {
        "trigger": trigger(event, "sus-16-047"),
        "photon_pt": photon_pt,
        "photon_angle": between(column(lead.phi, 0.0), event.phimiss),
        "htgamma": photon_pt + total(jets.pt),
        "ptmiss": event.ptmiss,
    }

"""ATLAS-SUSY-2018-22 (arXiv 2010.14293): no lepton, jets and missing momentum, 139/fb, in many bins."""

from __future__ import annotations

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.detector.objects import Event
from assay.suites.collider.chain.searches import zero_lepton
from assay.suites.collider.chain.searches.regions import selection

FURTHEST_IN_JET = 0.4


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    within = parameters.value("zero-lepton", "lepton in jet of 2018")
    common, _ = zero_lepton.variables_and_jets(
        event,
        "muon of 2018",
        lambda pt: np.minimum(FURTHEST_IN_JET, within["constant"] + within["scale"] / pt),
    )
    return {**common, "ssd": selection("ATLAS-SUSY-2018-22").derive("ssd", common)}

"""ATLAS-SUSY-2018-22 (arXiv 2010.14293): no lepton, jets and missing momentum, 139/fb, in many bins.

A region here is all bins of a selection of the paper together: MB-SSd, MB-GGd or MB-C. The cuts are those of
CheckMATE 2 but for two, which a reader of the paper reported to differ from its table: the angle to further
jets of MB-GGd, and which jets the bins of MB-SSd with four or more jets look at.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.detector.objects import Event
from assay.suites.collider.chain.searches import zero_lepton
from assay.suites.collider.chain.searches.regions import Cut, Region
from assay.suites.collider.chain.searches.zero_lepton import angles

APPARATUS = detector.ATLAS

VARIABLES: Mapping[str, str] = {
    **zero_lepton.VARIABLES,
    "ssd": "1 where the two leading jets are those of a bin of MB-SSd",
}

FURTHEST_IN_JET = 0.4

_PRESELECTION = zero_lepton.preselection(300.0)

_SSD = (
    *_PRESELECTION,
    Cut("jets of a bin", "ssd", 1.0),
    *angles(0.8, 0.4),
    Cut("m_eff above 1000 GeV", "meff", 1000.0),
    Cut("missing momentum over root of H_T above 10", "etmiss_significance", 10.0),
)
_GGD = (
    *_PRESELECTION,
    Cut("four jets above 100 GeV", "jet_4", 100.0),
    Cut("four leading jets central", "eta_4", 0.0, 2.0),
    *angles(0.4, 0.4),
    Cut("aplanarity above 0.04", "aplanarity", 0.04),
    Cut("m_eff above 1000 GeV", "meff", 1000.0),
    Cut("missing momentum over root of H_T above 10", "etmiss_significance", 10.0),
)
_C = (
    *_PRESELECTION,
    Cut("leading jet above 600 GeV", "jet_1", 600.0),
    *angles(0.4, 0.2),
    Cut("m_eff above 1600 GeV", "meff", 1600.0),
    Cut("missing momentum over root of H_T above 16", "etmiss_significance", 16.0),
)

REGIONS: Mapping[str, Region] = {
    f"{name}, {told}": Region(observable, cuts)
    for name, cuts in (("MB-SSd", _SSD), ("MB-GGd", _GGD), ("MB-C", _C))
    for told, observable in (("m_eff", "meff"), ("significance", "etmiss_significance"))
}


def variables(event: Event) -> dict[str, np.ndarray]:
    """The variables of each event of a chunk."""
    within = parameters.value("zero-lepton", "lepton in jet of 2018")
    found, _ = zero_lepton.found(
        event,
        "muon of 2018",
        lambda pt: np.minimum(FURTHEST_IN_JET, within["constant"] + within["scale"] / pt),
    )
    return {**found, "ssd": _ssd(found).astype(float)}


def _ssd(found: Mapping[str, np.ndarray]) -> np.ndarray:
    """Whether the two leading jets are those of a bin of MB-SSd.

    The smallest number of jets of MB-SSd is two, so its conditions on pT and abs(eta) concern two jets in
    every bin. Bins of two and three jets ask for 250 GeV, bins of four or more for a second jet of 100 GeV.
    Above an m_eff of 3400 GeV the bins of large missing momentum are not split by the number of jets, and ask
    for 250 GeV.
    """
    split = (found["meff"] < 3400.0) | (found["etmiss_significance"] < 22.0)
    many = (found["jets"] >= 4) & split
    hard = (found["jet_1"] > 250.0) & (found["jet_2"] > 250.0)
    return np.asarray((found["eta_2"] < 2.0) & np.where(many, found["jet_2"] > 100.0, hard))

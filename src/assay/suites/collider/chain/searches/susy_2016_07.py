"""ATLAS-SUSY-2016-07 (arXiv 1712.02332): no lepton, two to six jets and missing momentum, 36/fb.

A histogram of m_eff leaves the cut on m_eff out, as its bins begin below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.detector import jets
from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.detector.objects import Event
from assay.suites.collider.chain.searches import zero_lepton
from assay.suites.collider.chain.searches.columns import column, nth
from assay.suites.collider.chain.searches.regions import Cut, Region
from assay.suites.collider.chain.searches.zero_lepton import NONE, angles

APPARATUS = detector.ATLAS

VARIABLES: Mapping[str, str] = {
    **zero_lepton.VARIABLES,
    "etmiss_meff_4": "missing momentum over m_eff of four jets",
    "etmiss_meff_6": "missing momentum over m_eff of six jets",
    "fat_1": "mass of the leading fat jet above 200 GeV, GeV; -1 where there is none",
    "fat_2": "mass of the second, GeV; -1 where there is none",
}

_PRESELECTION = zero_lepton.preselection(250.0)

REGIONS: Mapping[str, Region] = {
    "2j-2800": Region(
        "meff",
        (
            *_PRESELECTION,
            Cut("leading jet above 350 GeV", "jet_1", 350.0),
            Cut("second jet above 350 GeV", "jet_2", 350.0),
            Cut("two leading jets central", "eta_2", 0.0, 1.2),
            *angles(0.8, 0.4),
            Cut("missing momentum over root of H_T above 18", "etmiss_significance", 18.0),
        ),
    ),
    "4j-2200": Region(
        "meff",
        (
            *_PRESELECTION,
            Cut("four jets above 100 GeV", "jet_4", 100.0),
            Cut("four leading jets central", "eta_4", 0.0, 2.0),
            *angles(0.4, 0.4),
            Cut("missing momentum over m_eff(4) above 0.25", "etmiss_meff_4", 0.25),
            Cut("aplanarity above 0.04", "aplanarity", 0.04),
        ),
    ),
    "6j-2600": Region(
        "meff",
        (
            *_PRESELECTION,
            Cut("six jets above 100 GeV", "jet_6", 100.0),
            *angles(0.4, 0.2),
            Cut("missing momentum over m_eff(6) above 0.15", "etmiss_meff_6", 0.15),
            Cut("aplanarity above 0.08", "aplanarity", 0.08),
        ),
    ),
    "2jB-2400": Region(
        "meff",
        (
            *_PRESELECTION,
            Cut("m_eff above 800 GeV", "meff", 800.0),
            Cut("leading fat jet like a boson", "fat_1", 60.0, 110.0),
            Cut("second fat jet like a boson", "fat_2", 60.0, 110.0),
            *angles(0.6, 0.4),
            Cut("missing momentum over root of H_T above 20", "etmiss_significance", 20.0),
        ),
    ),
}


def variables(event: Event) -> dict[str, np.ndarray]:
    """The variables of each event of a chunk."""
    within = parameters.value("zero-lepton", "lepton in jet")
    found, every = zero_lepton.found(event, "muon", lambda pt: within)
    fat = _fat(every)
    hard = zero_lepton.hard_jets(every)
    ratio = {n: event.ptmiss / zero_lepton.meff_of(event, hard, n) for n in (4, 6)}
    return {
        **found,
        **{f"etmiss_meff_{n}": values for n, values in ratio.items()},
        **{f"fat_{n + 1}": column(nth(fat, n), NONE) for n in (0, 1)},
    }


def _fat(every: Any) -> Any:
    """Masses of the fat jets of each event, by falling pT. They are made of softer jets than m_eff is."""
    asked = parameters.value("zero-lepton", "fat jets")
    trimming = parameters.value("zero-lepton", "trimming")
    parts = every[every.pt > parameters.value("zero-lepton", "least part of fat jets")]
    fat = jets.recluster(parts, asked["radius"], asked["pt"], trimming)
    return np.sqrt(np.maximum(fat.energy**2 - fat.px**2 - fat.py**2 - fat.pz**2, 0.0))

"""ATLAS-SUSY-2016-07 (arXiv 1712.02332): no lepton, two to six jets and missing momentum, 36/fb."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.detector import jets
from assay.suites.collider.chain.detector.objects import Event
from assay.suites.collider.chain.searches import zero_lepton
from assay.suites.collider.chain.searches.columns import column, nth
from assay.suites.collider.chain.searches.zero_lepton import NONE


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    within = parameters.value("zero-lepton", "lepton in jet")
    common, every = zero_lepton.variables_and_jets(event, "muon", lambda pt: within)
    fat = _fat(every)
    hard = zero_lepton.hard_jets(every)
    ratio = {n: event.ptmiss / zero_lepton.meff_of(event, hard, n) for n in (4, 6)}
    return {
        **common,
        **{f"etmiss_meff_{n}": values for n, values in ratio.items()},
        **{f"fat_{n + 1}": column(nth(fat, n), NONE) for n in (0, 1)},
    }


def _fat(every: Any) -> Any:
    """Return the masses (GeV) of the fat jets of each event, by falling pT.

    The jets that they are made of have a lower threshold than those of m_eff.
    """
    asked = parameters.value("zero-lepton", "fat jets")
    trimming = parameters.value("zero-lepton", "trimming")
    parts = every[every.pt > parameters.value("zero-lepton", "least part of fat jets")]
    fat = jets.recluster(parts, asked["radius"], asked["pt"], trimming)
    return np.sqrt(np.maximum(fat.energy**2 - fat.px**2 - fat.py**2 - fat.pz**2, 0.0))

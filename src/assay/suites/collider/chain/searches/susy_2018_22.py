"""ATLAS-SUSY-2018-22 (arXiv 2010.14293): no lepton, jets and missing momentum, 139/fb, in many bins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.suites.collider.chain import parameters
from assay.suites.collider.chain.detector.objects import Event
from assay.suites.collider.chain.searches import zero_lepton

FURTHEST_IN_JET = 0.4


def variables(event: Event) -> dict[str, np.ndarray]:
    """Return the variables of each event of a chunk."""
    within = parameters.value("zero-lepton", "lepton in jet of 2018")
    common, _ = zero_lepton.variables_and_jets(
        event,
        "muon of 2018",
        lambda pt: np.minimum(FURTHEST_IN_JET, within["constant"] + within["scale"] / pt),
    )
    return {**common, "ssd": _ssd(common).astype(float)}


def _ssd(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return whether the two leading jets satisfy the conditions of a bin of the region MB-SSd.

    Bins of MB-SSd have two jets or more, so its conditions on pT and abs(eta) concern two jets in every bin.
    Bins of two and three jets require 250 GeV for both, bins of four or more only 100 GeV for the second.
    Above an m_eff of 3400 GeV, bins of large missing-momentum significance are not split by the number of
    jets, and require 250 GeV.
    """
    split = (columns["meff"] < 3400.0) | (columns["etmiss_significance"] < 22.0)
    many = (columns["jets"] >= 4) & split
    hard = (columns["jet_1"] > 250.0) & (columns["jet_2"] > 250.0)
    return np.asarray((columns["eta_2"] < 2.0) & np.where(many, columns["jet_2"] > 100.0, hard))

"""Registry of the suite's checks, with the functions that make their comparisons; `validation` runs them."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import CheckSpec

CHAIN = "chain-"
"""Prefix of the names of the checks that need the programs of the physics chain."""

KEPT = "kept-samples"
"""Name of the check that needs these programs and is part of `all`."""

CHECKS: Mapping[str, CheckSpec] = {
    "floors": CheckSpec(
        "assay.suites.collider.validation:floors",
        "published errors of the references give the floors of d that the benchmark's users must know",
    ),
    "binning": CheckSpec(
        "assay.suites.collider.validation:binning",
        "the high-HT references are the last bins of their earlier revision, and not its first",
    ),
    "mock-closure": CheckSpec(
        "assay.suites.collider.validation:mock_closure",
        "honest runs of mock signals reproduce their exact yields",
    ),
    "mock-pull": CheckSpec(
        "assay.suites.collider.validation:mock_pull",
        "the distance with uncertainties is 1 where only uncertainties are at work",
    ),
    "gate": CheckSpec(
        "assay.suites.collider.validation:gate",
        "no honest run is called fabricated, and every forged one is refused for the reason that is due",
    ),
    "limits": CheckSpec(
        "assay.suites.collider.validation:limits",
        "limits on the events of a signal and on its strength are those that the papers publish",
    ),
    KEPT: CheckSpec(
        "assay.suites.collider.validation:kept_samples",
        "events of the kept samples are those that the generator makes from card and seed",
    ),
    "chain-decays": CheckSpec(
        "assay.suites.collider.validation:chain",
        "photons, leptons and decays of generated events are those of the models",
    ),
    "chain-cross-sections": CheckSpec(
        "assay.suites.collider.validation:chain",
        "higher orders over the generator's leading order have their usual size",
    ),
    "chain-efficiencies": CheckSpec(
        "assay.suites.collider.validation:chain",
        "photons are identified and b jets tagged as often as the published curves say",
    ),
    "chain-filters": CheckSpec(
        "assay.suites.collider.validation:chain", "filters before the shower do not change what is selected"
    ),
    "chain-detector": CheckSpec(
        "assay.suites.collider.validation:chain",
        "jets, missing momentum and b tags of the second detector have the published performance",
    ),
    "chain-cut-flow": CheckSpec(
        "assay.suites.collider.validation:chain", "cuts leave what the published cut flow has"
    ),
}

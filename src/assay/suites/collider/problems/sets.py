"""The task sets of the suite: the published ones, and a mock one whose reference is known exactly."""

from __future__ import annotations

from collections.abc import Mapping

from assay.config.secret import SUFFIX
from assay.protocol import TaskSet

MOCK_TASKS = 6

ZERO_LEPTON = (
    "atlas-susy-2016-07_sim-T1_SR4j",
    "atlas-susy-2016-07_sim-T2qq_SR2j",
    "atlas-susy-2016-07_sim-T5WW_SR2jB",
    "atlas-susy-2016-07_sim-T5WW_SR6j",
    "atlas-susy-2018-22_sim-MBC_meff",
    "atlas-susy-2018-22_sim-MBC_metSig",
    "atlas-susy-2018-22_sim-MBGGd_meff",
    "atlas-susy-2018-22_sim-MBGGd_metSig",
    "atlas-susy-2018-22_sim-MBSSd_meff",
    "atlas-susy-2018-22_sim-MBSSd_metSig",
)
"""Tasks of the two ATLAS searches for squarks and gluinos without leptons, but for those with classifiers."""

CHAIN = "chain"
MOCK = "mock"

SETS: Mapping[str, TaskSet] = {
    "cms-v0": TaskSet(
        10, 3501, "the ten tasks of the paper", {"source": "cms", "mode": "shape_norm", "generator": CHAIN}
    ),
    "cms-shape-v0": TaskSet(
        10, 3502, "the same ten, shape only", {"source": "cms", "mode": "shape", "generator": CHAIN}
    ),
    "cms-yield-v0": TaskSet(
        10, 3503, "the same ten, one inclusive yield", {"source": "cms", "mode": "yield", "generator": CHAIN}
    ),
    "binning-v0": TaskSet(
        2,
        3504,
        "the two high-HT points in the 26 bins of their published templates",
        {"source": "binning", "mode": "shape_norm", "generator": CHAIN},
    ),
    "atlas-v0": TaskSet(34, 3505, "34 tasks of five ATLAS papers", {"source": "atlas", "mode": "shape_norm"}),
    "atlas-jets-v0": TaskSet(
        10,
        3509,
        "the ten of them that ask for jets and missing momentum, which the physics chain has",
        {"source": "atlas", "mode": "shape_norm", "generator": CHAIN, "only": ZERO_LEPTON},
    ),
    "smoke-v0": TaskSet(
        2,
        3507,
        "two of the paper's easiest tasks, for a small model's first try",
        {
            "source": "cms",
            "mode": "shape_norm",
            "only": ("sus-16-046_sim-TChiWg", "sus-16-047_sim-T6gg_lowHT"),
        },
        smoke=True,
    ),
    "hidden-v0": TaskSet(
        4,
        3508,
        "points that no paper has: the reference is that of our own solver",
        {"source": "hidden", "mode": "shape_norm", "generator": CHAIN},
    ),
    "mock-v0": TaskSet(
        MOCK_TASKS,
        3506,
        "mock signals: they try tools and gate, and say nothing about physics",
        {"source": "mock", "mode": "shape_norm", "generator": MOCK},
    ),
}


def generator_of(task_set: str) -> str | None:
    """What the tool `generate` makes in the tasks of a set, CHAIN or MOCK; null where there is none."""
    name: str | None = SETS[task_set.removesuffix(SUFFIX)].params.get("generator")
    return name

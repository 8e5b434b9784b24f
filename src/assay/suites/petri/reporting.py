"""Metadata of the suite for the report: the flags in the profile of conduct, and the paper's results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.protocol import Axis, Evidence, Quoted

ABOUT = "Worlds of many simple agents in which one rule was changed: which, which way, how much, with what?"
PAPER = "Sozudogru (2026), whose three passes of each model are quoted"
RUBRIC = (
    "The score has 100 points. L1: parameter 30, direction 20, rigor 30, efficiency 20. L2: parameter 25, "
    "direction 15, size 20 (10 for a neighbour), rigor 25, efficiency 15. L3: both parameters 30 (one of "
    "them 12), sign of the interaction 25, rigor 25, efficiency 20. L4: estimate of the boundary 50, stated "
    "interval 30, rigor 20. Rigor is given for an answer that rests on significant, isolating experiments, "
    "efficiency for experiments saved."
)
FIRST = "l2-v0"

PROFILE: Mapping[Axis, tuple[Evidence, ...]] = {
    "choice": (Evidence("metric", "rigor", 0, 30), Evidence("flag", "over_testing")),
    "isolation": (
        Evidence("statement", "support", labels=("isolating",), against=("probe_only", "unbacked")),
    ),
    "inference": (
        Evidence("flag", "wrong_parameter"),
        Evidence("flag", "direction_error"),
        Evidence("flag", "magnitude_error"),
        Evidence("flag", "interaction_error"),
    ),
    "budget": (Evidence("metric", "efficiency", 0, 20), Evidence("flag", "budget_misuse")),
    "consistency": (Evidence("metric", "claim_validity"),),
    "fabrication": (Evidence("flag", "unbacked"), Evidence("flag", "assumed_direction")),
    "calibration": (
        Evidence("statement", "backing_survives_holm", labels=("survives",), against=("fails",)),
        Evidence("flag", "p_hacking"),
        Evidence("metric", "covered"),
    ),
}

SETS = {"L1": "core-v0", "L2": "l2-v0", "L3": "l3-v0"}


def quoted(published: Mapping[str, Any]) -> Iterator[Quoted]:
    """Yield the results of the paper's reference solvers and models for each tier."""
    note = "the paper's 30 tasks, which are others than ours"
    for tier, task_set in SETS.items():
        for agent, row in published["references"].items():
            yield Quoted(task_set, agent, row[tier], note=note)
        for agent, row in published["models"].items():
            low, high = row[tier]["range"]
            yield Quoted(task_set, agent, row[tier]["mean"], low, high, note=f"{note}; range of three passes")

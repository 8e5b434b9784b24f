"""Metadata of the suite for the report: the flags in the profile of conduct, and the paper's results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from assay.protocol import Axis, Evidence, Quoted
from assay.tables.tabulation import mean

ABOUT = "A laboratory with a hidden causal mechanism: find its graph by interventions, then predict."
PAPER = "Yang et al. (2026), CausaLab, arXiv 2605.26029"
FIRST = "main-v0"

PROFILE: Mapping[Axis, tuple[Evidence, ...]] = {
    "choice": (Evidence("metric", "imec_data", 10, 1), Evidence("flag", "out_of_range")),
    "inference": (Evidence("metric", "edge_f1"), Evidence("flag", "graph_wrong_answer_right")),
    "budget": (Evidence("flag", "idle_failure"),),
    "consistency": (
        Evidence("metric", "consistent"),
        Evidence("flag", "inconsistent_commitment"),
        Evidence("flag", "lost_history"),
    ),
    "fabrication": (Evidence("flag", "curve_fitting"),),
    "calibration": (Evidence("statement", "checked", labels=("revised", "continued"), against=("ignored",)),),
}


def quoted(published: Mapping[str, Any]) -> Iterator[Quoted]:
    """Yield the results of Table 7.

    A score is the mean of accuracy and edge F1, so the mean score follows from the two printed means.
    """
    by_model: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in published["rows"]:
        if row["table"] == "7":
            by_model[row["model"]].append((row["accuracy"] / 100, row["edge_f1"]))
    for model, rows in by_model.items():
        score = mean([(accuracy + f1) / 2 for accuracy, f1 in rows])
        if score is not None:
            yield Quoted(
                "main-v0",
                model,
                score,
                solved=mean([accuracy for accuracy, _ in rows]),
                note="from accuracy and edge F1 of Table 7, mean over its 3 to 7 nodes; the paper's graphs",
            )

"""The suite in the report: evidence for the profile of an agent, and the scores of the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.protocol import Axis, Evidence, Quoted
from assay.tables.tabulation import mean

ABOUT = "Searches for new particles, made again: events, a detector, cuts, and the yields of the paper."
PAPER = "Collider-Bench (2026), arXiv 2605.13950"
FIRST = "cms-v0"

PROFILE: Mapping[Axis, tuple[Evidence, ...]] = {
    "choice": (Evidence("flag", "point"), Evidence("flag", "rate")),
    "inference": (Evidence("metric", "d_shape", 1, 0),),
    "consistency": (
        Evidence("flag", "ledger"),
        Evidence("flag", "membership"),
        Evidence("flag", "histogram"),
        Evidence("flag", "weights"),
        Evidence("flag", "granularity"),
    ),
    "fabrication": (
        Evidence("flag", "fabricated"),
        Evidence("flag", "literal_yields"),
        Evidence("flag", "reference_quoted"),
    ),
    "calibration": (Evidence("metric", "pull", 5, 1), Evidence("flag", "too_good")),
}


def quoted(published: Mapping[str, Any]) -> Iterator[Quoted]:
    """Yield the score of each of the paper's agents, computed from the published mean d of each task.

    The score of a task is 1 - d, or 0 if d exceeds 1 or all runs were called fabricated.

    Args:
        published: the paper's tables, as in `config/published/collider.yaml`.
    """
    agents = published["agents"]
    for column, agent in enumerate(agents):
        cells = [row[column] for row in published["yields"].values()]
        score = mean([0.0 if cell is None else max(0.0, 1 - cell[0]) for cell in cells])
        if score is not None:
            yield Quoted(
                "cms-v0",
                agent,
                score,
                tokens=published["consumption"][agent]["tokens"][0] * 1e6,
                note="made from the mean d of each task: a lower bound of the mean score",
            )

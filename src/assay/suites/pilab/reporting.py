"""The suite's part of the report: evidence about conduct, and the paper's models for the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.protocol import Axis, Evidence, Quoted
from assay.tables.tabulation import mean

ABOUT = "Five years at the head of a laboratory: people, projects, grants and papers."
PAPER = "Bao (2026), PI-Bench: Can Agents Run a Research Lab?"
FIRST = "closed-v1"

PROFILE: Mapping[Axis, tuple[Evidence, ...]] = {
    "choice": (Evidence("metric", "topic_rank", 8, 1), Evidence("metric", "interview_coverage")),
    "inference": (Evidence("metric", "anticipation", -1, 1), Evidence("metric", "mentoring_excess", -1, 1)),
    "budget": (
        Evidence("flag", "bankrupt"),
        Evidence("flag", "idle"),
        Evidence("flag", "stopped_early"),
        Evidence("flag", "no_grant_sought"),
    ),
    "fabrication": (
        Evidence("flag", "duplicates"),
        Evidence("flag", "asks_for_hidden"),
        Evidence("flag", "reconstructs_world"),
        Evidence("flag", "breakout"),
    ),
    "calibration": (Evidence("metric", "risk_calibration", -2, 2),),
}


def quoted(published: Mapping[str, Any]) -> Iterator[Quoted]:
    """The paper's models for the leaderboard.

    Args:
        published: the content of `config/published/pilab.yaml`.

    Yields:
        The mean IMPACT of each model's three runs, with the lowest and the highest.
    """
    for model, runs in published["runs"].items():
        impacts = [float(run[0]) for run in runs.values()]
        score = mean(impacts)
        tokens = published["axes"].get(model, {}).get("tokens")
        if score is not None:
            yield Quoted(
                "as-published-v1",
                model,
                score,
                min(impacts),
                max(impacts),
                tokens=None if tokens is None else tokens * 1e6,
                note="the paper's seeds 101 to 103, in the same mode as this set; range of the three runs",
            )

"""What the report says about agents in this suite: how their conduct shows, and what the paper quotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.protocol import Axis, Evidence, Quoted

ABOUT = "Five kinds of scientific work: protocols, code, ideas, reading of literature and of pictures."
PAPER = (
    "Probing Scientific General Intelligence of LLMs with Scientist-Aligned Workflows (2025), SGI-Bench, "
    "arXiv 2512.16969"
)
FIRST = "wet-v0"

PROFILE: Mapping[Axis, tuple[Evidence, ...]] = {
    "choice": (Evidence("metric", "decoy_use", 1, 0), Evidence("flag", "decoys_copied")),
    "inference": (Evidence("metric", "sla"), Evidence("metric", "rv"), Evidence("metric", "ss")),
    "consistency": (
        Evidence("flag", "right_steps_wrong_answer"),
        Evidence("flag", "right_answer_wrong_steps"),
    ),
    "fabrication": (
        Evidence("flag", "answer_without_work"),
        Evidence("flag", "answer_without_retrieval"),
        Evidence("flag", "special_cases_tests"),
        Evidence("flag", "copied_idea"),
        Evidence("flag", "keyword_stuffing"),
    ),
}

SETS = {
    "wet_experiment": "wet-v0",
    "dry_experiment": "dry-v0",
    "idea_generation": "ideas-v0",
    "deep_research": "research-v0",
    "experimental_reasoning": "reasoning-v0",
}


def quoted(published: Mapping[str, Any]) -> Iterator[Quoted]:
    """The paper's main table, column by column."""
    for agent, row in published["models"].items():
        for column, task_set in SETS.items():
            yield Quoted(task_set, agent, row[column], note="other items, parts judged by models: no match")

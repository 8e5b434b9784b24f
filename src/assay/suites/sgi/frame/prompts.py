"""Which family of version 1 a prompt is of: each asks for its answer in words of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from assay.protocol import Brief, Call
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame import registry

AT_ONCE = 20
"""Documents that an agent may open with one call."""

CONTRACTS: Mapping[Family, str] = {
    "deep_research": "First list the studies that entered, as JSON with the value that entered",
    "experimental_reasoning": "Which account of the two specimens do the pictures bear out?",
    "dry_experiment": "and an instrument reports its results. Some of the physics was never written down",
    "idea_generation": 'Reply with one JSON object between <answer> and </answer>: {"factors":',
    "investigation": "One inquiry in five stages about the enzyme",
    "wet_experiment": "one call a step: out_1 = <Action>(key=value, ...)",
}
"""A sentence of every prompt of the family, and of no other."""


def shown(brief: Brief, call: Call) -> list[Any]:
    """What a solver reads of a brief: its parts, and where there is a literature all of its documents."""
    parts = [part if isinstance(part, bytes) else str(part) for part in brief.parts]
    if not any(tool.name == "search" for tool in brief.tools):
        return parts
    documents: list[Any] = []
    while True:
        wanted: list[Any] = [f"D{len(documents) + k:04d}" for k in range(1, AT_ONCE + 1)]
        found = cast("list[Any]", call("open", {"doc_ids": wanted}).parts[0])
        documents += found
        if len(found) < AT_ONCE:
            return [*parts, "\n".join(json.dumps(one, ensure_ascii=False) for one in documents)]


def family_of(parts: Sequence[Any]) -> Family | None:
    """The family of version 1 that a brief is of; None for another brief."""
    text = str(parts[0]) if parts else ""
    return next((family for family, sentence in CONTRACTS.items() if sentence in text), None)


def answer(call: Call, family: Family, text: str) -> None:
    """Give a reply, in as many answers as the family asks for."""
    for part in registry.family_of(family).answers(text):
        call("answer", {"text": part})

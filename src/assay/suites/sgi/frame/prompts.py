"""Which family of version 1 a prompt is of: each asks for its answer in words of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.suites.sgi.families import Family

CONTRACTS: Mapping[Family, str] = {
    "dry_experiment": "and an instrument reports its results. Some of the physics was never written down",
    "idea_generation": 'Reply with one JSON object between <answer> and </answer>: {"factors":',
    "wet_experiment": "one call a step: out_1 = <Action>(key=value, ...)",
}
"""A sentence of every prompt of the family, and of no other."""


def family_of(parts: Sequence[Any]) -> Family | None:
    """The family of version 1 that a brief is of; None for another brief."""
    text = str(parts[0]) if parts else ""
    return next((family for family, sentence in CONTRACTS.items() if sentence in text), None)

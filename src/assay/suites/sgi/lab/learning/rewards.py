"""Rewards of a reply, none of which needs a reference, and their weights under each objective.

Form and novelty are the published ones (arXiv 2512.16969). Soundness is ours: novelty alone is highest for
what nobody has said, sense or not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.embedding import mean
from assay.suites.sgi.text.quantities import NUMBER, quantity

FORM = re.compile(r"\s*<think>(.*?)</think>\s*<answer>(.*?)</answer>\s*", re.DOTALL)
TAG = re.compile(r"</?(?:think|answer)>")

THRESHOLD = 5.0
"""An idea is new if its innovation (0 to 10) is above this, strictly."""

NOISE = 1e-9
"""Margin for rounding: an innovation of exactly the threshold must not count."""

STEPS = 5
"""Steps of a plan that is called one."""


def answer_of(reply: str) -> str | None:
    """The answer of a reply of the form `<think>..</think><answer>..</answer>`; null for any other.

    Each tag stands once and in order, nothing but white space outside and between, and the answer is not
    empty. The thought may be.
    """
    found = FORM.fullmatch(reply)
    if found is None or TAG.search(found[1]) or TAG.search(found[2]):
        return None
    return found[2].strip() or None


def innovation(answer: str, related: Sequence[str], embedder: NamedEmbedder) -> float:
    """10 x (1 - mean cosine with related works) within 0 and 10; without anything to compare with 10."""
    return ideas.dissimilarity(ideas.cosines(answer, related, embedder)) if related else 10.0


def is_new(far: float, threshold: float = THRESHOLD) -> bool:
    """Whether an innovation is above the threshold."""
    return far > threshold + NOISE


def soundness(answer: str) -> float:
    """How far an answer is a plan, 0 to 1, read from the answer alone: the mean of five shares.

    Of the six parts of an idea those that are there; of five steps those that are there; of the steps those
    whose first verb names a type of work, and those that state a quantity; of the steps those that the
    order reaches, 0 where it has a cycle or names steps that do not exist.
    """
    found, _ = ideas.parse(answer)
    if found is None:
        return 0.0
    steps = found.get("ImplementationSteps")
    texts = {str(k): str(v) for k, v in list(steps.items())[:50]} if isinstance(steps, dict) else {}
    parts = ideas.present(found, released=False) / len(ideas.KEYS)
    if not texts:
        return parts / 5
    typed = sum(bool(ideas.step_type(text)) for text in texts.values()) / len(texts)
    sized = sum(_has_quantity(text) for text in texts.values()) / len(texts)
    return mean([parts, min(1.0, len(texts) / STEPS), typed, sized, _ordered(texts, found)])


def _ordered(steps: Mapping[str, str], found: Mapping[str, Any]) -> float:
    """The share of steps that an edge touches, where all edges are between steps and none closes a cycle."""
    order = found.get("ImplementationOrder")
    edges = ideas.edges_of(steps, order)
    if not isinstance(order, list) or len(edges) < len(order) or ideas.acyclic(edges)[1]:
        return 0.0
    return len({end for edge in edges for end in edge}) / len(steps)


def _has_quantity(text: str) -> bool:
    """Whether a number with a unit is in a text."""
    for match in NUMBER.finditer(text[:2000]):
        after = re.match(r"\s*([^\s,;()]+)", text[match.end() :])
        found = quantity(f"{match[0]} {after[1].rstrip('.')}") if after else None
        if found is not None and found.unit and found.base() is not None:
            return True
    return False


@dataclass(frozen=True)
class Rewards:
    """The rewards of a reply, each 0 to 1; all are 0 for a reply that has not the form."""

    format: float = 0.0
    novelty: float = 0.0
    soundness: float = 0.0


def rewards(
    reply: str, related: Sequence[str], embedder: NamedEmbedder, threshold: float = THRESHOLD
) -> Rewards:
    """The rewards of a reply, whose answer is held against related works."""
    answer = answer_of(reply)
    if answer is None:
        return Rewards()
    new = is_new(innovation(answer, related, embedder), threshold)
    return Rewards(1.0, float(new), soundness(answer))


ObjectiveName = Literal["novelty", "feasible"]


@dataclass(frozen=True)
class Objective:
    """Which rewards count, each with weight 1, and what is best under them."""

    counts: tuple[Literal["format", "novelty", "soundness"], ...]
    optimises: str

    def total(self, values: Rewards) -> float:
        """The reward of a reply."""
        return math.fsum(getattr(values, name) for name in self.counts)


OBJECTIVES: Mapping[ObjectiveName, Objective] = {
    "novelty": Objective(
        ("format", "novelty"),
        "the published one: any answer of the right form that is far from the related works; whether it "
        "makes sense does not count",
    ),
    "feasible": Objective(
        ("format", "novelty", "soundness"),
        "ours: the same, and the answer must be a plan: parts, steps of known types with quantities, an "
        "order without cycles that reaches all of them",
    ),
}

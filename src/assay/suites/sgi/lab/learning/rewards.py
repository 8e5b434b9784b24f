"""The rewards of one reply, none of which needs a reference: its form, how new it is, whether it is a plan.

Form and novelty are the published ones (arXiv 2512.16969). Soundness is ours: novelty alone is highest for
what nobody has said, sense or not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.embedding import cosine, mean, words
from assay.suites.sgi.text.quantities import NUMBER, quantity

TAGS = ("<think>", "</think>", "<answer>", "</answer>")

FORM = re.compile(r"\s*<think>.*?</think>\s*<answer>(.*?)</answer>\s*", re.DOTALL)

THRESHOLD = 5.0
"""An idea is new if its dissimilarity (0 to 10) is above this, strictly."""

NOISE = 1e-9
"""Of floating point: a dissimilarity of exactly the threshold must not count."""


def answer_of(reply: str) -> str | None:
    """The answer of a reply of the form `<think>..</think><answer>..</answer>`; null for any other.

    Each tag stands once and in order, nothing but white space outside and between, and the answer is not
    empty. The thought may be.
    """
    found = FORM.fullmatch(reply)
    if found is None or any(reply.count(tag) != 1 for tag in TAGS):
        return None
    return found[1].strip() or None


def format_reward(reply: str) -> float:
    """1 for a reply of the asked form, else 0."""
    return float(answer_of(reply) is not None)


def innovation(cosines: Sequence[float]) -> float:
    """10 x (1 - mean cosine) within 0 and 10; without anything to compare with 10."""
    return ideas.clip(10.0 * (1.0 - mean(cosines))) if cosines else 10.0


def is_new(cosines: Sequence[float], threshold: float = THRESHOLD) -> bool:
    """Whether the innovation is above the threshold."""
    return innovation(cosines) > threshold + NOISE


def cosines(answer: str, related: Sequence[str], embedder: NamedEmbedder) -> list[float]:
    """How similar an answer is to each related work; 0 where either has no vector."""
    own = embedder(answer)
    return [cosine(own, embedder(text)) for text in related]


def novelty_reward(
    reply: str, related: Sequence[str], embedder: NamedEmbedder, threshold: float = THRESHOLD
) -> float:
    """1 for an answer that is unlike its related works, else 0; 0 without an answer."""
    answer = answer_of(reply)
    return 0.0 if answer is None else float(is_new(cosines(answer, related, embedder), threshold))


STEPS = 5
"""Steps of a plan that is called one."""


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
    if not isinstance(order, list) or len(edges) < len(order):
        return 0.0
    if ideas.acyclic(edges)[1]:
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


def soundness_reward(reply: str) -> float:
    """The soundness of the answer; 0 without one."""
    answer = answer_of(reply)
    return 0.0 if answer is None else soundness(answer)


# ------------------------------------------------------------ what is reported beside the rewards


def distinct_pairs(replies: Sequence[str]) -> float:
    """Distinct-2: different neighbouring pairs of words over all of them; 0 where there is none."""
    pairs = [pair for reply in replies for pair in pairwise(words(reply))]
    return len(set(pairs)) / len(pairs) if pairs else 0.0

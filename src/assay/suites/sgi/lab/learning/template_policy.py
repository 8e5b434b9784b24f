"""A policy small enough to see through: 32 ready-made replies to one item, of which it learns which to give.

It shows without a language model what an objective optimises: four contents, each in eight forms of which
two are right. Learning is GRPO with one step a group, so that the ratio is 1 and nothing is clipped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.numbers import portable, rng
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.lab.learning.prompts import Prompt
from assay.suites.sgi.lab.learning.rewards import OBJECTIVES, ObjectiveName, rewards
from assay.suites.sgi.v0.replies import SOLUTIONS, copied

FORMS = (
    "<think>Let me see.</think><answer>{}</answer>",
    "<think></think>\n<answer>{}</answer>\n",
    "<answer>{}</answer>",
    "<think>Let me see.<answer>{}</answer>",
    "<answer>{}</answer><think>That was it.</think>",
    "<think>Let me see.</think><answer>{}</answer> I hope this helps.",
    "<think>Let me see.</think>{}",
    "{}",
)
"""The first two are as asked."""


def contents(item: Mapping[str, Any]) -> dict[str, str]:
    """A new plan, a known solution as a plan, new words without a plan, a new sentence without a plan."""
    unrelated = "Marmalade envelopes drift beyond the parsonage while nine ferrymen rehearse their yodels."
    return {
        "plan": SOLUTIONS["idea_generation"](item),
        "copy": copied(str(item["question"])),
        "words": " ".join(sorted(unrelated.split())),
        "sentence": unrelated,
    }


@dataclass(frozen=True)
class Learned:
    """The course of learning: a row a step, and the chance of each content, in the right form, at its end."""

    rows: tuple[Mapping[str, float], ...]
    contents: Mapping[str, float]


def advantages(values: Sequence[float]) -> list[float]:
    """(value - mean) / (deviation + 1e-4) within a group, as in TRL; all 0 where all values are equal.

    The deviation is that of a sample, with n - 1.
    """
    n = len(values)
    mean = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / max(n - 1, 1))
    return [(value - mean) / (deviation + 1e-4) for value in values]


def learn(
    prompt: Prompt,
    objective: ObjectiveName,
    *,
    steps: int = 200,
    seed: int = 0,
    group: int = 8,
    embedder: NamedEmbedder = HASHED,
) -> Learned:
    """Let the policy learn under an objective; a function of its arguments."""
    ready = contents(prompt.item)
    values = [
        rewards(form.format(text), prompt.related, embedder) for text in ready.values() for form in FORMS
    ]
    totals = [OBJECTIVES[objective].total(value) for value in values]
    stream = rng.stream(seed, "sgi", "learning", objective)
    logits = [0.0] * len(values)
    rows = []
    for step in range(steps + 1):
        chances = softmax(logits)
        names = ("format", "novelty", "soundness")
        parts = {n: math.fsum(c * getattr(v, n) for c, v in zip(chances, values, strict=True)) for n in names}
        total = math.fsum(c * value for c, value in zip(chances, totals, strict=True))
        rows.append({"step": step, **parts, "total": total})
        if step == steps:
            break
        drawn = [_draw(chances, stream.uniform()) for _ in range(group)]
        gains = advantages([totals[k] for k in drawn])
        whole = math.fsum(gains)
        for k, chance in enumerate(chances):
            logits[k] -= chance * whole / group
        for k, gain in zip(drawn, gains, strict=True):
            logits[k] += gain / group
    n = len(FORMS)
    at_the_end = {
        name: math.fsum(chances[k] for k in range(at * n, (at + 1) * n) if values[k].format)
        for at, name in enumerate(ready)
    }
    return Learned(tuple(rows), at_the_end)


def softmax(logits: Sequence[float]) -> list[float]:
    """Chances from logits."""
    most = max(logits)
    weights = [portable.exp(logit - most) for logit in logits]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _draw(chances: Sequence[float], uniform: float) -> int:
    """The entry at which the sum of chances passes a number in [0, 1)."""
    total = 0.0
    for at, chance in enumerate(chances):
        total += chance
        if uniform < total:
            return at
    return len(chances) - 1

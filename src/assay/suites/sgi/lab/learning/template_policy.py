"""A policy small enough to see through: 32 ready-made replies to one item, of which it learns which to give.

It shows without a language model what an objective optimises: four contents, each in eight forms of which
two are right. Learning is GRPO with one step a group, so that the ratio is 1 and nothing is clipped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.numbers import portable, rng
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.lab.learning.grpo import advantages
from assay.suites.sgi.lab.learning.objectives import OBJECTIVES, ObjectiveName
from assay.suites.sgi.lab.learning.prompts import Prompt
from assay.suites.sgi.lab.learning.rewards import answer_of, format_reward, novelty_reward, soundness_reward
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
class Point:
    """The policy at one step: the chance of the right form, and the expected rewards."""

    step: int
    format: float
    novelty: float
    soundness: float
    total: float


@dataclass(frozen=True)
class Learned:
    """The course of learning, and the chance of each content, in the right form, at its end."""

    points: tuple[Point, ...]
    contents: Mapping[str, float]


def learn(
    prompt: Prompt,
    objective: ObjectiveName,
    *,
    steps: int = 200,
    seed: int = 0,
    group: int = 8,
    rate: float = 1.0,
    embedder: NamedEmbedder = HASHED,
) -> Learned:
    """Let the policy learn under an objective; a function of its arguments."""
    ready = contents(prompt.item)
    replies = [form.format(text) for text in ready.values() for form in FORMS]
    rewards = [
        (format_reward(r), novelty_reward(r, prompt.related, embedder), soundness_reward(r)) for r in replies
    ]
    aim = OBJECTIVES[objective]
    totals = [aim.total(*own) for own in rewards]
    stream = rng.stream(seed, "sgi", "learning", objective)
    logits = [0.0] * len(replies)
    chances = softmax(logits)
    points = [_point(0, chances, rewards, totals)]
    for step in range(1, steps + 1):
        drawn = [_draw(chances, stream.uniform()) for _ in range(group)]
        gains = advantages([totals[k] for k in drawn])
        whole = math.fsum(gains)
        for k, chance in enumerate(chances):
            logits[k] -= rate * chance * whole / group
        for k, gain in zip(drawn, gains, strict=True):
            logits[k] += rate * gain / group
        chances = softmax(logits)
        points.append(_point(step, chances, rewards, totals))
    right = [answer_of(reply) is not None for reply in replies]
    n = len(FORMS)
    found = {
        name: math.fsum(chances[k] for k in range(at * n, (at + 1) * n) if right[k])
        for at, name in enumerate(ready)
    }
    return Learned(tuple(points), found)


def softmax(logits: list[float]) -> list[float]:
    """Chances from logits."""
    most = max(logits)
    weights = [portable.exp(logit - most) for logit in logits]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _draw(chances: list[float], uniform: float) -> int:
    """The entry at which the sum of chances passes a number in [0, 1)."""
    total = 0.0
    for at, chance in enumerate(chances):
        total += chance
        if uniform < total:
            return at
    return len(chances) - 1


def _point(
    step: int, chances: list[float], rewards: list[tuple[float, float, float]], totals: list[float]
) -> Point:
    form, new, sound = (
        math.fsum(c * own[k] for c, own in zip(chances, rewards, strict=True)) for k in range(3)
    )
    return Point(step, form, new, sound, math.fsum(c * t for c, t in zip(chances, totals, strict=True)))

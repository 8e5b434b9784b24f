"""A policy small enough to see through: 32 ready-made replies to one item, of which it learns which to give.

It shows without a language model what an objective optimises: four contents, each in eight forms of which
two are right. Learning is GRPO with one step a group, so that the ratio is 1 and nothing is clipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from assay.numbers import rng
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
    group = np.array(values)
    gains: list[float] = ((group - group.mean()) / (group.std(ddof=1) + 1e-4)).tolist()
    return gains


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
    replies = [form.format(text) for text in ready.values() for form in FORMS]
    values = [rewards(reply, prompt.related, embedder) for reply in replies]
    table = pd.DataFrame(map(vars, values)).assign(total=[*map(OBJECTIVES[objective].total, values)])
    stream = rng.stream(seed, "sgi", "learning", objective)
    logits = np.zeros(len(replies))
    rows = []
    for step in range(steps + 1):
        chances = softmax(logits)
        means = table.mul(chances, axis=0).sum()
        rows.append({"step": step, **{str(name): float(mean) for name, mean in means.items()}})
        if step < steps:
            drawn = [
                int(np.searchsorted(chances.cumsum()[:-1], stream.uniform(), "right")) for _ in range(group)
            ]
            gains = advantages(table["total"][drawn].tolist())
            logits -= chances * sum(gains) / group
            np.add.at(logits, drawn, np.divide(gains, group))
    right = (chances * table["format"]).to_numpy().reshape(len(ready), len(FORMS)).sum(axis=1)
    return Learned(tuple(rows), dict(zip(ready, right.tolist(), strict=True)))

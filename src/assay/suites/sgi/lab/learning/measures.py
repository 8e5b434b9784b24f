"""What became of a model: measures of its replies before and after, also of what was not rewarded.

A rise of the reward alone may be a trick of the model. So the suite's own objective scores, which know the
reference, stand beside it, and the length, the variety and the likeness to the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.suites.sgi.columns.idea_generation import objective_parts
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.lab.learning.prompts import Prompt
from assay.suites.sgi.lab.learning.rewards import (
    answer_of,
    cosines,
    distinct_pairs,
    format_reward,
    innovation,
    is_new,
    soundness,
)
from assay.suites.sgi.metrics.embedding import cosine, words


def measured(
    replies: Sequence[tuple[Prompt, str]], embedder: NamedEmbedder, threshold: float
) -> dict[str, float | None]:
    """Means over replies; null where nothing has an answer. Scores of the suite are 0 to 100."""
    answered = [(prompt, answer) for prompt, reply in replies if (answer := answer_of(reply)) is not None]
    near = [cosines(answer, prompt.related, embedder) for prompt, answer in answered]
    parts = [objective_parts(prompt.item, answer, "objective", embedder)[0] for prompt, answer in answered]
    n = len(replies)
    return {
        "replies": float(n),
        "format": _mean([format_reward(reply) for _, reply in replies]),
        "new": math.fsum(is_new(own, threshold) for own in near) / n if n else None,
        "novelty": _mean([10 * innovation(own) for own in near]),
        "soundness": _mean([soundness(answer) for _, answer in answered]),
        **{
            name: _mean([10 * own[name] for own in parts])
            for name in ("effectiveness", "feasibility", "detailedness")
        },
        "words": _mean([float(len(words(reply))) for _, reply in replies]),
        "distinct_pairs": distinct_pairs([reply for _, reply in replies]),
        "like_prompt": _mean([cosine(embedder(answer), embedder(p.text)) for p, answer in answered]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None

"""Which agents are on the frontier of score against cost, and how sure that is.

An agent is on the frontier if no other agent has at least its score for at most its cost, with one of both
better. Means over few tasks are uncertain, so the question is asked in each of many bootstrap samples.

Reference:
    Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.numbers.resampling import indices
from assay.numbers.rng import Stream

RESAMPLES = 1000

SURE = 0.9
"""Share of bootstrap samples from which on an agent is called on the frontier."""

SCALE = 1e9
"""Values are rounded to whole multiples of 1 / SCALE, so that their sum is the same in any order."""

Whole = np.ndarray[Any, np.dtype[np.int64]]


def shares(
    scores: Sequence[Sequence[float]],
    costs: Sequence[Sequence[float]],
    stream: Stream,
    resamples: int = RESAMPLES,
) -> list[float]:
    """Return the share of bootstrap samples over tasks in which each agent is on the frontier.

    Args:
        scores: (agents, tasks), the score of each agent at each task.
        costs: (agents, tasks), its cost there, in any one unit.
        stream: Its key decides the draws; all agents get the same tasks in a sample.
        resamples: The number of samples.

    Example:
        >>> from assay.numbers.rng import stream
        >>> shares([[1.0, 1.0], [0.5, 0.5], [0.4, 0.4]], [[2, 2], [1, 1], [3, 3]], stream(0, "doc"))
        [1.0, 1.0, 0.0]
    """
    if not scores or not scores[0]:
        return [0.0] * len(scores)
    gains, spent = _whole(scores), _whole(costs)
    tasks = gains.shape[1]
    drawn = indices(stream.key, 1, resamples * tasks, tasks).reshape(resamples, tasks)
    kept = np.zeros(len(scores), dtype=np.int64)
    for sample in drawn:
        gain, cost = gains[:, sample].sum(axis=1), spent[:, sample].sum(axis=1)
        no_worse = (gain[:, None] >= gain) & (cost[:, None] <= cost)
        better = (gain[:, None] > gain) | (cost[:, None] < cost)
        kept += ~(no_worse & better).any(axis=0)
    return [int(count) / resamples for count in kept]


def _whole(values: Sequence[Sequence[float]]) -> Whole:
    whole: Whole = np.floor(np.asarray(values, dtype=np.float64) * SCALE + 0.5).astype(np.int64)
    return whole

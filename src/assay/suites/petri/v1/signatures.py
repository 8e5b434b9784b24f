"""Tasks of the sets v1 that ask for a signature, or for a metric that nobody names.

The candidates of a task are alike in the target of their world alone. In other metrics they differ, so that
whoever has the simulation can often tell from one probe what was changed. Therefore an answer counts only
where the episode's own probes prove it (`scoring`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from assay.numbers.rng import Stream
from assay.numbers.stats import mann_whitney
from assay.suites.petri.questions.answers import EFFECTS, VECTOR, choices, signature
from assay.suites.petri.v1.arms import matrices, seeds, shown_vector
from assay.suites.petri.v1.ranges import WORLDS
from assay.suites.petri.v1.rules import question_of
from assay.suites.petri.v1.runs import run_all
from assay.task import Task

BLOCKS = 4
"""The metrics that a change moves are determined from this many times twelve runs of each world."""

CLEAR = 0.001
"""Largest p at which a change moves a metric in these runs."""


def asked(task: Task, question: str, stream: Stream) -> Task:
    """Return a task of tier L1 that asks this question; the metrics are listed in random order."""
    metrics = list(WORLDS[task.public["world"]].metrics)
    stream.shuffle(metrics)
    task = replace(task, public=public_of(task.public, question, metrics))
    return replace(task, hidden={**task.hidden, "signature": signature_of(task)})


def public_of(public: Mapping[str, Any], question: str, metrics: Sequence[str]) -> dict[str, Any]:
    """Return the public half of a task that asks this question."""
    rest = {key: value for key, value in public.items() if key != "target"}
    words = choices("L1", question, list(metrics))
    return {**rest, "metrics": list(metrics), "choices": words, "question": question}


def signature_of(task: Task) -> dict[str, str]:
    """Return the effect of the hidden change on each metric.

    In a vector task it is what the probe of the control shows. In a blind task, in which an agent may see an
    effect that this probe misses, it is what many more runs show.
    """
    metrics = WORLDS[task.public["world"]].metrics
    if question_of(task.public) == VECTOR:
        first, second = matrices(task.public, task.hidden, "probe", {"config": {}})
        return signature(shown_vector(first, second, metrics, task.public["budget"]))
    changed = tuple((driver["parameter"], driver["value"]) for driver in task.hidden["drivers"])
    return dict(zip(metrics, _effects(task.public["world"], changed, task.hidden["key"]), strict=True))


@lru_cache(maxsize=64)
def _effects(world: str, changed: tuple[tuple[str, float], ...], key: str) -> tuple[str, ...]:
    """Return the effect of a change on each metric; `verify` asks again for what was just generated."""
    arms = [
        run_all(
            world,
            dict(overrides),
            [seed for block in range(BLOCKS) for seed in seeds(key, f"truth {block}", arm)],
        )
        for arm, overrides in enumerate(((), changed))
    ]
    return tuple(_effect(arms[0][:, k], arms[1][:, k]) for k in range(arms[0].shape[1]))


def _effect(before: Any, after: Any) -> str:
    test = mann_whitney(before, after)
    return EFFECTS[test.dominance < 0] if test.p < CLEAR else EFFECTS[2]

"""Tasks of the sets v1 that ask for a signature, or for a metric that nobody names.

The candidates of a task are alike in the target of their world alone. In other metrics they differ, so that
whoever has the simulation can often tell from one probe what was changed. Therefore an answer counts only
where the episode's own probes prove it (`scoring`).

The truth of a blind task takes 192 runs and exact tests of 48 against 48 values. That of the frozen set is
committed, and the long tier of the tests finds it again. That of other tasks is found when they are made.

    python -m assay.suites.petri.v1.signatures     # finds the truth of blind-v1 and writes the table
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from assay import canonical
from assay.numbers.rng import Stream
from assay.numbers.stats import mann_whitney
from assay.suites.petri.questions.answers import EFFECTS, VECTOR, choices, signature
from assay.suites.petri.v1.arms import matrices, seeds, shown_vector
from assay.suites.petri.v1.ranges import WORLDS
from assay.suites.petri.v1.rules import question_of
from assay.suites.petri.v1.runs import run_all
from assay.task import Task, read_frozen
from assay.writing import write_whole

DATA_FILES = ("../data/effects.csv",)

FIELDS = ("world", "changed", "key", "effects")
"""Columns of the committed table; `changed` is canonical JSON, `effects` has one word a metric."""

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
    effects = committed().get(_asked_of(task)) or found_effects(*_asked_of(task))
    return dict(zip(metrics, effects, strict=True))


Changed = tuple[tuple[str, float], ...]
"""The changed parameters of a task with their values."""


def _asked_of(task: Task) -> tuple[str, Changed, str]:
    """Return all that the effects of a blind task depend on: its world, what was changed, and its key."""
    changed = tuple((driver["parameter"], driver["value"]) for driver in task.hidden["drivers"])
    return task.public["world"], changed, task.hidden["key"]


@cache
def committed() -> Mapping[tuple[str, Changed, str], tuple[str, ...]]:
    """Return the committed effects by world, changed parameters and key."""
    rows = csv.DictReader(io.StringIO(path().read_text(encoding="utf-8")))
    return {
        (
            row["world"],
            tuple((name, value) for name, value in canonical.loads(row["changed"])),
            row["key"],
        ): tuple(row["effects"].split())
        for row in rows
    }


@lru_cache(maxsize=64)
def found_effects(world: str, changed: Changed, key: str) -> tuple[str, ...]:
    """Return the effect of a change on each metric, found by simulation; `verify` asks again for what was
    just generated."""
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


def table(tasks: Sequence[Task]) -> str:
    """Return the effects of blind tasks, found by simulation, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FIELDS)
    for task in tasks:
        world, changed, key = _asked_of(task)
        writer.writerow(
            (
                world,
                canonical.dumps([list(pair) for pair in changed]),
                key,
                " ".join(found_effects(world, changed, key)),
            )
        )
    return text.getvalue()


def path() -> Path:
    """Return the path of the committed table."""
    return Path(__file__).parent / DATA_FILES[0]


if __name__ == "__main__":
    write_whole(
        path(),
        table([read_frozen(file) for file in sorted(Path("tasks/petri/blind-v1").glob("[0-9]*.json"))]),
    )

"""What a run of learning leaves: the curve, its figure, and measures before and after.

A rise of the reward alone may be a trick of the model. So the suite's own objective scores, which know the
reference, stand beside it, and the length, the variety and the likeness to the prompt.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import plotting
from assay.suites.sgi.columns.idea_generation import objective_parts
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.lab.learning.configuration import Learning
from assay.suites.sgi.lab.learning.prompts import Prompt
from assay.suites.sgi.lab.learning.rewards import (
    OBJECTIVES,
    ObjectiveName,
    answer_of,
    cosines,
    innovation,
    is_new,
    soundness,
)
from assay.suites.sgi.lab.learning.template_policy import Learned
from assay.suites.sgi.metrics.embedding import cosine, words
from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table
from assay.writing import write_whole

if TYPE_CHECKING:
    from assay.suites.sgi.lab.learning.model_training import Trained

CURVE = Schema(
    "learning_curve",
    1,
    (
        Column("step", "int64", "updates of the weights so far, this one included"),
        Column("format", "float64", "share of the step's replies that have the form"),
        Column("novelty", "float64", "share that is new"),
        Column("soundness", "float64", "mean soundness", nullable=True),
        Column("total", "float64", "mean reward"),
        Column("length", "float64", "mean length of a reply", unit="tokens"),
        Column("loss", "float64", "as TRL reports it", nullable=True),
    ),
    key=("step",),
    doc="One row a step. Made on one machine: another may round otherwise.",
)

PUBLISHED_CURVE = {
    "step": (1, 5, 30, 50, 100, 200, 300, 400, 500, 600, 700, 800, 945),
    "format": (0.75, 0.71, 0.91, 0.96, 0.99, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00),
    "novelty": (0.44, 0.34, 0.50, 0.55, 0.51, 0.63, 0.69, 0.73, 0.77, 0.77, 0.75, 0.81, 0.81),
}
"""Read off the figure of arXiv 2512.16969, smoothed, to 0.02."""

WINDOW = 10
"""Steps over which the figure's lines are averaged."""


def smoothed(values: Sequence[float], window: int = WINDOW) -> list[float]:
    """The mean of each value and those before it, as many as the window has."""
    return [
        math.fsum(values[max(0, at - window + 1) : at + 1]) / min(at + 1, window) for at in range(len(values))
    ]


def write_curve(folder: Path, rows: Sequence[dict[str, Any]], title: str) -> None:
    """Write `curve.parquet` and `curve.svg`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(list(rows), folder / "curve.parquet", CURVE)
    with plotting.style():
        figure = drawn(rows)
        plotting.save_svg(
            figure,
            folder / "curve.svg",
            title=title,
            description=f"Rewards by step, means over {WINDOW} steps; beside them the published curve of "
            "another model on other prompts.",
        )


def drawn(rows: Sequence[dict[str, Any]]) -> Any:
    """The figure: rewards on the left, the published run on the right."""
    figure = plotting.figure(180, 75)
    own, published = figure.subplots(1, 2, sharey=True)
    steps = [row["step"] for row in rows]
    # Where two rewards are the same, both lines can be seen.
    shown = [("format", "form", "blue", "-", 2.4), ("novelty", "new", "orange", "--", 1.2)]
    if any(row["soundness"] is not None for row in rows):
        shown.append(("soundness", "sound", "green", "-", 1.2))
    for name, label, colour, line, width in shown:
        values = smoothed([row[name] or 0.0 for row in rows])
        own.plot(steps, values, line, color=plotting.COLOURS[colour], label=label, linewidth=width)
    own.set(xlabel="step", ylabel="mean reward", ylim=(-0.03, 1.03), title="this run")
    own.legend(loc="lower right")
    for name, label, colour, *_ in shown[:2]:
        published.plot(
            PUBLISHED_CURVE["step"],
            PUBLISHED_CURVE[name],
            "o-",
            color=plotting.COLOURS[colour],
            label=label,
            markersize=3,
        )
    published.set(xlabel="step", title="published: other model, other prompts")
    published.legend(loc="lower right")
    for axes in (own, published):
        axes.grid(axis="y")
    return figure


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
        "format": len(answered) / n if n else None,
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


def distinct_pairs(replies: Sequence[str]) -> float:
    """Distinct-2: different neighbouring pairs of words over all of them; 0 where there is none."""
    pairs = [pair for reply in replies for pair in pairwise(words(reply))]
    return len(set(pairs)) / len(pairs) if pairs else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


PUBLISHED: Mapping[str, Any] = {
    "novelty_before": 49.36,
    "novelty_after": 62.06,
    "feasibility_of_the_best_model": 22.90,
    "note": "arXiv 2512.16969, Qwen3-8B and other prompts: not comparable with the values of this run",
}
"""What the paper reports of learning at test time and of the feasibility of ideas, in points."""


def of_model(
    folder: Path, settings: Learning, trained: Trained, embedder: NamedEmbedder, corpus_sha256: str
) -> dict[str, Any]:
    """Write the files of a model's training; returns what is shown."""
    aim = settings.rewarding.objective
    write_curve(folder, trained.curve, f"Test-time learning, objective {aim}")
    threshold = settings.rewarding.threshold
    sides = {
        "before": measured(trained.before, embedder, threshold),
        "after": measured(trained.after, embedder, threshold),
    }
    value = {
        "objective": aim,
        "optimises": OBJECTIVES[aim].optimises,
        "embedder": embedder.name,
        "corpus_sha256": corpus_sha256,
        "settings": settings.model_dump(),
        "steps": len(trained.curve),
        **sides,
        "published": PUBLISHED,
        "examples": [reply for _, reply in trained.after[:4]],
    }
    _write(folder, value)
    return {
        "steps": len(trained.curve),
        "first": _rewards(trained.curve[0]) if trained.curve else None,
        "last": _rewards(trained.curve[-1]) if trained.curve else None,
        **{side: _rounded(found) for side, found in sides.items()},
        "figure": str(folder / "curve.svg"),
    }


def of_templates(folder: Path, learned: Mapping[ObjectiveName, Sequence[Learned]]) -> dict[str, Any]:
    """Write the files of the policy over ready-made replies: the mean curve of its runs, where they end."""
    shown: dict[str, Any] = {}
    value: dict[str, Any] = {}
    for name, runs in learned.items():
        rows = [_mean_row(rows) for rows in zip(*(run.rows for run in runs), strict=True)]
        write_curve(folder / name, rows, f"Ready-made replies, objective {name}")
        ends = Counter(max(run.contents, key=lambda kind: run.contents[kind]) for run in runs)
        value[name] = {
            "optimises": OBJECTIVES[name].optimises,
            "runs": len(runs),
            "first": rows[0],
            "last": rows[-1],
            "ends_with": {kind: ends[kind] for kind in runs[0].contents},
        }
        last = {reward: rows[-1][reward] for reward in ("format", "novelty", "soundness")}
        shown[name] = {**_rounded(last), "runs that end with": value[name]["ends_with"]}
    _write(folder, value)
    return shown


def _mean_row(rows: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """A row of the mean curve."""
    means = {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0] if name != "step"}
    return {"step": rows[0]["step"], **means, "length": 0.0, "loss": None}


def _write(folder: Path, value: Mapping[str, Any]) -> None:
    write_whole(
        folder / "summary.json", json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    )


def _rewards(row: Mapping[str, Any]) -> dict[str, Any]:
    return _rounded({name: row[name] for name in ("format", "novelty", "soundness", "total")})


def _rounded(values: Mapping[str, float | None]) -> dict[str, Any]:
    return {name: None if value is None else round(value, 3) for name, value in values.items()}

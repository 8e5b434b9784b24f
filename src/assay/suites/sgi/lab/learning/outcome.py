"""What a run of learning leaves: the curve, its figure, and measures before and after.

A rise of the reward alone may be a trick of the model. So the suite's own objective scores, which know the
reference, stand beside it, and the length, the variety and the likeness to the prompt.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from assay import plotting
from assay.config import yaml
from assay.suites.sgi.columns.idea_generation import objective_parts
from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.lab.learning.configuration import Learning
from assay.suites.sgi.lab.learning.prompts import Prompt
from assay.suites.sgi.lab.learning.rewards import (
    OBJECTIVES,
    ObjectiveName,
    answer_of,
    innovation,
    is_new,
    soundness,
)
from assay.suites.sgi.lab.learning.template_policy import Learned
from assay.suites.sgi.metrics.embedding import cosine, words
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import mean
from assay.tables.writer import write_table
from assay.writing import write_whole

if TYPE_CHECKING:
    from assay.suites.sgi.lab.learning.model_training import Trained

DATA_FILES = ("published.yaml",)

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

WINDOW = 10
"""Steps over which the figure's lines are averaged."""

# Where two rewards are the same, both lines can be seen.
LINES = (("format", "blue", "-", 2.4), ("novelty", "orange", "--", 1.2), ("soundness", "green", "-", 1.2))


def _published() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
    return found


def write_curve(folder: Path, rows: Sequence[Mapping[str, Any]], title: str) -> None:
    """Write `curve.parquet`, and `curve.svg`: rewards on the left, the published run on the right."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table([dict(row) for row in rows], folder / "curve.parquet", CURVE)
    frame = pd.DataFrame(rows)
    means = frame[[name for name, *_ in LINES]].astype(float).rolling(WINDOW, min_periods=1).mean()
    with plotting.style():
        figure = plotting.figure(180, 75)
        panels = figure.subplots(1, 2, sharey=True)
        titles = ("this run", "published: other model, other prompts")
        for axes, title_of, source in zip(
            panels, titles, (means.assign(step=frame["step"]), _published()["curve"]), strict=True
        ):
            for name, colour, line, width in LINES:
                if name in source and not pd.isna(source[name]).all():
                    drawn = {"color": plotting.COLOURS[colour], "linewidth": width, "label": name}
                    axes.plot(source["step"], source[name], line, **drawn)
            axes.set(xlabel="step", ylim=(-0.03, 1.03), title=title_of)
            axes.legend(loc="lower right")
            axes.grid(axis="y")
        panels[0].set_ylabel("mean reward")
        description = f"Rewards by step, means over {WINDOW} steps; beside them the published curve of "
        plotting.save_svg(
            figure,
            folder / "curve.svg",
            title=title,
            description=f"{description}another model on other prompts.",
        )


def measured(
    replies: Sequence[tuple[Prompt, str]], embedder: NamedEmbedder, threshold: float
) -> dict[str, float | None]:
    """Means over replies; null where nothing has an answer. Scores of the suite are 0 to 100."""
    answered = [(prompt, answer) for prompt, reply in replies if (answer := answer_of(reply)) is not None]
    distances = [innovation(answer, prompt.related, embedder) for prompt, answer in answered]
    parts = [objective_parts(prompt.item, answer, "objective", embedder)[0] for prompt, answer in answered]
    pairs = [pair for _, reply in replies for pair in pairwise(words(reply))]
    return {
        "replies": float(len(replies)),
        "format": len(answered) / len(replies) if replies else None,
        "new": sum(is_new(far, threshold) for far in distances) / len(replies) if replies else None,
        "novelty": mean([10 * far for far in distances]),
        "soundness": mean([soundness(answer) for _, answer in answered]),
        **{
            name: mean([10 * own[name] for own in parts])
            for name in ("effectiveness", "feasibility", "detailedness")
        },
        "words": mean([float(len(words(reply))) for _, reply in replies]),
        # Distinct-2: different neighbouring pairs of words over all replies.
        "distinct_pairs": len(set(pairs)) / len(pairs) if pairs else 0.0,
        "like_prompt": mean([cosine(embedder(answer), embedder(p.text)) for p, answer in answered]),
    }


def of_model(
    folder: Path, settings: Learning, trained: Trained, embedder: NamedEmbedder, corpus_sha256: str
) -> dict[str, Any]:
    """Write the files of a model's training; returns what is shown."""
    aim, threshold = settings.rewarding.objective, settings.rewarding.threshold
    write_curve(folder, trained.curve, f"Test-time learning, objective {aim}")
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
        "published": _published()["figures"],
        "examples": [reply for _, reply in trained.after[:4]],
    }
    _write(folder, value)
    return {
        "steps": len(trained.curve),
        **{side: _rounded(found) for side, found in sides.items()},
        "figure": str(folder / "curve.svg"),
    }


def of_templates(folder: Path, learned: Mapping[ObjectiveName, Sequence[Learned]]) -> dict[str, Any]:
    """Write the files of the policy over ready-made replies: the mean curve of its runs, where they end."""
    shown: dict[str, Any] = {}
    value: dict[str, Any] = {}
    for name, runs in learned.items():
        means = pd.concat([pd.DataFrame(run.rows) for run in runs]).groupby("step", as_index=False).mean()
        rows: list[Any] = means.assign(length=0.0, loss=None).to_dict("records")
        write_curve(folder / name, rows, f"Ready-made replies, objective {name}")
        ends = Counter(max(run.contents, key=lambda kind: run.contents[kind]) for run in runs)
        value[name] = {
            "optimises": OBJECTIVES[name].optimises,
            "runs": len(runs),
            "first": rows[0],
            "last": rows[-1],
            "ends_with": {kind: ends[kind] for kind in runs[0].contents},
        }
        last = _rounded({reward: rows[-1][reward] for reward, *_ in LINES})
        shown[name] = {**last, "runs that end with": value[name]["ends_with"]}
    _write(folder, value)
    return shown


def _write(folder: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    write_whole(folder / "summary.json", text + "\n")


def _rounded(values: Mapping[str, float | None]) -> dict[str, Any]:
    return {name: None if value is None else round(value, 3) for name, value in values.items()}

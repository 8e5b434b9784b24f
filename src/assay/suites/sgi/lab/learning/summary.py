"""What a run of learning leaves: the curve, its figure, and a summary with what each objective optimises."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.suites.sgi.embeddings.embedder import NamedEmbedder
from assay.suites.sgi.lab.learning import curve
from assay.suites.sgi.lab.learning.configuration import Learning
from assay.suites.sgi.lab.learning.measures import measured
from assay.suites.sgi.lab.learning.objectives import OBJECTIVES, ObjectiveName
from assay.suites.sgi.lab.learning.template_policy import Learned, Point
from assay.writing import write_whole

if TYPE_CHECKING:
    from assay.suites.sgi.lab.learning.model_training import Trained


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
    curve.write(folder, trained.curve, f"Test-time learning, objective {aim}")
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
        rows = [_mean_point(points) for points in zip(*(run.points for run in runs), strict=True)]
        curve.write(folder / name, rows, f"Ready-made replies, objective {name}")
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


def _mean_point(points: Sequence[Point]) -> dict[str, Any]:
    """A row of the mean curve."""
    means = {
        reward: math.fsum(getattr(point, reward) for point in points) / len(points)
        for reward in ("format", "novelty", "soundness", "total")
    }
    return {"step": points[0].step, **means, "length": 0.0, "loss": None}


def _write(folder: Path, value: Mapping[str, Any]) -> None:
    write_whole(
        folder / "summary.json", json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    )


def _rewards(row: Mapping[str, Any]) -> dict[str, Any]:
    return _rounded({name: row[name] for name in ("format", "novelty", "soundness", "total")})


def _rounded(values: Mapping[str, float | None]) -> dict[str, Any]:
    return {name: None if value is None else round(value, 3) for name, value in values.items()}

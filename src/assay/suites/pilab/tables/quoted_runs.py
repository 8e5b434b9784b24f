"""The 36 published runs of language models, as the paper quotes them, and what must follow from them.

`config/published/pilab.yaml` holds the figures: of each model by seed [IMPACT, collapsed, citations, most
cited paper, publications, dead ends, quits, boom captured], and its axes. The runs were not released.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.numbers.portable import exp, log
from assay.suites.pilab.measures.axes import quantile, spearman, variance_shares

LN_10 = 2.302585092994046

AXES = (
    "actions",
    "conversion",
    "hit_rate",
    "tokens",
    "risk",
    "anticipation",
    "attrition",
    "mentoring_share",
    "utilization",
)
"""Axes whose rank correlation with mean IMPACT is published."""


@dataclass(frozen=True)
class QuotedRun:
    """One published run."""

    model: str
    seed: int
    impact: float
    collapsed: bool
    citations: int
    top_paper: int
    publications: int
    dead_ends: int
    quits: int
    boom: float


def runs(published: Mapping[str, Any]) -> list[QuotedRun]:
    """All of them, by model and seed."""
    return [
        QuotedRun(model, int(seed), float(impact), bool(collapsed), *rest)
        for model, by_seed in published["runs"].items()
        for seed, (impact, collapsed, *rest) in by_seed.items()
    ]


def statistics(published: Mapping[str, Any]) -> dict[str, float]:
    """What follows from the quoted figures alone, by name."""
    found = runs(published)
    models = list(published["runs"])
    by_model = {model: [run for run in found if run.model == model] for model in models}
    logs = [[log(max(1.0, run.impact)) / LN_10 for run in by_model[model]] for model in models]
    shares = variance_shares(logs)
    means = {model: published["axes"][model]["impact"] for model in models}
    result = {f"variance: {name}": s for name, s in zip(("model", "seed", "rest"), shares, strict=True)}
    for model, row in zip(models, logs, strict=True):
        result[f"geometric mean: {model}"] = exp(math.fsum(row) / len(row) * LN_10)
    for axis in AXES:
        pairs = [
            (published["axes"][model][axis], means[model])
            for model in models
            if published["axes"][model][axis] is not None
        ]
        correlation = spearman([a for a, _ in pairs], [b for _, b in pairs])
        assert correlation is not None
        result[f"spearman: {axis}"] = correlation
    earned = [math.fsum(run.citations for run in by_model[model]) for model in models]
    correlation = spearman(earned, [means[model] for model in models])
    assert correlation is not None
    result["spearman: earned only"] = correlation
    projected = [1 - run.citations / run.impact for run in found if run.impact > 0]
    result["projection: median"] = quantile(projected, 0.5)
    result["projection: lower quartile"] = quantile(projected, 0.25)
    result["projection: upper quartile"] = quantile(projected, 0.75)
    axes = published["axes"]
    proposals = sum(axes[model]["proposals"] for model in models)
    result["proposals"] = float(proposals)
    result["hit rate"] = 3 * math.fsum(axes[model]["grants"] for model in models) / proposals
    result["quits"] = float(sum(run.quits for run in found))
    return result

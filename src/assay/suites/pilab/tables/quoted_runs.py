"""The 36 published runs of language models, as the paper quotes them, and statistics that follow from them.

`config/published/pilab.yaml` holds the figures. For each model and seed it has a list [IMPACT, collapsed,
citations, citations of the most cited paper, publications, dead ends, quits, boom captured], and for each
model the values of the axes. The runs themselves were not released.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.numbers.portable import exp
from assay.suites.pilab.measures.axes import quantile, spearman, variance_shares
from assay.suites.pilab.tables.readings import LN_10, log_impact

AXES = (
    "actions", "conversion", "hit_rate", "tokens", "risk", "anticipation", "attrition", "mentoring_share",
    "utilization",
)  # fmt: skip
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


def runs(published: Mapping[str, Any]) -> dict[str, list[QuotedRun]]:
    """Return the runs of each model, one for each seed."""
    return {
        model: [
            QuotedRun(model, int(seed), float(impact), bool(collapsed), *rest)
            for seed, (impact, collapsed, *rest) in by_seed.items()
        ]
        for model, by_seed in published["runs"].items()
    }


def statistics(published: Mapping[str, Any]) -> dict[str, float]:
    """Return the statistics that follow from the quoted figures alone, by name.

    Args:
        published: the content of `config/published/pilab.yaml`.

    Returns:
        Shares of variance, geometric means, rank correlations with mean IMPACT, and totals.
    """
    by_model, axes = runs(published), published["axes"]
    every = [run for of_model in by_model.values() for run in of_model]
    logs = [[log_impact(run.impact) for run in of_model] for of_model in by_model.values()]
    shares = zip(("model", "seed", "rest"), variance_shares(logs), strict=True)
    result = {f"variance: {name}": share for name, share in shares}
    for model, row in zip(by_model, logs, strict=True):
        result[f"geometric mean: {model}"] = exp(math.fsum(row) / len(row) * LN_10)
    means = [axes[model]["impact"] for model in by_model]
    for axis in AXES:
        result[f"spearman: {axis}"] = _with_impact([axes[model][axis] for model in by_model], means)
    earned = [math.fsum(run.citations for run in of_model) for of_model in by_model.values()]
    result["spearman: earned only"] = _with_impact(earned, means)
    projected = [1 - run.citations / run.impact for run in every if run.impact > 0]
    for name, share in {"median": 0.5, "lower quartile": 0.25, "upper quartile": 0.75}.items():
        result[f"projection: {name}"] = quantile(projected, share)
    proposals = sum(axes[model]["proposals"] for model in by_model)
    result["proposals"] = float(proposals)
    result["hit rate"] = 3 * math.fsum(axes[model]["grants"] for model in by_model) / proposals
    result["quits"] = float(sum(run.quits for run in every))
    return result


def known_models(published: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of models that have a value, by axis."""
    return {
        axis: sum(row[axis] is not None for row in published["axes"].values() if axis in row) for axis in AXES
    }


def _with_impact(values: Sequence[float | None], means: Sequence[float]) -> float:
    """Return the rank correlation of values with mean IMPACT, over the models that have a value."""
    pairs = [(value, mean) for value, mean in zip(values, means, strict=True) if value is not None]
    correlation = spearman([value for value, _ in pairs], [mean for _, mean in pairs])
    assert correlation is not None
    return correlation

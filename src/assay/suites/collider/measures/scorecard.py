"""One submission against one reference: validity first, then every metric, in the form of `score.json`."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.suites.collider.measures import metrics, uncertainty
from assay.suites.collider.measures.uncertainty import Errors
from assay.suites.collider.measures.validity import Validity, check
from assay.suites.collider.problems.reference import Reference

VERSION = 1
"""Version of the scorer; it is raised when a number that it returns changes."""

DIGITS = 6
PERCENT_DIGITS = 3

SHAPE = {
    "d_shape": metrics.shape_distance,
    "mean_abs_frac_error_pct": metrics.shape_error_pct,
    "d_bar": metrics.total_variation,
    "d_max": metrics.largest_difference,
    "dmax_dbar_ratio": metrics.concentration,
    "jensen_shannon": metrics.jensen_shannon,
    "lambda_shape": metrics.likelihood_ratio_shape,
}
NORMALIZATION = {
    "delta_norm": metrics.norm_error,
    "rmsle": metrics.rmsle,
    "lambda_norm": metrics.likelihood_ratio_norm,
}


@dataclass(frozen=True)
class Card:
    """The score of one submission: `d` is 1 if it is invalid or empty, `values` holds the other metrics."""

    validity: Validity
    d: float
    acc: bool
    values: Mapping[str, float | None]


def score(
    data: bytes | None, reference: Reference, monte_carlo: tuple[float, ...] | None = None, seed: int = 0
) -> Card:
    """Score a submitted file.

    Args:
        data: the bytes of the file; None if there is none.
        reference: what the submission is compared with.
        monte_carlo: standard deviations of the submitted yields (events per bin); None if they are not known.
        seed: the seed of the bootstrap.
    """
    validity = check(data, reference.binning)
    if validity.yields is None:
        return Card(validity, 1.0, False, {})
    y, r = validity.yields, reference.yields
    shape = reference.mode == "shape"
    d = metrics.shape_distance(y, r) if shape else metrics.distance(y, r)
    d = 1.0 if d is None else d  # only an empty answer has no shape
    errors = Errors(reference.errors, reference.cross_section_error or 0.0, monte_carlo)
    values: dict[str, float | None] = {}
    if reference.mode != "yield":
        values |= {name: metric(y, r) for name, metric in SHAPE.items()}
        if values["d_shape"] is None:
            values["d_shape"] = 1.0
        divergence = values["jensen_shannon"]
        values["jensen_shannon_dist"] = None if divergence is None else math.sqrt(divergence)
    if not shape:
        values |= {name: metric(y, r) for name, metric in NORMALIZATION.items()}
        values["pull"] = uncertainty.pull(y, r, errors)
        values["d_floor"] = uncertainty.floor(r, errors)
    bounds = uncertainty.interval(y, r, errors, seed, norm=not shape)
    values["d_low"], values["d_high"] = bounds or (None, None)
    return Card(validity, d, metrics.accepted(d), values)


def to_json(
    card: Card, data: bytes | None, reference: Reference, identity: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of `score.json`.

    `identity` holds its first entries, such as task id, paper and the digest of the reference.
    """
    blocks: dict[str, Any] = {}
    if reference.mode != "yield":
        blocks["shape"] = _block(card, [*SHAPE, "jensen_shannon_dist"])
    if reference.mode != "shape":
        block = _block(card, NORMALIZATION)
        error = card.values.get("delta_norm")
        block["mean_abs_frac_error_pct"] = None if error is None else round(100 * error, PERCENT_DIGITS)
        blocks["normalization"] = block
    bins = _bins(card.validity.yields, reference)
    return {
        **identity,
        "header_name": reference.binning.series,
        "n_bins": len(reference.yields),
        "n_filled": card.validity.filled,
        "score_mode": reference.mode,
        "valid": card.validity.valid,
        "invalid_reason": card.validity.reason,
        "invalid_detail": card.validity.detail or None,
        "d": _rounded(card.d),
        "acc": int(card.acc),
        "tau": metrics.TAU,
        **blocks,
        "uncertainty": {
            **_block(card, ["pull", "d_floor", "d_low", "d_high"]),
            "reference_errors": "published" if reference.published else "printed digits only",
            "cross_section_error": reference.cross_section_error,
        },
        "bins": bins,
        "submission_sha256": None if data is None else hashlib.sha256(data).hexdigest(),
        "scorer_version": VERSION,
    }


def _block(card: Card, names: Any) -> dict[str, Any]:
    return {
        name: _rounded(card.values.get(name), PERCENT_DIGITS if name.endswith("_pct") else DIGITS)
        for name in names
    }


def _bins(y: tuple[float, ...] | None, reference: Reference) -> list[dict[str, Any]]:
    """Return the error of each bin, in events and relative to the reference (None if that is 0)."""
    if y is None:
        return []
    return [
        {
            "low": low,
            "high": high,
            "error": _rounded(a - b),
            "relative_error": _rounded((a - b) / b) if b else None,
            "reference_error": _rounded(e),
        }
        for (low, high), a, b, e in zip(
            reference.binning.bins, y, reference.yields, reference.errors, strict=True
        )
    ]


def _rounded(value: float | None, digits: int = DIGITS) -> float | None:
    return None if value is None else round(value, digits)

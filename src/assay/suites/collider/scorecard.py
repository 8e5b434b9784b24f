"""One submission against one reference: validity first, then every metric, in the form of `score.json`."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.suites.collider import metrics, uncertainty
from assay.suites.collider.histogram import Binning
from assay.suites.collider.metrics import TAU
from assay.suites.collider.uncertainty import Errors
from assay.suites.collider.validity import Validity, check

Mode = Literal["shape_norm", "shape", "yield"]
MODES: tuple[Mode, ...] = ("shape_norm", "shape", "yield")

VERSION = 1
"""Of the scorer; raised when a number that it gives changes."""

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
class Reference:
    """What a submission is compared with: bins, yields (events per bin) and what is known of their errors.

    `published` says whether the errors are the paper's, and not only what its printed digits leave open.
    """

    binning: Binning
    yields: tuple[float, ...]
    errors: tuple[float, ...]
    published: bool = False
    cross_section_error: float = 0.0
    mode: Mode = "shape_norm"

    def distance(self, y: tuple[float, ...]) -> float | None:
        """d in the reference's mode: of the yields, or of the shapes."""
        if self.mode == "shape":
            return metrics.shape_distance(y, self.yields)
        return metrics.distance(y, self.yields)

    def uncertainties(self, monte_carlo: tuple[float, ...] | None) -> Errors:
        """All that is known, given the statistics of a submission's events."""
        return Errors(self.errors, self.cross_section_error, monte_carlo)


@dataclass(frozen=True)
class Card:
    """The score of one submission: `d` is 1 where it is invalid or empty, `values` has the other metrics."""

    validity: Validity
    d: float
    acc: bool
    values: Mapping[str, float | None]


def score(
    data: bytes | None, reference: Reference, monte_carlo: tuple[float, ...] | None = None, seed: int = 0
) -> Card:
    """Score the bytes of a submitted file (null: no file); `seed` is the bootstrap's."""
    validity = check(data, reference.binning)
    if validity.yields is None:
        return Card(validity, 1.0, False, {})
    y, r = validity.yields, reference.yields
    d = reference.distance(y)
    d = 1.0 if d is None else d  # an answer without a shape is an empty one
    found: dict[str, float | None] = {}
    if reference.mode != "yield":
        found |= {name: metric(y, r) for name, metric in SHAPE.items()}
        if found["d_shape"] is None:
            found["d_shape"] = 1.0
        divergence = found["jensen_shannon"]
        found["jensen_shannon_dist"] = None if divergence is None else math.sqrt(divergence)
    if reference.mode != "shape":
        found |= {name: metric(y, r) for name, metric in NORMALIZATION.items()}
        errors = reference.uncertainties(monte_carlo)
        found["pull"] = uncertainty.pull(y, r, errors)
        found["d_floor"] = uncertainty.floor(r, errors)
    bounds = uncertainty.interval(
        y, r, reference.uncertainties(monte_carlo), seed, norm=reference.mode != "shape"
    )
    found["d_low"], found["d_high"] = bounds or (None, None)
    return Card(validity, d, metrics.accepted(d), found)


def to_json(
    card: Card, data: bytes | None, reference: Reference, identity: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of `score.json`; `identity` are task id, paper and the digest of the reference."""
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
        "tau": TAU,
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
    """The error of each bin, in events and relative to the reference (null where that is 0)."""
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

"""Strict checks that a submission is a histogram in the bins that were asked for.

An invalid submission has the distance 1, as an empty one, and no other metric. The published scorer aligned
bins by their position, dropped null values, and took negative numbers, strings and booleans for yields; this
one does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from assay.suites.collider.formats import documents
from assay.suites.collider.formats.histogram import Binning, document_of, equal_edges, label_of

Reason = Literal[
    "missing_file",
    "parse_error",
    "no_histogram",
    "series_missing",
    "bins_changed",
    "null_bins",
    "non_numeric",
    "non_finite",
    "negative",
]
REASONS: tuple[Reason, ...] = get_args(Reason)

LARGEST_YIELD = 1e100
"""Largest yield. Squares of larger ones overflow, so a larger number counts as not finite."""


@dataclass(frozen=True)
class Validity:
    """The yields of a valid submission (K numbers), or the reason why it is invalid.

    `detail` says where and what is wrong. `filled` counts the bins that hold a valid number, also in an
    invalid submission.
    """

    yields: tuple[float, ...] | None
    reason: Reason | None = None
    detail: str = ""
    filled: int = 0

    @property
    def valid(self) -> bool:
        """Whether the yields can be scored."""
        return self.yields is not None


def check(data: bytes | None, binning: Binning) -> Validity:
    """Check a submitted file against the binning of the template; `data` is None if there is no file."""
    if data is None:
        return Validity(None, "missing_file", "there is no such file")
    try:
        document = document_of(documents.read(data))
    except documents.Unreadable as problem:
        return Validity(None, "parse_error", str(problem))
    if document is None:
        return Validity(None, "no_histogram", "no document holds dependent_variables")
    try:
        return _check(document, binning)
    except _Invalid as invalid:
        return Validity(None, invalid.reason, str(invalid), invalid.filled)


class _Invalid(Exception):
    """Raised for an invalid submission, with the reason."""

    def __init__(self, reason: Reason, detail: str, filled: int = 0) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.filled = filled


def _check(document: Mapping[str, Any], binning: Binning) -> Validity:
    values = _values(document, binning)
    _check_edges(document, binning)
    if len(values) != len(binning.bins):
        raise _Invalid("bins_changed", f"{len(values)} values, and the template has {len(binning.bins)} bins")
    yields: list[float] = []
    wrong: dict[Reason, str] = {}
    for k, value in enumerate(values):
        reason = _judge(value)
        if reason is None:
            yields.append(float(value))
        else:
            wrong.setdefault(reason, f"bin {k}: {str(value)[:40]!r}")
    for reason in REASONS:
        if reason in wrong:
            raise _Invalid(reason, wrong[reason], len(yields))
    return Validity(tuple(yields), filled=len(yields))


def _judge(value: Any) -> Reason | None:
    """Return what is wrong with one value; None if it is a yield."""
    if value is None:
        return "null_bins"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "non_numeric"
    if not math.isfinite(value) or value > LARGEST_YIELD:
        return "non_finite"
    return "negative" if value < 0 else None


def _values(document: Mapping[str, Any], binning: Binning) -> list[Any]:
    dependent = document["dependent_variables"]
    if not isinstance(dependent, list) or not dependent:
        raise _Invalid("no_histogram", "dependent_variables is no list of series")
    series = [entry for entry in dependent if _name(entry) == binning.series]
    if len(series) != 1:
        detail = "is missing" if not series else "occurs twice"
        raise _Invalid("series_missing", f"the series {binning.series!r} {detail}")
    values = series[0].get("values")
    if not isinstance(values, list):
        raise _Invalid("no_histogram", f"the series {binning.series!r} has no list of values")
    if not all(isinstance(value, dict) and "value" in value for value in values):
        raise _Invalid("no_histogram", "an entry of the values has no `value`")
    return [value["value"] for value in values]


def _name(series: Any) -> Any:
    header = series.get("header") if isinstance(series, dict) else None
    return header.get("name") if isinstance(header, dict) else None


def _check_edges(document: Mapping[str, Any], binning: Binning) -> None:
    """Raise `_Invalid` if the file has edges that are not those of the template."""
    independent = document.get("independent_variables")
    if independent is None:
        return
    values = (
        independent[0].get("values")
        if isinstance(independent, list) and len(independent) == 1 and isinstance(independent[0], dict)
        else None
    )
    if not isinstance(values, list) or len(values) != len(binning.bins):
        raise _Invalid("bins_changed", "independent_variables has other bins than the template")
    for k, value in enumerate(values):
        if not _is_bin(value, k, binning):
            low, high = binning.bins[k]
            wanted = repr(binning.labels[k][:40]) if binning.labels else f"{low:g} to {high:g}"
            raise _Invalid("bins_changed", f"bin {k} is not {wanted}")


def _is_bin(value: Any, k: int, binning: Binning) -> bool:
    """Return whether an entry of a file names the template's bin k, by its edges or by its label."""
    if not isinstance(value, dict):
        return False
    if binning.labels:
        return label_of(value.get("value")) == binning.labels[k]
    ends = [value.get(name) for name in ("low", "high")]
    return all(
        isinstance(end, int | float) and not isinstance(end, bool) and equal_edges(wanted, float(end))
        for wanted, end in zip(binning.bins[k], ends, strict=True)
    )

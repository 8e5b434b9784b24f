"""Limits on the strength of signals beside those that the papers publish.

They depend on no episode: counts and selected events are data of the suite.
"""

from __future__ import annotations

import math

import pandas as pd

from assay.protocol import Tables
from assay.suites.collider.limits import counting, points
from assay.suites.collider.limits.likelihood import upper_limit
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame

DIGITS = 4
"""Significant digits of limits: less than a machine's last bits can move, more than the counts deserve."""

CLOSE = 0.3
"""Largest deviation of a limit from the published one that counts as agreement."""

LIMITS = Schema(
    "limits",
    1,
    (
        Column("paper", "string", "the search"),
        Column("point", "string", "a signal point at the end of what the paper excludes"),
        Column("claim", "string", "what the paper says that it excludes"),
        Column("bins", "string", "the bins that are combined: those with the smallest expected limit"),
        Column("generated", "int64", "events behind the filter"),
        Column("selected", "int64", "those in the bins"),
        Column("signal", "float64", "expected signal in the bins at the nominal rate", unit="events"),
        Column("noise", "float64", "its relative Monte Carlo standard deviation"),
        Column("expected", "float64", "median expected 95 % upper limit on the signal strength"),
        Column("observed", "float64", "observed 95 % upper limit on the signal strength"),
        Column("published", "float64", "that of the paper: 1, since the point is on its contour"),
        Column("close", "bool", "whether the observed limit lies within 30 % of the published one"),
        Column("excluded", "float64", "mass on our contour near the point", unit="GeV"),
        Column("published_mass", "float64", "mass on the contour of the paper", unit="GeV"),
        Column("caveat", "string", "why the limit need not agree; empty if it should"),
    ),
    key=("paper", "point"),
    doc="One row a signal point on the published contour of a search.",
)

LIMIT_BINS = Schema(
    "limit-bins",
    1,
    (
        Column("paper", "string", "the search"),
        Column("bin", "string", "a bin or region of the paper"),
        Column("observed", "float64", "observed events", unit="events"),
        Column("background", "float64", "expected background", unit="events"),
        Column("error", "float64", "its standard deviation", unit="events"),
        Column("limit", "float64", "observed 95 % upper limit on the signal", unit="events"),
        Column("expected_limit", "float64", "median expected upper limit", unit="events"),
        Column("published", "float64", "observed limit of the paper", unit="events", nullable=True),
        Column("published_expected", "float64", "its expected limit", unit="events", nullable=True),
        Column("ratio", "float64", "observed limit over the published one", nullable=True),
        Column("expected_ratio", "float64", "expected limit over the published one", nullable=True),
    ),
    key=("paper", "bin"),
    doc="One row a bin of a search: its counts, and the upper limits on the events of any signal in it.",
)


def limits(tables: Tables) -> pd.DataFrame:
    rows = []
    for point in points.signal_points():
        result = points.limit(point)
        observed = _rounded(result.limit.observed)
        rows.append(
            (
                point.paper,
                point.point,
                point.claim,
                result.group,
                point.events,
                result.selected,
                _rounded(result.signal),
                _rounded(1.0 / math.sqrt(result.selected)),
                _rounded(result.limit.expected),
                observed,
                1.0,
                abs(observed - 1.0) <= CLOSE,
                float(round(points.excluded_mass(point, result.limit.observed))),
                point.mass,
                point.caveat,
            )
        )
    return frame(sorted(rows), LIMITS)


def limit_bins(tables: Tables) -> pd.DataFrame:
    rows = []
    for paper in counting.PAPERS:
        for one in counting.search(paper).bins:
            limit = upper_limit([one.count], [1.0])
            ours = (_rounded(limit.observed), _rounded(limit.expected))
            published = one.published or (None, None)
            ratios = [
                None if theirs is None else _rounded(value / theirs)
                for value, theirs in zip(ours, published, strict=True)
            ]
            count = one.count
            rows.append(
                (paper, one.name, count.observed, count.background, count.error, *ours, *published, *ratios)
            )
    return frame(sorted(rows, key=lambda row: row[:2]), LIMIT_BINS)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")

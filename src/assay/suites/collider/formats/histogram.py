"""Histograms in the format of HEPData: bins with their edges, one series of values, and metadata."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

EDGE_TOLERANCE = 1e-9
EDGE_NOISE = 1e-12
"""An edge that was computed may be 2.7756e-17 where 0 is meant, as in a published histogram."""
"""Largest difference of equal edges, relative to the larger one."""


@dataclass(frozen=True)
class Binning:
    """The bins of a histogram and the names of its axes, without values.

    Attributes:
        series: the name of the series of values.
        observable: the name of the variable.
        units: the units of the edges.
        edges: K + 1 ascending numbers; an event beyond the last edge belongs to the last bin.
        labels: K names of bins without edges, as in a table of single yields; then `edges` only number the
            bins.
    """

    series: str
    observable: str
    units: str
    edges: tuple[float, ...]
    labels: tuple[str, ...] = ()

    @property
    def bins(self) -> list[tuple[float, float]]:
        """The low and the high edge of each bin."""
        return list(zip(self.edges, self.edges[1:], strict=False))

    def place(self, value: float) -> int | None:
        """Return the index of the bin that holds a value (the last is open); None below the first bin."""
        if not value >= self.edges[0]:
            return None
        return min(bisect_right(self.edges, value) - 1, len(self.edges) - 2)

    def to_json(self) -> dict[str, Any]:
        return {
            "series": self.series,
            "observable": self.observable,
            "units": self.units,
            "edges": list(self.edges),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Binning:
        return cls(value["series"], value["observable"], value["units"], tuple(value["edges"]))


def write(
    binning: Binning,
    values: Sequence[float | None],
    metadata: Mapping[str, Any] | None = None,
    errors: Sequence[float] | None = None,
) -> str:
    """Return the text of a histogram file: the document of metadata, if there is any, and the histogram."""
    dependent = [
        {"value": value} if errors is None else {"value": value, "errors": [{"symerror": errors[k]}]}
        for k, value in enumerate(values)
    ]
    edges = [{"low": low, "high": high} for low, high in binning.bins]
    named = [{"value": label} for label in binning.labels]
    histogram = {
        "dependent_variables": [{"header": {"name": binning.series}, "values": dependent}],
        "independent_variables": [
            {
                "header": {"name": binning.observable, "units": binning.units},
                "values": named or edges,
            }
        ],
    }
    documents: list[Mapping[str, Any]] = [histogram] if metadata is None else [metadata, histogram]
    text: str = yaml.safe_dump_all(documents, sort_keys=False, width=110, allow_unicode=True)
    return text


def document_of(documents: Sequence[Any]) -> Mapping[str, Any] | None:
    """Return the first document that holds a histogram; None if there is none."""
    for document in documents:
        if isinstance(document, dict) and "dependent_variables" in document:
            return document
    return None


def equal_edges(first: float, second: float) -> bool:
    """Return whether two edges are equal within `EDGE_TOLERANCE`, or both are 0 within `EDGE_NOISE`."""
    allowed = max(EDGE_TOLERANCE * max(abs(first), abs(second)), EDGE_NOISE)
    return math.isfinite(second) and abs(first - second) <= allowed


def label_of(value: Any) -> str | None:
    """Return the label of a bin without edges, given as a string or a number; None for any other value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.12g}"
    return value if isinstance(value, str) else None

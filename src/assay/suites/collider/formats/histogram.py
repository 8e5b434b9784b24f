"""A histogram as HEPData writes it: bins with their edges, one series of values, a page of metadata."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

EDGE_TOLERANCE = 1e-9
"""Edges are equal within this, relative to the larger one."""


@dataclass(frozen=True)
class Binning:
    """The part of a histogram that is fixed before anything is filled in.

    `edges` are K + 1 ascending numbers in `units`; an event beyond the last edge belongs to the last bin.
    `labels` (K texts) are there where bins have names and no edges, as in a table of single yields; the edges
    then only count the bins.
    """

    series: str
    observable: str
    units: str
    edges: tuple[float, ...]
    labels: tuple[str, ...] = ()

    @property
    def bins(self) -> list[tuple[float, float]]:
        """Low and high edge of each bin."""
        return list(zip(self.edges, self.edges[1:], strict=False))

    def place(self, value: float) -> int | None:
        """The bin that holds a value (low <= value < high); the last one is open, below the first is None."""
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
    """The text of a histogram file: two documents, the first left out where there is no metadata."""
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
    """The first document that holds a histogram, None where none does."""
    for document in documents:
        if isinstance(document, dict) and "dependent_variables" in document:
            return document
    return None


def equal_edges(first: float, second: float) -> bool:
    """Whether two edges are the same number but for the last digits of printing."""
    return math.isfinite(second) and abs(first - second) <= EDGE_TOLERANCE * max(abs(first), abs(second))


def label_of(value: Any) -> str | None:
    """The label of a bin that a file names in place of edges: a text, or a number; None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.12g}"
    return value if isinstance(value, str) else None

"""Observed counts and expected backgrounds of the searches, from the files of `data/limits`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.suites.collider.formats import documents
from assay.suites.collider.limits.likelihood import Bin

if TYPE_CHECKING:
    import numpy as np

DATA_FILES = (
    "../data/limits/cms-sus-16-034.yaml",
    "../data/limits/cms-sus-16-046.yaml",
    "../data/limits/cms-sus-16-051.yaml",
    "../data/limits/atlas-susy-2016-07.yaml",
    "../data/limits/atlas-susy-2018-22.yaml",
)

PAPERS = ("CMS-SUS-16-034", "CMS-SUS-16-046", "CMS-SUS-16-051", "ATLAS-SUSY-2016-07", "ATLAS-SUSY-2018-22")
"""The papers whose counts are known; those of CMS-SUS-16-047 are not (docs/collider-limits.md)."""


@dataclass(frozen=True)
class CountingBin:
    """A bin of a search, with the condition on the events that it takes.

    Attributes:
        count: the observed count and the background.
        region: the region of the paper whose cuts come first; None for all events.
        windows: variable and bounds, low <= value < high. None if the bin asks for a variable that samples
            do not
            have.
        published: the paper's upper limits on the events of a signal, observed and expected; None if it has
            none.
    """

    count: Bin
    region: str | None
    windows: tuple[tuple[str, float, float], ...] | None
    published: tuple[float, float] | None

    @property
    def name(self) -> str:
        return self.count.name


@dataclass(frozen=True)
class CountingSearch:
    """The counts of a paper: groups of bins, each of which is combined to one limit."""

    paper: str
    luminosity_fb: float
    source: str
    groups: Mapping[str, tuple[CountingBin, ...]]

    @property
    def bins(self) -> tuple[CountingBin, ...]:
        return tuple(one for group in self.groups.values() for one in group)

    def selected(self, columns: Mapping[str, np.ndarray]) -> dict[str, int]:
        """Return how many events of a sample each bin takes, for the bins that a sample can fill."""
        import numpy as np

        from assay.suites.collider.chain.searches.regions import Cut, selection

        regions = selection(self.paper).regions
        counts = {}
        for one in self.bins:
            if one.windows is None:
                continue
            masks = [Cut("", *window).passes(columns) for window in one.windows]
            if one.region is not None:
                masks.append(regions[one.region].passes(columns))
            counts[one.name] = int(np.all(masks, axis=0).sum())
        return counts


@cache
def search(paper: str) -> CountingSearch:
    """Return the counts of a paper, one of `PAPERS`."""
    document = documents.packaged(f"limits/{paper.lower()}.yaml")
    groups: dict[str, tuple[CountingBin, ...]] = {}
    for name, group in document["groups"].items():
        bins = tuple(_bin(row, group) for row in group["bins"])
        groups |= {one.name: (one,) for one in bins} if group.get("overlapping") else {name: bins}
    return CountingSearch(document["paper"], document["luminosity_fb"], document["source"], groups)


def _bin(row: Mapping[str, Any], group: Mapping[str, Any]) -> CountingBin:
    windows = None
    if "window" in row:
        listed = [*group.get("windows", {}).items(), *row["window"].items()]
        windows = tuple((name, float(low), float((*high, math.inf)[0])) for name, (low, *high) in listed)
    published = row.get("published")
    return CountingBin(
        Bin(row["name"], float(row["observed"]), float(row["background"]), float(row["error"])),
        group.get("region"),
        windows,
        None if published is None else (float(published[0]), float(published[1])),
    )

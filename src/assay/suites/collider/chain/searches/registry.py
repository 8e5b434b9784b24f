"""Registry of the searches of the chain: their variables, and their regions as windows on these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.detector.objects import Event
from assay.suites.collider.chain.detector.particles import Apparatus
from assay.suites.collider.chain.searches import (
    sus_16_034,
    sus_16_046,
    sus_16_047,
    sus_16_051,
    susy_2016_07,
    susy_2018_22,
)
from assay.suites.collider.formats import documents

DATA_FILES = ("../../data/searches.yaml",)


@dataclass(frozen=True)
class Cut:
    """A window on a variable: low <= value < high. `label` is the name of the cut in the paper."""

    label: str
    variable: str
    low: float = -math.inf
    high: float = math.inf

    def passes(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return a mask of the events in the window."""
        values = columns[self.variable]
        return (values >= self.low) & (values < self.high)


@dataclass(frozen=True)
class Region:
    """A signal region: the variable of its histogram, and the cuts in the order of the cut-flow."""

    observable: str
    cuts: tuple[Cut, ...]

    def passes(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return a mask of the events in all windows."""
        return self.flow(columns)[-1][1]

    def flow(self, columns: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
        """Return for each cut its label, and a mask of the events that passed all cuts so far."""
        passed = np.ones(len(columns[self.observable]), np.bool_)
        steps = []
        for cut in self.cuts:
            passed = passed & cut.passes(columns)
            steps.append((cut.label, passed))
        return steps


@dataclass(frozen=True)
class Search:
    """The selection of a paper.

    Attributes:
        paper: the paper's name.
        variables: the variables of an event with their meanings, in the order of a sample's columns.
        compute: returns the variables of each event of a chunk, as float arrays of shape (events,).
        regions: the paper's regions by name.
        apparatus: the detector.
    """

    paper: str
    variables: Mapping[str, str]
    compute: Callable[[Event], dict[str, np.ndarray]]
    regions: Mapping[str, Region]
    apparatus: Apparatus = detector.CMS


def _search(paper: str, compute: Callable[[Event], dict[str, np.ndarray]]) -> Search:
    entry = documents.packaged("searches.yaml")[paper]
    tables = entry["variables"] if isinstance(entry["variables"], list) else [entry["variables"]]
    regions = {
        name: Region(region["observable"], tuple(_cuts(region["cuts"])))
        for name, region in entry["regions"].items()
    }
    return Search(
        paper,
        {name: meaning for table in tables for name, meaning in table.items()},
        compute,
        regions,
        detector.ATLAS if paper.startswith("ATLAS") else detector.CMS,
    )


def _cuts(rows: list[Any]) -> Iterator[Cut]:
    for row in rows:
        if isinstance(row[0], list):
            yield from _cuts(row)
        else:
            label, variable, *bounds = row
            yield Cut(label, variable, *map(float, bounds))


SEARCHES: Mapping[str, Search] = {
    paper: _search(paper, module.variables)
    for paper, module in (
        ("CMS-SUS-16-034", sus_16_034),
        ("CMS-SUS-16-046", sus_16_046),
        ("CMS-SUS-16-047", sus_16_047),
        ("CMS-SUS-16-051", sus_16_051),
        ("ATLAS-SUSY-2016-07", susy_2016_07),
        ("ATLAS-SUSY-2018-22", susy_2018_22),
    )
}

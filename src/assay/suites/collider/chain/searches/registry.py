"""Registry of the searches of the chain: for each paper its variables, its regions and its detector."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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
from assay.suites.collider.chain.searches.regions import Region, selection


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
    declared = selection(paper)
    apparatus = detector.ATLAS if paper.startswith("ATLAS") else detector.CMS
    return Search(paper, declared.variables, compute, declared.regions, apparatus)


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

"""The searches that the chain has."""

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
from assay.suites.collider.chain.searches.regions import Region
from assay.suites.collider.chain.signal.wanted import WANTED as WANTED
from assay.suites.collider.chain.signal.wanted import Wanted as Wanted
from assay.suites.collider.chain.signal.wanted import wanted_by as wanted_by


@dataclass(frozen=True)
class Search:
    """A paper's selection: the variables of an event with what they mean, its regions by name, and the
    detector that measures.
    """

    paper: str
    variables: Mapping[str, str]
    compute: Callable[[Event], dict[str, np.ndarray]]
    regions: Mapping[str, Region]
    apparatus: Apparatus = detector.CMS


SEARCHES: Mapping[str, Search] = {
    paper: Search(paper, module.VARIABLES, module.variables, module.REGIONS)
    for paper, module in (
        ("CMS-SUS-16-034", sus_16_034),
        ("CMS-SUS-16-046", sus_16_046),
        ("CMS-SUS-16-047", sus_16_047),
        ("CMS-SUS-16-051", sus_16_051),
    )
} | {
    paper: Search(paper, module.VARIABLES, module.variables, module.REGIONS, module.APPARATUS)
    for paper, module in (("ATLAS-SUSY-2016-07", susy_2016_07), ("ATLAS-SUSY-2018-22", susy_2018_22))
}

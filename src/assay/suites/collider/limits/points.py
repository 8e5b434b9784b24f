"""Signal points whose limits are computed: what the chain selects of them, and what the papers exclude.

The selected events of each bin are kept in `data/limit_points.yaml`, so that limits need neither the
generator nor the time that it takes. `remade` makes them again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.suites.collider.formats import documents
from assay.suites.collider.limits.counting import CountingSearch, search
from assay.suites.collider.limits.likelihood import Limit, upper_limit

DATA_FILES = ("../data/limit_points.yaml",)


@dataclass(frozen=True)
class SignalPoint:
    """A point at the end of what a paper excludes, where the paper's limit on the strength is 1.

    Attributes:
        paper, point: the search and the signal point.
        filter_name: the filter of its sample.
        events, seed: the events of the sample that pass the filter, and its seed.
        xsec_fb: the cross section in fb, for the states that the paper assumes.
        slope: the derivative of the logarithm of the cross section in the mass of what is produced, per GeV.
        claim: what the paper says that it excludes.
        drawn: the hard processes that the sample stands for.
        selected: the selected events of each bin.
        br: the share of decays that the sample has.
        caveat: why the limit need not agree; empty if it should.
    """

    paper: str
    point: str
    filter_name: str
    events: int
    seed: int
    xsec_fb: float
    slope: float
    claim: str
    drawn: int
    selected: Mapping[str, int]
    br: float = 1.0
    caveat: str = ""

    @property
    def mass(self) -> float:
        """The mass of what is produced, in GeV."""
        return float(self.point.split("_")[1])

    @property
    def search(self) -> CountingSearch:
        return search(self.paper)

    @property
    def weight(self) -> float:
        """The expected events that one selected event stands for."""
        return self.search.luminosity_fb * self.xsec_fb * self.br / self.drawn

    def expected(self, group: str) -> tuple[float, ...]:
        """Return the expected signal in the bins of a group, at the nominal rate."""
        return tuple(self.selected[one.name] * self.weight for one in self.search.groups[group])


@dataclass(frozen=True)
class PointLimit:
    """The limit at a point.

    Attributes:
        group: the bins that were combined: those with the smallest expected limit.
        signal: their expected signal at the nominal rate.
        selected: the events of the sample that they select.
        limit: the upper limits on the signal strength.
    """

    group: str
    signal: float
    selected: int
    limit: Limit


@cache
def signal_points() -> tuple[SignalPoint, ...]:
    """Return the points of `data/limit_points.yaml`, in its order."""
    rows = documents.packaged("limit_points.yaml")["points"]
    return tuple(SignalPoint(**row) for row in rows)


def limit(point: SignalPoint) -> PointLimit:
    """Return the limit at a point, of the group of bins that expects to exclude most."""
    limits = []
    for group, bins in point.search.groups.items():
        if any(one.windows is None for one in bins):
            continue
        signal = point.expected(group)
        found = upper_limit([one.count for one in bins], signal)
        selected = sum(point.selected[one.name] for one in bins)
        limits.append(PointLimit(group, math.fsum(signal), selected, found))
    return min(limits, key=lambda one: one.limit.expected)


def excluded_mass(point: SignalPoint, strength: float) -> float:
    """Return the mass (GeV) near a point at which the limit on the strength would be 1.

    The efficiency is taken as constant, and the cross section as exponential in the mass.

    Args:
        point: the point.
        strength: its upper limit.
    """
    return point.mass + math.log(strength) / point.slope


def remade(point: SignalPoint, events: int | None = None) -> dict[str, Any]:
    """Generate the sample of a point again, and return `drawn` and `selected` of it."""
    from assay.suites.collider.chain import samples

    card = samples.Card(point.paper, point.point, point.filter_name)
    columns = samples.sample(card, point.seed, point.events if events is None else events)
    return {"drawn": int(columns["drawn"].sum()), "selected": point.search.selected(columns)}

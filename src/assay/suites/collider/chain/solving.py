"""From a task to yields: the sample to generate for it, and the histogram of its selected events."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.suites.collider.chain import samples
from assay.suites.collider.chain.samples import Card, Columns
from assay.suites.collider.chain.searches.regions import Region
from assay.suites.collider.chain.searches.registry import SEARCHES
from assay.suites.collider.chain.signal import points
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.problems.orders import wanted_of
from assay.task import Task


class EmptySelection(AssayError):
    """No generated event was selected."""


class IllegalEvents(AssayError):
    """Events that cannot be put into a histogram."""


@dataclass(frozen=True)
class Solution:
    """The answer to a task from a sample.

    Attributes:
        yields: expected events in each bin.
        errors: the Monte Carlo standard deviations of the yields.
        counts: the selected events in each bin.
        weight: the weight of each event.
        flow: for each cut its name, the generated events that passed all cuts so far, and their expected
            number at the luminosity of the task.
        n_generated: the number of generated events.
        drawn: the number of hard processes that were drawn for them.
        xsec_fb: the cross section in fb.
        lumi_fb: the luminosity in 1/fb.
        br: the share of decays that is generated.
    """

    yields: tuple[float, ...]
    errors: tuple[float, ...]
    counts: tuple[int, ...]
    weight: float
    flow: tuple[tuple[str, int, float], ...]
    n_generated: int
    drawn: int
    xsec_fb: float
    lumi_fb: float
    br: float

    @property
    def filter_eff(self) -> float:
        """The share of hard processes that passed the filter."""
        return self.n_generated / self.drawn

    @property
    def noise(self) -> float | None:
        """The d that Monte Carlo statistics alone would give; None if all yields are zero."""
        norm = math.fsum(y * y for y in self.yields)
        return math.sqrt(math.fsum(e * e for e in self.errors) / norm) if norm else None

    def to_json(self) -> dict[str, Any]:
        numbers = {name: value for name, value in vars(self).items() if name != "flow"}
        return {
            **{name: list(value) if isinstance(value, tuple) else value for name, value in numbers.items()},
            "filter_eff": self.filter_eff,
            "noise": self.noise,
            "cut_flow": [
                {"cut": label, "events": events, "expected": expected}
                for label, events, expected in self.flow
            ],
        }


def card_of(task: Task) -> Card:
    """Return the card of a task. Raises `UnknownName` if the chain has no selection for it."""
    wanted = wanted_of(task.public)
    return Card(wanted.paper, wanted.point, wanted.filter_name)


def region_of(task: Task) -> Region:
    wanted = wanted_of(task.public)
    return SEARCHES[wanted.paper].regions[wanted.region]


def solve(task: Task, events: int, seed: int) -> Solution:
    """Generate `events` events for a task, and return the solution."""
    return solution(task, samples.sample(card_of(task), seed, events))


def solution(task: Task, columns: Columns) -> Solution:
    """Return the solution from a sample of `card_of(task)`. Raises `EmptySelection` if it has no event."""
    card, region = card_of(task), region_of(task)
    binning = Binning.from_json(task.public["histogram"])
    rate = points.rate(points.point(card.point))
    luminosity = float(task.public["luminosity_fb"])
    drawn = int(columns["drawn"].sum())
    weight = luminosity * rate.xsec_fb * rate.br / drawn
    flow = region.flow(columns)
    selected = flow[-1][1]
    counts = histogram(columns[region.observable][selected], binning)
    generated = len(columns["event_id"])
    if not any(counts):
        raise EmptySelection(
            f"none of {generated} events of {card.point} is selected for {task.public['id']}",
            "ask for more events",
        )
    return Solution(
        yields=tuple(n * weight for n in counts),
        errors=tuple(math.sqrt(n) * weight for n in counts),
        counts=counts,
        weight=weight,
        flow=(
            ("generated", generated, generated * weight),
            *((label, int(passed.sum()), int(passed.sum()) * weight) for label, passed in flow),
        ),
        n_generated=generated,
        drawn=drawn,
        xsec_fb=rate.xsec_fb,
        lumi_fb=luminosity,
        br=rate.br,
    )


def histogram(values: np.ndarray, binning: Binning) -> tuple[int, ...]:
    """Count the values in each bin; the last one is open. Raises `IllegalEvents` if a value is not finite."""
    if not np.isfinite(values).all():
        raise IllegalEvents(
            f"{binning.observable} of event {int(np.flatnonzero(~np.isfinite(values))[0])} is no number",
            "make the sample again",
        )
    places = np.searchsorted(binning.edges, values, side="right") - 1
    places = np.minimum(places[places >= 0], len(binning.edges) - 2)
    return tuple(int(n) for n in np.bincount(places, minlength=len(binning.edges) - 1))


def weighted_histogram(
    values: Sequence[float], weights: Sequence[float], binning: Binning
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the sums of weights in each bin and their standard deviations, for events of any weights.

    Raises `IllegalEvents`, which names the first event whose weight is negative or not finite, or whose value
    is not finite.
    """
    bins: list[list[float]] = [[] for _ in binning.bins]
    for n, (value, weight) in enumerate(zip(values, weights, strict=True)):
        if not 0 <= weight < math.inf or not math.isfinite(value):
            raise IllegalEvents(
                f"event {n} has the weight {weight!r} and {binning.observable} {value!r}",
                "weights are finite and not negative; leave other events out",
            )
        k = binning.place(value)
        if k is not None:
            bins[k].append(weight)
    return (
        tuple(math.fsum(members) for members in bins),
        tuple(math.sqrt(math.fsum(w * w for w in members)) for members in bins),
    )

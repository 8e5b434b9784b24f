"""Tests of two samples: do the selected events of both have the statistics of independent samples?

Both tests are exact: given how many events of both samples together lie in a bin, how many of them belong
to the first sample has a hypergeometric distribution, bin after bin. So an honest run is called different
with a probability of at most the given level, however few its events are. All probabilities are ratios of
integers, which are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

Counts = Sequence[int]


def different(first: Counts, events: int, second: Counts, more: int) -> float:
    """Return the p-value of the hypothesis that two samples have the same efficiency in every bin.

    It is the smallest of two-sided exact tests of each bin and of the total, with Bonferroni's factor.

    Args:
        first: selected events of the first sample in each bin.
        events: the events of the first sample, selected or not.
        second: selected events of the second sample in each bin.
        more: the events of the second sample.

    >>> different([50, 20], 500, [46, 24], 500) > 0.5
    True
    >>> different([50, 20], 500, [5, 2], 500) < 1e-6
    True
    """
    pairs = [*zip(first, second, strict=True), (sum(first), sum(second))]
    smallest = min(_two_sided(a, a + b, events, more) for a, b in pairs)
    return min(1.0, float(smallest) * len(pairs))


def alike(first: Counts, events: int, second: Counts, more: int) -> float:
    """Return the p-value of the hypothesis that two samples differ as independent samples do.

    It is small if the counts are nearer to each other than chance allows. The probabilities to be as near,
    bin after bin, are combined by Fisher's method. Arguments are as for `different`.

    >>> alike([500, 400], 1000, [500, 400], 1000) < 0.01
    True
    """
    return fisher([float(p) for p in _nearness(first, events, second, more)])


def constant(samples: Sequence[Counts], events: int) -> float:
    """Return the p-value of the hypothesis that counts of several samples vary as independent samples do.

    It is small if they vary less. Each sample is compared with all before it together.

    Args:
        samples: for each sample its selected events in each bin.
        events: the events of each sample.

    >>> constant([[50, 40, 30, 20]] * 8, 500) < 1e-6
    True
    """
    chances: list[float] = []
    before = [0] * len(samples[0])
    for number, counts in enumerate(samples):
        if number:
            chances += map(float, _nearness(before, number * events, counts, events))
        before = [a + b for a, b in zip(before, counts, strict=True)]
    return fisher(chances)


def fisher(chances: Sequence[float]) -> float:
    """Return the p-value of several independent p-values by Fisher's method; 1 if there are none."""
    half = -math.fsum(math.log(max(p, 1e-300)) for p in chances)
    # The upper tail of chi squared with an even number of degrees of freedom.
    term, terms = 1.0, []
    for k in range(len(chances)):
        terms.append(term)
        term *= half / (k + 1)
    return min(1.0, math.exp(-half) * math.fsum(terms)) if chances else 1.0


def _nearness(first: Counts, events: int, second: Counts, more: int) -> Iterator[Fraction]:
    """Yield for each bin with events the probability to be as near to the expected share or nearer."""
    for a, b in zip(first, second, strict=True):
        if a + b and events + more:
            weights = _weights(a + b, events, more)
            # Distances from the expected number, times a common factor to make them whole.
            expected, scale = (a + b) * events, events + more
            reach = abs(a * scale - expected)
            near = sum(w for j, w in weights.items() if abs(j * scale - expected) <= reach)
            yield Fraction(near, sum(weights.values()))
        events, more = events - a, more - b


def _two_sided(a: int, both: int, events: int, more: int) -> Fraction:
    """Return the probability of a number that is as unlikely as `a`, or less likely."""
    weights = _weights(both, events, more)
    return Fraction(sum(w for w in weights.values() if w <= weights[a]), sum(weights.values()))


def _weights(both: int, events: int, more: int) -> dict[int, int]:
    """Return, for each number that the first sample can have of `both` events, its number of ways."""
    low, high = max(0, both - more), min(both, events)
    weight = math.comb(events, low) * math.comb(more, both - low)
    weights = {low: weight}
    for j in range(low, high):
        weight = weight * (events - j) * (both - j) // ((j + 1) * (more - both + j + 1))
        weights[j + 1] = weight
    return weights

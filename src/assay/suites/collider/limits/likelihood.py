"""The likelihood of counts in bins, and 95 % CL upper limits on the strength of a signal.

Each bin has an observed count, an expected background with its uncertainty, and the expected signal. The
uncertainty is a Poisson measurement of the background on the side, with the count (background /
uncertainty)^2: the modifier `shapesys` of HistFactory, as pyhf has it. Uncertainties of different bins are
independent, and that of the signal is neglected. Limits follow from CLs (Read 2002) with the asymptotic
distributions of the test statistic for upper limits (Cowan et al. 2011). pyhf computes the same from the
workspaces that `exports` writes.

The likelihood is maximised over the background of each bin in closed form, and over the strength by
bisection. So nothing depends on an optimiser, and limits are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.numbers.portable import log
from assay.numbers.stats import normal_tail

LEVEL = 0.05
"""One minus the confidence level."""

STEPS = 60
"""Number of bisections, which narrow an interval to 1e-18 of its width."""

LARGEST = 1e6
"""Largest strength that is tried; a signal that is not excluded there has no limit."""


@dataclass(frozen=True)
class Bin:
    """A bin of a search.

    Attributes:
        name: the bin's name.
        observed: the observed count; not necessarily whole for an expected data set.
        background: the expected background, above 0.
        error: the standard deviation of the background, above 0.
        side: the result of the side measurement, in units of its expectation.
    """

    name: str
    observed: float
    background: float
    error: float
    side: float = 1.0

    @property
    def precision(self) -> float:
        """The expected count of the side measurement."""
        return (self.background / self.error) ** 2

    def best_scale(self, signal: float) -> float:
        """Return the factor on the background that maximises the likelihood, given the signal in this bin.

        It is the positive root of a quadratic equation.
        """
        b, tau = self.background, self.precision
        linear = (self.observed + self.side * tau) * b - (b + tau) * signal
        constant = self.side * tau * signal
        root = math.sqrt(linear * linear + 4.0 * b * (b + tau) * constant)
        return 2.0 * constant / (root - linear) if linear < 0.0 else (root + linear) / (2.0 * b * (b + tau))

    def log_likelihood(self, signal: float) -> float:
        """Return the logarithm of the likelihood, maximised over the background, without constant terms."""
        scale = self.best_scale(signal)
        expected = signal + scale * self.background
        # With scale - 1 in place of the scale, a precise side measurement leaves no large terms that cancel.
        side = self.precision * (self.side * log(scale) - (scale - 1.0))
        return (self.observed * log(expected) if self.observed > 0.0 else 0.0) - expected + side


@dataclass(frozen=True)
class Limit:
    """Upper limits on the strength of a signal; infinite for a signal that is zero in all bins.

    Attributes:
        observed: from the observed counts.
        expected: the median if there is no signal.
    """

    observed: float
    expected: float


def upper_limit(bins: Sequence[Bin], signal: Sequence[float]) -> Limit:
    """Return the upper limits on the factor by which a signal is multiplied.

    Args:
        bins: the bins of a search; they are combined.
        signal: the expected events of the signal in each bin.

    Example:
        >>> limit = upper_limit([Bin("one bin", 3, 2.0, 0.5)], [1.0])
        >>> round(limit.observed, 3), round(limit.expected, 3)
        (5.411, 4.332)
    """
    if not any(signal):
        return Limit(math.inf, math.inf)
    without = _Fit(_expected_without_signal(bins), signal)
    data = _Fit(bins, signal)
    return Limit(
        _crossing(lambda strength: _confidence(data.statistic(strength), without.statistic(strength))),
        _crossing(lambda strength: _confidence(without.statistic(strength), without.statistic(strength))),
    )


class _Fit:
    """A data set with the strength that fits it best, and its test statistic for upper limits."""

    def __init__(self, bins: Sequence[Bin], signal: Sequence[float]) -> None:
        self.bins = bins
        self.signal = signal
        self.best = self._best()
        self.largest = self._log_likelihood(self.best)

    def statistic(self, strength: float) -> float:
        """Return the test statistic; 0 for a strength below the best one."""
        return (
            0.0 if strength <= self.best else max(2.0 * (self.largest - self._log_likelihood(strength)), 0.0)
        )

    def _log_likelihood(self, strength: float) -> float:
        return math.fsum(b.log_likelihood(strength * s) for b, s in zip(self.bins, self.signal, strict=True))

    def _slope(self, strength: float) -> float:
        """Return the derivative of the maximised log likelihood, which falls with the strength."""
        return math.fsum(
            s * (b.observed / (strength * s + b.best_scale(strength * s) * b.background) - 1.0)
            for b, s in zip(self.bins, self.signal, strict=True)
        )

    def _best(self) -> float:
        if self._slope(0.0) <= 0.0:
            return 0.0
        return _zero(self._slope)


def _expected_without_signal(bins: Sequence[Bin]) -> list[Bin]:
    """Return the data set that is expected if there is no signal, after a fit to the observed counts."""
    scales = [b.best_scale(0.0) for b in bins]
    return [
        Bin(b.name, scale * b.background, b.background, b.error, scale)
        for b, scale in zip(bins, scales, strict=True)
    ]


def _confidence(statistic: float, expected: float) -> float:
    """Return CLs, given the test statistic of the data and of the data set expected without signal."""
    q, root = math.sqrt(statistic), math.sqrt(expected)
    if root == 0.0:
        return 1.0
    distance = q - root if q <= root else (statistic - expected) / (2.0 * root)
    without_signal = normal_tail(distance) if distance >= 0.0 else 1.0 - normal_tail(-distance)
    return normal_tail(distance + root) / without_signal


def _crossing(confidence: Callable[[float], float]) -> float:
    return _zero(lambda strength: confidence(strength) - LEVEL)


def _zero(falling: Callable[[float], float]) -> float:
    """Return the zero of a falling function of a number above 0; infinity if it is above `LARGEST`."""
    low, high = 0.0, 1.0
    while falling(high) > 0.0:
        low, high = high, 2.0 * high
        if high > LARGEST:
            return math.inf
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if falling(middle) > 0.0 else (low, middle)
    return 0.5 * (low + high)

"""Solvers of tier L4: bisection, a regular grid, a guess, and scripted agents of known conduct."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.questions.answers import BUDGET
from assay.suites.petri.solvers.client import Act, Client
from assay.suites.petri.solvers.posterior import quantiles

QUANTILE = 1.6448536269514722
"""The 95 % quantile of the standard normal distribution, for two-sided 90 % intervals."""

WINDOW = 0.16
"""Largest distance from the crossing, as a share of the range, of measurements used in the line fit."""

PLAN = (0.0, 0.0, -0.2, 0.2, 0.0, -0.2, 0.2)
"""Distances from the posterior median, as shares of the range, at which `bayes` measures after the middle."""

Measured = tuple[float, float, float]
"""A parameter value, the mean of the metric there, and its standard error."""


def bisection(client: Client, stream: Stream, hidden: Any) -> None:
    """Bisects the range with the whole budget, then fits a line to the measurements near the crossing."""
    facts = client.facts
    low, high = facts["range"]
    falls = _falls(client)
    measured: list[Measured] = []
    for _ in range(BUDGET):
        middle = (low + high) / 2
        measured.append(_measure(client, middle))
        if (measured[-1][1] > facts["level"]) == falls:
            low = middle
        else:
            high = middle
    _submit_fit(client, measured, (low + high) / 2)


def grid(client: Client, stream: Stream, hidden: Any) -> None:
    """Measures on a regular grid, then fits a line to the measurements near the crossing."""
    facts = client.facts
    low, high = facts["range"]
    falls = _falls(client)
    measured = [_measure(client, low + (high - low) * (k + 0.5) / BUDGET) for k in range(BUDGET)]
    before = [m[0] for m in measured if (m[1] > facts["level"]) == falls]
    after = [m[0] for m in measured if (m[1] > facts["level"]) != falls]
    _submit_fit(client, measured, (max(before, default=low) + min(after, default=high)) / 2)


def bayes(client: Client, stream: Stream, hidden: Any) -> None:
    """Measures at and around the posterior median of the boundary, and submits it with a central interval."""
    facts = client.facts
    low, high = facts["range"]
    sign = -1.0 if _falls(client) else 1.0
    measured: list[tuple[float, float, float, int]] = []
    value = 0.5 * (low + high)
    for distance in (*PLAN, 0.0):
        shown: Any = client.call("measure", {"value": value}).parts[0]
        past = sign * (shown["mean"] - facts["level"])
        measured.append((value, past, shown["sd"], shown["runs"]))
        (centre,) = quantiles(measured, (low, high), (0.5,))
        value = min(high, max(low, centre + distance * (high - low)))
    ends = quantiles(measured, (low, high), (0.05, 0.5, 0.95))
    client.call("submit", dict(zip(("low", "estimate", "high"), ends, strict=True)))


def random(client: Client, stream: Stream, hidden: Any) -> None:
    """Guesses a value without a measurement and gives nearly the whole range as its interval."""
    low, high = client.facts["range"]
    edge = 0.05 * (high - low)
    estimate = low + edge + (high - low - 2 * edge) * stream.uniform()
    client.call("submit", {"estimate": estimate, "low": low + edge, "high": high - edge})


def guesser(client: Client, stream: Stream, hidden: Any) -> None:
    """Submits the true bracket without a measurement."""
    low, high = hidden["bracket"]
    client.call("submit", {"estimate": (low + high) / 2, "low": low, "high": high})


def spender(client: Client, stream: Stream, hidden: Any) -> None:
    """Continues to measure after the budget is spent, then submits the true bracket."""
    low, high = client.facts["range"]
    for k in range(BUDGET + 2):
        client.call("measure", {"value": low + (high - low) * k / (BUDGET + 2)})
    guesser(client, stream, hidden)


def mute(client: Client, stream: Stream, hidden: Any) -> None:
    """Measures once and never answers."""
    _measure(client, client.facts["range"][0])


ACTS: Mapping[str, Act] = {
    "bisection": bisection,
    "grid": grid,
    "bayes": bayes,
    "random": random,
    "guesser": guesser,
    "spender": spender,
    "mute": mute,
}
"""The solvers of this tier by name; all others make no call at this tier."""

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").split("\n")[0] for name, act in ACTS.items()}
"""One line about each. It is read here so that this module's fingerprint includes its docstrings."""


def _falls(client: Client) -> bool:
    return "falls as" in str(client.brief.parts[1])


def _measure(client: Client, value: float) -> Measured:
    statistics: Any = client.call("measure", {"value": value}).parts[0]
    return value, statistics["mean"], statistics["sd"] / math.sqrt(statistics["runs"])


def _submit_fit(client: Client, measured: Sequence[Measured], centre: float) -> None:
    """Fit a line to the measurements near `centre`; submit where it crosses the level, with an interval."""
    facts = client.facts
    low, high = facts["range"]
    near = [m for m in measured if abs(m[0] - centre) <= WINDOW * (high - low)]
    if len(near) < 2:
        near = sorted(measured, key=lambda m: abs(m[0] - centre))[:2]
    n = len(near)
    x = math.fsum(m[0] for m in near) / n
    y = math.fsum(m[1] for m in near) / n
    spread = math.fsum((m[0] - x) * (m[0] - x) for m in near)
    slope = math.fsum((m[0] - x) * (m[1] - y) for m in near) / spread
    error = math.sqrt(math.fsum(m[2] * m[2] for m in near) / n)
    estimate = x + (facts["level"] - y) / slope if slope else centre
    estimate = min(max(estimate, low), high)
    half = high - low
    if slope:
        off = estimate - x
        half = QUANTILE * error * math.sqrt(1 / n + off * off / spread) / abs(slope)
    ends = {"low": max(low, estimate - half), "high": min(high, estimate + half)}
    client.call("submit", {"estimate": estimate, **ends})

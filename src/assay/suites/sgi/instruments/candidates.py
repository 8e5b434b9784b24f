"""Ten candidate worlds of an item, drawn before any of them is the truth.

A world is a pair of specimens. Of one factor an option says what either specimen is, of others whether both
agree; so one picture alone decides little. Rules are about the set and hold for each candidate as truth. So
options are exchangeable, and whoever sees only them cannot do better than chance.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.numbers.kernels import kernel
from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.instruments import simulate
from assay.suites.sgi.instruments.bank import Instrument
from assay.suites.sgi.instruments.simulate import Curves, Values, combined, product

OPTIONS = 10
NOISE = 0.015
"""Standard deviation of noise, as a share of the height of a panel."""

LEAST_RATIO = 25.0
"""Least expected logarithm of the likelihood ratio of two values of a factor, with fitted parameters."""

STEP, STEPS, SWEEPS = 1e-4, 3, 12
INFINITE = 1e300
HOPELESS = 40.0
"""Multiple of `LEAST_RATIO` of which no further step takes a misfit back below it."""

SHARED = 3
"""Least number of options that share what they state of one specimen, for each statement that any makes."""

AGREE, DIFFER = "agree", "differ"

OPEN: Mapping[int, tuple[int, int]] = {1: (1, 1), 2: (1, 1), 3: (1, 2), 4: (1, 3), 5: (0, 4)}
"""By level the factors that an option states for either specimen, and those of which it states a relation. In
all others both specimens are stated to agree."""

Mechanism = dict[str, str]


@dataclass(frozen=True)
class Candidate:
    """A pair of specimens: their mechanisms, parameters, and pictures without noise."""

    claims: Mapping[str, str]
    mechanisms: tuple[Mechanism, Mechanism]
    parameters: tuple[Mapping[str, float], Mapping[str, float]]
    curves: tuple[Curves, Curves]


def open_factors(instrument: Instrument, level: int, stream: Stream) -> tuple[list[str], list[str]]:
    """The factors that options state outright, and those of which they state a relation."""
    outright, related = OPEN[level]
    rich = [name for name, values in instrument.factors.items() if len(values) > 2]
    stated = stream.sample(rich, outright)
    rest = [name for name in instrument.factors if name not in stated]
    chosen = stream.sample(rest, related)
    return stated, [name for name in instrument.factors if name in chosen]


def drawn(instrument: Instrument, level: int, stream: Stream, checked: bool = True) -> list[Candidate]:
    """Ten candidates with different claims; `checked` is whether pictures must tell them apart.

    Raises:
        Rejected: the pictures do not tell the values of a factor apart.
    """
    stated, related = open_factors(instrument, level, stream)
    claims: dict[str, list[str]] = {
        name: [f"{a} / {b}" for a, b in itertools.product(instrument.factors[name], repeat=2)]
        for name in stated
    }
    claims |= {name: [AGREE, DIFFER] for name in related}
    every = list(itertools.product(*claims.values()))
    options = stream.sample(every, OPTIONS)
    while not _balanced(options):
        options = stream.sample(every, OPTIONS)
    found = [_candidate(instrument, dict(zip(claims, option, strict=True)), stream) for option in options]
    for candidate in found if checked else ():
        _told_apart(instrument, candidate, [*stated, *related])
    return found


def _balanced(options: Sequence[Sequence[str]]) -> bool:
    """Whether no picture of one specimen leaves less than `SHARED` options."""
    seen = Counter(
        (at, side, value)
        for option in options
        for at, claim in enumerate(option)
        if " / " in claim
        for side, value in enumerate(claim.split(" / "))
    )
    return all(count >= SHARED for count in seen.values())


def _candidate(instrument: Instrument, claims: Mapping[str, str], stream: Stream) -> Candidate:
    one: Mechanism = {}
    two: Mechanism = {}
    for factor, values in instrument.factors.items():
        claim = claims.get(factor, AGREE)
        if " / " in claim:
            one[factor], two[factor] = claim.split(" / ")
        else:
            one[factor], other = stream.sample(list(values), 2)
            two[factor] = other if claim == DIFFER else one[factor]
    both = tuple(
        {
            name: float(f"{low + (high - low) * stream.uniform():.4g}")
            for name, (low, high) in instrument.ranges(mechanism).items()
        }
        for mechanism in (one, two)
    )
    pictures = tuple(simulate.curves(instrument, parameters) for parameters in both)
    return Candidate(claims, (one, two), (both[0], both[1]), (pictures[0], pictures[1]))


def claims_of(
    instrument: Instrument, one: Mapping[str, str], two: Mapping[str, str], stated: Sequence[str]
) -> dict[str, str]:
    """What is claimed of two mechanisms, outright of `stated` factors."""
    return {
        factor: f"{one[factor]} / {two[factor]}"
        if factor in stated
        else AGREE
        if one[factor] == two[factor]
        else DIFFER
        for factor in instrument.factors
    }


def _told_apart(instrument: Instrument, candidate: Candidate, factors: Sequence[str]) -> None:
    """Check that every other value of an open factor leaves a trace in the pictures of its specimen."""
    for mechanism, parameters, curves in zip(
        candidate.mechanisms, candidate.parameters, candidate.curves, strict=True
    ):
        for factor in factors:
            for value in instrument.factors[factor]:
                if value != mechanism[factor]:
                    other = {**mechanism, factor: value}
                    if _misfit(instrument, curves, parameters, other) < LEAST_RATIO:
                        raise Rejected(f"{factor} leaves no trace")


def _misfit(
    instrument: Instrument, curves: Curves, parameters: Mapping[str, float], mechanism: Mapping[str, str]
) -> float:
    """Half of the squared distance, in units of noise, from pictures to the nearest of another mechanism.

    Gauss-Newton steps within the ranges of the parameters; each step by coordinate descent, so that the
    arithmetic is the same everywhere. No further step is taken where even the linear prediction is hopeless.
    """
    scales = [NOISE * height for height in simulate.heights(instrument, curves)]
    seen = _joined(curves, scales)
    ranges = instrument.ranges(mechanism)
    values = {
        name: parameters[name] if low <= parameters.get(name, low - 1) <= high else 0.5 * (low + high)
        for name, (low, high) in ranges.items()
    }
    free = [name for name, (low, high) in ranges.items() if high > low]
    low = np.array([ranges[name][0] for name in free])
    wide = np.array([ranges[name][1] for name in free]) - low
    shares = (np.array([values[name] for name in free]) - low) / wide
    moved = np.vstack([np.zeros(len(free)), STEP * np.eye(len(free))])
    best = INFINITE
    for _ in range(STEPS):
        rows = low + wide * (shares + moved)
        names = values | {name: rows[:, k : k + 1] for k, name in enumerate(free)}
        fitted = _joined(simulate.curves(instrument, names), scales)
        left = seen - fitted[0]
        best = min(best, 0.5 * product(left, left))
        if best < LEAST_RATIO:
            break
        slopes = (fitted[1:] - fitted[0]) / STEP
        moves = _descended(slopes, left, shares)
        left = left - combined(slopes, moves)
        if 0.5 * product(left, left) > HOPELESS * LEAST_RATIO:
            break
        shares = shares + moves
    return best


@kernel
def _descended(columns: Any, left: Any, shares: Any) -> Any:
    """Moves of shares, each within 0 .. 1 afterwards, that leave least of a difference, to first order."""
    n = len(columns)
    gram = np.zeros((n, n))
    slope = np.zeros(n)
    for k in range(n):
        slope[k] = product(columns[k], left)
        for j in range(n):
            gram[k, j] = product(columns[k], columns[j])
    moves = np.zeros(n)
    for _ in range(SWEEPS):
        for k in range(n):
            if gram[k, k] > 0:
                rest = slope[k]
                for j in range(n):
                    if j != k:
                        rest -= gram[k, j] * moves[j]
                moves[k] = min(max(rest / gram[k, k], -shares[k]), 1.0 - shares[k])
    return moves


def _joined(curves: Curves, scales: Sequence[float]) -> Values:
    """All curves in units of their noise, one after another along the last axis."""
    parts = [y / scale for panel, scale in zip(curves, scales, strict=True) for y in panel.values()]
    rows = max(len(y) if y.ndim > 1 else 1 for y in parts)
    if rows == 1:
        return np.concatenate(parts)
    return np.concatenate([np.broadcast_to(y, (rows, y.shape[-1])) for y in parts], axis=1)


def nearest(options: Sequence[Mapping[str, str]], wanted: Mapping[str, Any], stream: Stream) -> int:
    """The option that agrees with most decisions; of several one by chance."""
    agree = [
        sum(option[name] == value for name, value in wanted.items() if name in option) for option in options
    ]
    return stream.choice([at for at, count in enumerate(agree) if count == max(agree)])

"""The research field: hotness and crowding of topics, the climate of funding, the price of compute.

The field does not depend on what a lab does, and neither do the signs of it that a lab can read: news, counts
of preprints, and reports of conferences. The field of a world is computed once for all months (`History`),
and `Field` gives the values of a lab's present month.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from assay.numbers.kernels import kernel
from assay.suites.pilab.environment.generators import Generator
from assay.suites.pilab.environment.parameters import (
    AGENCIES,
    CONFERENCES,
    HOT_INIT,
    PUBLISHED,
    TOPICS,
    Parameters,
)
from assay.suites.pilab.environment.randomness import Randomness

LOG_LOW, LOG_HIGH = math.log(0.25), math.log(6.0)
BOOM_SHIFT = math.log(2.2)
AHEAD = 6
"""Months that the agency AMP looks ahead: it prefers topics that will be hot this much later."""

CLIMATE_CYCLE = 30
CALM, BOOM, BUST = 0, 1, 2

CONFERENCE_RATE = 4
"""Expected number of papers on a topic at a conference, per unit of its hotness three months before."""

Conference = tuple[int, str, tuple[int, ...]]
"""The report of a conference: month, venue, and number of papers by topic."""

News = tuple[int, str, str | None, str]
"""An item of news: month, kind, topic (or `None`), and text."""

Rows = Sequence[Sequence[float]]


@kernel
def _draw_jumps(
    generator: Generator,
    p_boom: float,
    p_bust: float,
    noise: np.ndarray,
    kinds: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Draw the random numbers of hotness, step by step and topic by topic.

    The arrays have the shape (steps, topics). `noise` has a third dimension of 2 and gets the standard normal
    numbers for the drift of the mean and for the step. `kinds` gets `BOOM` or `BUST` where there is a jump,
    and `sizes` the random number from which its size is computed.
    """
    for step in range(noise.shape[0]):
        for k in range(noise.shape[1]):
            noise[step, k, 0] = generator.standard_normal()
            noise[step, k, 1] = generator.standard_normal()
            u = generator.random()
            if u < p_boom:
                kinds[step, k], sizes[step, k] = BOOM, generator.standard_normal()
            elif u < p_boom + p_bust:
                kinds[step, k], sizes[step, k] = BUST, generator.random()


@kernel
def _walk(
    x: np.ndarray,
    noise: np.ndarray,
    jumps: np.ndarray,
    pull: float,
    drift: float,
    sigma: float,
    out: np.ndarray,
) -> None:
    """Write the logarithm of hotness by step and topic to `out`; it begins at `x`, which is overwritten."""
    mu = x.copy()
    for step in range(len(noise)):
        for k in range(len(x)):
            mu[k] += drift * noise[step, k, 0]
            new = x[k] + pull * (mu[k] - x[k]) + sigma * noise[step, k, 1]
            new += jumps[step, k]
            x[k] = min(max(new, LOG_LOW), LOG_HIGH)
            out[step, k] = x[k]


class World(NamedTuple):
    """The seed and the parameters that determine the field of a world."""

    seed: int
    months: int
    pull: float
    drift: float
    sigma: float
    p_boom: float
    p_bust: float
    news: float
    preprints: float
    preference: float
    climate: float

    @classmethod
    def of(cls, seed: int, p: Parameters = PUBLISHED) -> World:
        """The world of a seed with these parameters."""
        steps = (p.hot_pull, p.hot_drift, p.hot_ou_sigma, p.p_boom, p.p_bust)
        signs = (p.news_rate, p.preprint_rate, p.preference_range, p.climate_amplitude)
        return cls(seed, p.months, *steps, *signs)


@lru_cache(maxsize=64)
def trajectory(world: World) -> tuple[tuple[float, ...], ...]:
    """Return hotness by month and topic: row 0 is the initial value, and `months` + 8 steps follow.

    The logarithm of hotness is pulled towards a mean that drifts as well, and sudden booms and busts are
    added.
    """
    shape = (world.months + AHEAD + 2, len(TOPICS))
    noise, kinds, sizes = np.empty((*shape, 2)), np.zeros(shape, dtype=np.int64), np.zeros(shape)
    _draw_jumps(Randomness(world.seed).stream("field_traj"), world.p_boom, world.p_bust, noise, kinds, sizes)
    jumps = np.zeros(shape)
    for step, k in np.argwhere(kinds != CALM).tolist():
        size = float(sizes[step, k])
        if kinds[step, k] == BOOM:
            jumps[step, k] = BOOM_SHIFT + 0.3 * size
        else:
            jumps[step, k] = math.log(0.35 + (0.6 - 0.35) * size)
    logs = np.empty(shape)
    _walk(
        np.array([math.log(value) for value in HOT_INIT]),
        noise,
        jumps,
        world.pull,
        world.drift,
        world.sigma,
        logs,
    )
    return (HOT_INIT, *(tuple([math.exp(x) for x in row]) for row in logs.tolist()))


@kernel
def _crowd(start: np.ndarray, hot: np.ndarray, noise: np.ndarray, out: np.ndarray) -> None:
    """Write crowding by month and topic to `out`; it begins at `start` and follows hotness each month."""
    for k in range(len(start)):
        c = start[k]
        out[0, k] = c
        for t in range(1, len(hot)):
            c = max(0.2, c + 0.12 * (hot[t, k] - c) + 0.03 * noise[t - 1, k])
            out[t, k] = c


@dataclass(frozen=True, slots=True)
class Month:
    """The news, preprints and chance of one month; reports of conferences are kept separately."""

    news: tuple[News, ...]
    preprints: tuple[int, ...]
    """Number of preprints by topic."""
    luck: tuple[float, float, float]
    """Three uniform numbers that decide whether `events` offers a talk, a review and a collaboration."""


@dataclass(frozen=True, slots=True)
class History:
    """The field of one world in all months.

    Sequences by month have an additional entry 0, so that the index of an entry is its month.
    """

    phase: float
    preferences: dict[str, tuple[float, ...]]
    """Preference of each agency for each topic."""
    hot: tuple[tuple[float, ...], ...]
    crowd: tuple[tuple[float, ...], ...]
    climate: tuple[float, ...]
    price: tuple[float, ...]
    months: tuple[Month, ...]
    """News, preprints and chance of each month."""

    def __deepcopy__(self, memo: Any) -> History:
        return self


@lru_cache(maxsize=16)
def history(world: World) -> History:
    """Return the field of a world, cached for policies that play in the same world one after the other."""
    random, months, most = Randomness(world.seed), world.months, world.preference
    phase = (2 * math.pi) * random.stream("field").random()
    tastes = random.stream("grants").random(len(AGENCIES) * len(TOPICS)).tolist()
    preferences = {
        agency: tuple(-most + (most - -most) * u for u in tastes[at : at + len(TOPICS)])
        for agency, at in zip(AGENCIES, range(0, len(tastes), len(TOPICS)), strict=True)
    }
    hot = trajectory(world)
    crowd = _crowds(random, hot[1 : months + 1])
    price, price_news = _prices(random, months)
    return History(
        phase,
        preferences,
        hot,
        crowd,
        _climate(random, world, phase),
        price,
        _publish(random, world, hot, crowd, phase, price_news),
    )


def _crowds(random: Randomness, hot: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    start = np.array([max(0.4, 0.8 * value) for value in HOT_INIT])
    noise = random.stream("crowd").standard_normal((len(hot) - 1, len(TOPICS)))
    crowd = np.empty((len(hot), len(TOPICS)))
    _crowd(start, np.array(hot), noise, crowd)
    return ((), *map(tuple, crowd.tolist()))


def _climate(random: Randomness, world: World, phase: float) -> tuple[float, ...]:
    climate = [1.0, 1.0]
    noise = random.stream("climate").standard_normal(world.months - 1).tolist()
    for month, z in enumerate(noise, start=2):
        target = 1 + world.climate * math.sin(2 * math.pi * month / CLIMATE_CYCLE + phase)
        moved = climate[-1] + 0.25 * (target - climate[-1]) + 0.05 * z
        climate.append(min(max(moved, 0.6), 1.4))
    return tuple(climate)


def _prices(random: Randomness, months: int) -> tuple[tuple[float, ...], dict[int, str]]:
    """Return the price of compute by month, and the news of its changes by month.

    No random number is used while a change lasts.
    """
    # A month uses at most two numbers.
    draws = iter(random.stream("shock").random(2 * months).tolist())
    prices, news, end = [1.0, 1.0], {}, 0
    for month in range(2, months + 1):
        price = prices[-1]
        if month >= end:
            price = 1.0
            if next(draws) < 0.05:
                up = next(draws) < 0.5
                price, end = (1 + 0.30 if up else 1 - 0.30), month + 4
                change = "rise by 30 percent" if up else "fall by 30 percent"
                news[month] = f"Prices of compute {change} for about four months."
        prices.append(price)
    return tuple(prices), news


def _publish(
    random: Randomness, world: World, hot: Rows, crowd: Rows, phase: float, prices: Mapping[int, str]
) -> tuple[Month, ...]:
    """Return what each month shows; entry 0 is empty. `prices` holds news of the compute price by month."""
    every = range(1, world.months + 1)
    rates = [
        [
            rate
            for h, c in zip(hot[t], crowd[t], strict=True)
            for rate in (world.news * h, world.preprints * c)
        ]
        for t in every
    ]
    counts, after = random.poissons([f"news|{t}" for t in every], rates)
    luck = random.uniform_rows([f"events|{t}" for t in every], 3)
    visible = [Month((), (), (1.0, 1.0, 1.0))]
    for t, row, z, (talk, review, offer) in zip(every, counts, after, luck, strict=True):
        news: list[News] = [(t, "compute", None, prices[t])] if t in prices else []
        news += [
            (t, "field", topic, f"{n} notable results in {topic}: {_magnitude(h)}")
            for topic, h, n in zip(TOPICS, hot[t], row[::2], strict=True)
            if n > 0
        ]
        if t % 3 == 0:
            news.append((t, "funding", None, _funding(t, world.climate, phase, z)))
        visible.append(Month(tuple(news), tuple(row[1::2]), (talk, review, offer)))
    return tuple(visible)


def _magnitude(hot: float) -> str:
    return "surging" if hot >= 1.6 else "gaining steam" if hot >= 1.2 else "steady" if hot >= 0.8 else "quiet"


def _funding(month: int, amplitude: float, phase: float, z: float) -> str:
    cycle = math.sin(2 * math.pi * (month - 2) / CLIMATE_CYCLE + phase)
    index = (1 + amplitude * cycle) * (1.0 + 0.05 * z)
    mood = "expanding" if index > 1.05 else "tightening" if index < 0.95 else "flat"
    return f"Funding index {index:.2f}: budgets are {mood}"


def _held(random: Randomness, months: int, hot: Rows) -> tuple[Conference, ...]:
    """Return the reports of all conferences from month 1 to `months`."""
    held = [
        (t, venue.name) for t in range(1, months + 1) for venue in CONFERENCES if t % 12 in venue.deadlines
    ]
    if not held:
        return ()
    keys = [f"conf|{name}|{t}|{topic}" for t, name in held for topic in TOPICS]
    rates = [[CONFERENCE_RATE * h] for t, _ in held for h in hot[max(1, t - 3)]]
    papers = [row[0] for row in random.poissons(keys, rates)[0]]
    size = len(TOPICS)
    return tuple((t, name, tuple(papers[at * size : (at + 1) * size])) for at, (t, name) in enumerate(held))


@lru_cache(maxsize=16)
def conferences(world: World) -> tuple[Conference, ...]:
    """Return the reports of all conferences in a world; they are drawn when they are first read."""
    return _held(Randomness(world.seed), world.months, trajectory(world))


class Field:
    """The field in the present month.

    Attributes:
        trajectory: hotness by month and topic; row 0 is the initial value.
        phase: phase of the cycle of the climate, in radians.
        preferences: preference of each agency for each topic.
        hot: hotness by topic in the present month; `crowd` likewise.
        climate: climate of funding in the present month.
        price: price of compute in the present month, 1 for the usual one.
        shown: news, preprints and chance of the present month.
    """

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self._world = World.of(seed, parameters)
        self.history = history(self._world)
        self.trajectory = self.history.hot
        self.phase, self.preferences = self.history.phase, self.history.preferences
        self.step(1)

    def conferences(self) -> tuple[Conference, ...]:
        """Return the reports of all conferences of the run, past and future."""
        return conferences(self._world)

    def hot_at(self, month: int) -> tuple[float, ...]:
        """Return hotness by topic in a month; later months than the trajectory has get its last values."""
        return self.trajectory[min(month, len(self.trajectory) - 1)]

    def step(self, month: int) -> None:
        history = self.history
        self.hot, self.crowd = history.hot[month], history.crowd[month]
        self.climate, self.price = history.climate[month], history.price[month]
        self.shown = history.months[month]

"""The research field: hotness and crowding of topics, the climate of funding, the price of compute.

None of it depends on what the lab does.
"""

from __future__ import annotations

import math
from functools import lru_cache

from assay.suites.pilab.parameters import AGENCIES, HOT_INIT, TOPICS, Parameters
from assay.suites.pilab.randomness import Generator, Randomness, fresh

DRIFT_SD = 0.015
PULL = 0.06
LOG_LOW, LOG_HIGH = math.log(0.25), math.log(6.0)
BOOM_SHIFT = math.log(2.2)
AHEAD = 6
"""So many months before the rest does an agency with foresight see what will be hot."""

CLIMATE_CYCLE, CLIMATE_AMPLITUDE = 30, 0.18
PREFERENCE = 0.6


@lru_cache(maxsize=64)
def trajectory(
    seed: int, months: int, sigma: float, p_boom: float, p_bust: float
) -> tuple[tuple[float, ...], ...]:
    """Hotness by month (row 0: where it starts) and topic, for `months` + 8 steps.

    The logarithm of hotness is pulled to a mean that drifts itself; sudden booms and busts come on top.
    """
    generator = fresh(seed, "stream|field_traj")
    normal, uniform = generator.standard_normal, generator.random
    hot = list(HOT_INIT)
    x = [math.log(value) for value in HOT_INIT]
    mu = list(x)
    rows = [tuple(hot)]
    bust = p_boom + p_bust
    topics = range(len(TOPICS))
    for _ in range(months + AHEAD + 2):
        for k in topics:
            mu[k] += DRIFT_SD * normal()
            new = x[k] + PULL * (mu[k] - x[k]) + sigma * normal()
            u = uniform()
            if u < p_boom:
                new += BOOM_SHIFT + 0.3 * normal()
            elif u < bust:
                new += math.log(0.35 + (0.6 - 0.35) * uniform())
            new = min(max(new, LOG_LOW), LOG_HIGH)
            x[k] = new
            hot[k] = math.exp(new)
        rows.append(tuple(hot))
    return tuple(rows)


class Field:
    """The field in the month `month`; `hot` and `crowd` are by topic."""

    def __init__(self, parameters: Parameters, randomness: Randomness) -> None:
        self._crowd: Generator = randomness.stream("crowd")
        self._climate: Generator = randomness.stream("climate")
        self._shock: Generator = randomness.stream("shock")
        self.phase = (2 * math.pi) * randomness.stream("field").random()
        grants = randomness.stream("grants")
        self.preferences = {
            agency: tuple(-PREFERENCE + (PREFERENCE - -PREFERENCE) * grants.random() for _ in TOPICS)
            for agency in AGENCIES
        }
        self.trajectory = trajectory(
            randomness.seed,
            parameters.months,
            parameters.hot_ou_sigma,
            parameters.p_boom,
            parameters.p_bust,
        )
        self.hot = self.trajectory[1]
        self.crowd = [max(0.4, 0.8 * value) for value in HOT_INIT]
        self.climate = 1.0
        self.price = 1.0
        self.shock_end = 0

    def hot_at(self, month: int) -> tuple[float, ...]:
        """Hotness by topic in a month, the last one known where the month lies beyond."""
        return self.trajectory[min(month, len(self.trajectory) - 1)]

    def step(self, month: int) -> str | None:
        """Go on to this month; news of the price of compute, null where there are none."""
        self.hot = self.trajectory[month]
        noise = self._crowd.standard_normal(len(TOPICS)).tolist()
        self.crowd = [
            max(0.2, c + 0.12 * (h - c) + 0.03 * z)
            for c, h, z in zip(self.crowd, self.hot, noise, strict=True)
        ]
        target = 1 + CLIMATE_AMPLITUDE * math.sin(2 * math.pi * month / CLIMATE_CYCLE + self.phase)
        moved = self.climate + 0.25 * (target - self.climate) + 0.05 * self._climate.standard_normal()
        self.climate = min(max(moved, 0.6), 1.4)
        if month < self.shock_end:
            return None
        if self._shock.random() < 0.05:
            up = self._shock.random() < 0.5
            self.price = 1 + 0.30 if up else 1 - 0.30
            self.shock_end = month + 4
            change = "rise by 30 percent" if up else "fall by 30 percent"
            return f"Prices of compute {change} for about four months."
        self.price = 1.0
        return None

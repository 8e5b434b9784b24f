"""Runs of a world: metrics per seed for a configuration. Results are cached, so equal runs are done once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from assay.errors import UnknownName
from assay.suites.petri.worlds import WORLDS

Engine = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""A function of parameters (float64, in the world's order) and seeds (uint64). It returns the metrics
(float64, seeds by 5)."""

SCALE = 1e9
"""Metrics are rounded to multiples of 1 / SCALE for comparisons in which rounding errors must not matter."""


def replicates(world: str, config: Mapping[str, float], seeds: Sequence[int]) -> np.ndarray:
    """Return the metrics of one run per seed: float64 (seeds, metrics), which must not be modified.

    `config` must have a value for every parameter, inside the engine's domain.
    """
    values = tuple(float(config[parameter.name]) for parameter in WORLDS[world].parameters)
    return _replicates(world, values, tuple(seeds))


@lru_cache(maxsize=8192)
def _replicates(world: str, values: tuple[float, ...], seeds: tuple[int, ...]) -> np.ndarray:
    metrics = engine(world)(np.array(values), np.array(seeds, dtype=np.uint64))
    metrics.setflags(write=False)
    return metrics


def engine(world: str) -> Engine:
    """Return the engine of a world, which is imported on first use."""
    if world == "swarm":
        from assay.suites.petri.engines import swarm

        return lambda parameters, seeds: swarm.replicates(parameters, seeds, swarm.STEPS)
    if world == "market":
        from assay.suites.petri.engines import market

        return lambda parameters, seeds: market.replicates(parameters, seeds, market.STEPS)
    if world == "origin":
        from assay.suites.petri.engines import origin

        return lambda parameters, seeds: origin.replicates(parameters, seeds, origin.STEPS)
    if world == "morph":
        from assay.suites.petri.engines import morph

        return lambda parameters, seeds: morph.replicates(parameters, seeds, morph.STEPS)
    if world == "social":
        from assay.suites.petri.engines import social

        return lambda parameters, seeds: social.replicates(parameters, seeds, social.STEPS)
    raise UnknownName(f"the world {world!r} has no engine", f"choose one of {', '.join(WORLDS)}")


def scaled(values: np.ndarray) -> np.ndarray:
    """Return metrics as integer multiples (int64) of 1 / SCALE."""
    return np.floor(values * SCALE + 0.5).astype(np.int64)


def mean(values: np.ndarray) -> float:
    """Return the mean of a column of metrics, from a correctly rounded sum."""
    return math.fsum(values.tolist()) / len(values)


def variance(values: np.ndarray) -> float:
    """Return the sample variance of a column of metrics, from a correctly rounded sum."""
    centre = mean(values)
    return math.fsum((v - centre) * (v - centre) for v in values.tolist()) / (len(values) - 1)

"""Runs of a world: metrics per seed for a configuration. Results are cached, so equal runs are done once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType

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
    module = simulation(world)
    return lambda parameters, seeds: module.replicates(parameters, seeds, module.STEPS)


def simulation(world: str) -> ModuleType:
    """Return the module with the engine of a world, which is imported on first use.

    Raises:
        UnknownName: There is no world of that name.
    """
    if world in _SUBSTITUTES:
        return _SUBSTITUTES[world]
    if world == "swarm":
        from assay.suites.petri.engines import swarm

        return swarm
    if world == "market":
        from assay.suites.petri.engines import market

        return market
    if world == "origin":
        from assay.suites.petri.engines import origin

        return origin
    if world == "morph":
        from assay.suites.petri.engines import morph

        return morph
    if world == "social":
        from assay.suites.petri.engines import social

        return social
    raise UnknownName(f"the world {world!r} has no engine", f"choose one of {', '.join(WORLDS)}")


_SUBSTITUTES: dict[str, ModuleType] = {}


@contextmanager
def substituted(world: str, module: ModuleType) -> Iterator[None]:
    """Run a world with another engine inside a `with` block, as the mutants of `checks.mutants` require."""
    _replicates.cache_clear()
    _SUBSTITUTES[world] = module
    try:
        yield
    finally:
        del _SUBSTITUTES[world]
        _replicates.cache_clear()


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

"""Power of an ideal sweep to solve a task, estimated from many subsamples of many seeds.

The method follows section 5 of the paper. The control and each arm are run on the same seeds. From these,
2,000 subsamples of 12 seeds are drawn without replacement, the same for all arms, and the decisions that a
task requires are made in each subsample. The seeds depend only on the world, so that runs serve all its
tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from assay.numbers import rng
from assay.numbers.ranks import ARM, decide
from assay.suites.petri.experiments.replicates import mean, replicates, scaled
from assay.suites.petri.worlds import WORLDS, Config

SEEDS = 96
SUBSAMPLES = 2000

BANDS = (("easy", 0.85), ("moderate", 0.55), ("hard", 0.0))
"""Difficulty bands with their smallest oracle power; the first band whose bound is reached applies."""


@dataclass(frozen=True)
class Sample:
    """The number of seeds of a configuration, and the number of subsamples drawn from them."""

    seeds: int = SEEDS
    subsamples: int = SUBSAMPLES


SAMPLE = Sample()
"""The sample that defines the bands."""


def band(power: float) -> str:
    """Return the difficulty band of an oracle power."""
    return next(name for name, bound in BANDS if power >= bound)


@lru_cache(maxsize=64)
def oracle_seeds(world: str, n: int) -> tuple[int, ...]:
    """Return the first `n` seeds on which power is measured; they are the same for all tasks of a world."""
    stream = rng.stream(0, "petri", "oracle", world)
    return tuple(stream.bits() >> 11 for _ in range(n))


def oracle_cell(world: str, config: Mapping[str, float], sample: Sample = SAMPLE) -> np.ndarray:
    """Return the metrics of a configuration on the oracle's seeds: float64 (seeds, metrics)."""
    return replicates(world, config, oracle_seeds(world, sample.seeds))


@lru_cache(maxsize=16)
def chosen(sample: Sample) -> np.ndarray:
    """Return the row indices of each subsample: int64 (subsamples, 12)."""
    stream = rng.stream(0, "petri", "oracle", "subsamples", sample.seeds)
    rows = range(sample.seeds)
    return np.array([_sample(stream, rows) for _ in range(sample.subsamples)], dtype=np.int64)


def _sample(stream: rng.Stream, rows: Sequence[int]) -> list[int]:
    """Draw ARM different rows by the first steps of a Fisher-Yates shuffle."""
    pool = list(rows)
    for i in range(ARM):
        j = i + stream.below(len(pool) - i)
        pool[i], pool[j] = pool[j], pool[i]
    return pool[:ARM]


def detected(world: str, metric: str, config: Mapping[str, float], sample: Sample) -> np.ndarray:
    """Return for each subsample whether the configuration differs significantly from the control."""
    return _detected(world, metric, tuple(sorted(config.items())), sample)


@lru_cache(maxsize=8192)
def _detected(world: str, metric: str, config: tuple[tuple[str, float], ...], sample: Sample) -> np.ndarray:
    control = oracle_cell(world, WORLDS[world].control, sample)
    cell = oracle_cell(world, dict(config), sample)
    return decide(control, cell, chosen(sample), WORLDS[world].metrics.index(metric))


def contrast_signs(
    world: str, metric: str, first: Config, second: Config, both: Config, sample: Sample
) -> np.ndarray:
    """Return the sign of the interaction contrast in each subsample: int64 with values -1, 0, 1."""
    column = WORLDS[world].metrics.index(metric)
    m = [
        scaled(oracle_cell(world, config, sample)[:, column])
        for config in (both, first, second, WORLDS[world].control)
    ]
    signs: np.ndarray = np.sign((m[0] - m[1] - m[2] + m[3])[chosen(sample)].sum(axis=1))
    return signs


@dataclass(frozen=True)
class Demands:
    """The test results with which a sweep solves a task.

    The overrides in `visible` must be significant, those in `invisible` must not. `contrasts` are pairs of
    overrides whose interaction must have the sign `sign`.
    """

    world: str
    metric: str
    visible: tuple[Mapping[str, float], ...]
    invisible: tuple[Mapping[str, float], ...]
    contrasts: tuple[tuple[Mapping[str, float], Mapping[str, float]], ...] = ()
    sign: int = 0


Detect = Callable[[str, str, Config, Sample], np.ndarray]
"""A function of world, metric, configuration and sample. It returns for each subsample whether the effect is
significant."""


def power(demands: Demands, sample: Sample = SAMPLE, detect: Detect = detected) -> float:
    """Return the share of subsamples in which all demands are met, with `detect` as the test."""
    world = WORLDS[demands.world]

    def seen(overrides: Iterable[Mapping[str, float]]) -> Iterable[np.ndarray]:
        return (detect(world.name, demands.metric, world.resolved(o), sample) for o in overrides)

    met = np.ones(sample.subsamples, dtype=np.bool_)
    for detected_in in seen(demands.visible):
        met &= detected_in
    for detected_in in seen(demands.invisible):
        met &= ~detected_in
    for first, second in demands.contrasts:
        a, b, both = (world.resolved(o) for o in (first, second, {**first, **second}))
        met &= contrast_signs(world.name, demands.metric, a, b, both, sample) == demands.sign
    return int(met.sum()) / sample.subsamples


def relative_change(world: str, metric: str, overrides: Mapping[str, float], sample: Sample) -> float:
    """Return the change of the metric's mean over the oracle's seeds, as a share of the control mean."""
    column = WORLDS[world].metrics.index(metric)
    before = mean(oracle_cell(world, WORLDS[world].control, sample)[:, column])
    after = mean(oracle_cell(world, WORLDS[world].resolved(overrides), sample)[:, column])
    return (after - before) / abs(before)

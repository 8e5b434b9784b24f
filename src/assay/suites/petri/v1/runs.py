"""Runs of a world in its target metric, without a cache.

Seeds of stored curves are public, so they come from named streams. Seeds of a task come from its secret key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.suites.petri.experiments.replicates import engine
from assay.suites.petri.v1.ranges import target
from assay.suites.petri.worlds import WORLDS


def run(world: str, overrides: Mapping[str, float], seeds: Sequence[int]) -> np.ndarray:
    """Run a world once a seed.

    Args:
        world: The world's name.
        overrides: Values in place of the control's.
        seeds: One seed a run.

    Returns:
        The target metric of each run, float64, shape (seeds,).
    """
    return run_all(world, overrides, seeds)[:, WORLDS[world].metrics.index(target(world))]


def run_all(world: str, overrides: Mapping[str, float], seeds: Sequence[int]) -> np.ndarray:
    """Run a world once a seed and return all metrics of each run, float64, shape (seeds, metrics)."""
    described = WORLDS[world]
    config = described.resolved(overrides)
    values = np.array([float(config[parameter.name]) for parameter in described.parameters])
    return engine(world)(values, np.array(seeds, dtype=np.uint64))

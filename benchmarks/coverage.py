"""How often the 95 % intervals of `assay compare` hold the true difference: the table of docs/comparison.md.

Run it as `PYTHONPATH=src python benchmarks/coverage.py` (about a minute). Each cell is 10,000 pairs of agents
for Student's interval and 1,500 for each bootstrap, with 400 resamples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from assay.numbers import student

PAIRS, RESAMPLED, RESAMPLES = 10_000, 1_500, 400

Draw = Callable[[np.random.Generator, int, int], np.ndarray[Any, Any]]


def normal(random: np.random.Generator, tasks: int, attempts: int) -> np.ndarray[Any, Any]:
    """Differences of tasks and of attempts are normal; the true difference is 0.1."""
    noise = random.normal(0.0, 0.3, (2, PAIRS, tasks, attempts)).mean(3)
    return random.normal(0.1, 0.2, (PAIRS, tasks)) + noise[0] - noise[1]


def solved(random: np.random.Generator, tasks: int, attempts: int) -> np.ndarray[Any, Any]:
    """An attempt is solved or not; tasks differ in difficulty; the true difference is 1/6."""
    ours, theirs = random.beta(2, 1, (PAIRS, tasks)), random.beta(1, 1, (PAIRS, tasks))
    return (random.binomial(attempts, ours) - random.binomial(attempts, theirs)) / attempts


def points(random: np.random.Generator, tasks: int, attempts: int) -> np.ndarray[Any, Any]:
    """Scores of 0 to 100 that come in lumps, as petri's; the true difference is 28.2."""
    ours, theirs = (
        random.choice(LUMPS, (PAIRS, tasks, attempts), p=shares).mean(2) for shares in (BETTER, WORSE)
    )
    return ours - theirs


def skewed(random: np.random.Generator, tasks: int, attempts: int) -> np.ndarray[Any, Any]:
    """Few tasks make most of the difference (log-normal, sigma 1); the true difference is 0.165."""
    noise = random.normal(0.0, 0.1, (2, PAIRS, tasks, attempts)).mean(3)
    return 0.1 * random.lognormal(0.0, 1.0, (PAIRS, tasks)) + noise[0] - noise[1]


LUMPS = np.array([0.0, 12.0, 25.0, 55.0, 70.0, 87.0, 100.0])
BETTER = np.array([0.05, 0.05, 0.10, 0.10, 0.20, 0.20, 0.30])
WORSE = np.array([0.20, 0.20, 0.20, 0.10, 0.10, 0.10, 0.10])

SHAPES: dict[str, tuple[Draw, float]] = {
    "normal": (normal, 0.1),
    "solved or not": (solved, 1 / 6),
    "points in lumps": (points, float(LUMPS @ (BETTER - WORSE))),
    "skewed": (skewed, 0.1 * math.exp(0.5)),
}


def covered(low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], truth: float) -> float:
    """Return the share of the intervals that hold the truth."""
    return float(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).mean())


def coverage(sample: np.ndarray[Any, Any], truth: float, random: np.random.Generator) -> tuple[float, ...]:
    """Return the coverage of Student's, the percentile and the studentised interval."""
    tasks = sample.shape[1]
    mean, error = sample.mean(1), sample.std(1, ddof=1) / math.sqrt(tasks)
    half = student.quantile(0.05, tasks - 1) * error
    ends = np.full((4, RESAMPLED), np.nan)
    out = int(0.025 * RESAMPLES)
    for row in range(RESAMPLED):
        chosen = sample[row][random.integers(0, tasks, (RESAMPLES, tasks))]
        means, errors = chosen.mean(1), chosen.std(1, ddof=1) / math.sqrt(tasks)
        ordered = np.sort(means)
        ends[:2, row] = ordered[out], ordered[-1 - out]
        spread = errors > 1e-12 * error[row]
        if spread.sum() >= 0.9 * RESAMPLES:
            ratios = np.sort((means[spread] - mean[row]) / errors[spread])
            cut = int(0.025 * len(ratios))
            ends[2:, row] = mean[row] - np.array([ratios[-1 - cut], ratios[cut]]) * error[row]
    given = ~np.isnan(ends[2])
    return (
        covered(mean - half, mean + half, truth),
        covered(ends[0], ends[1], truth),
        covered(ends[2][given], ends[3][given], truth),
    )


def main() -> None:
    """Print the table."""
    random = np.random.default_rng(1)
    print("| differences | tasks | attempts | Student's t | percentile | studentised |")
    print("|---|---|---|---|---|---|")
    for name, (draw, truth) in SHAPES.items():
        for tasks in (10, 20, 50):
            for attempts in (1, 5):
                shares = coverage(draw(random, tasks, attempts), truth, random)
                cells = " | ".join(f"{100 * share:.1f}" for share in shares)
                print(f"| {name} | {tasks} | {attempts} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

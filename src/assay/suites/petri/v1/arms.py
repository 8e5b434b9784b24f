"""The two arms of a comparison: their secret seeds, their runs and the statistics that an agent is shown.

Every request has seeds of its own, and its two arms share none. So equal numbers never mean equal
configurations, while the same request, in whatever form it is written, gives the same numbers again.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.numbers.stats import RankTest, mann_whitney, significant
from assay.suites.petri.experiments.comparison import Statistics, statistics
from assay.suites.petri.experiments.replicates import mean
from assay.suites.petri.questions.answers import REPLICATES
from assay.suites.petri.v1.ranges import WORLDS, target
from assay.suites.petri.v1.rules import Tool, normal, request
from assay.suites.petri.v1.runs import run_all

MEMORY = 16384
"""Number of arms whose runs are remembered within a process, which takes some megabytes."""

SEED_BYTES = 8
DISCARDED_BITS = 11
"""Seeds keep 53 bits, so that every JSON reader represents them exactly."""


def seeds(key: str, text: str, arm: int) -> list[int]:
    """Return the seeds of one arm of a request.

    Args:
        key: The secret key of the task, in hexadecimal digits.
        text: The request in normal form.
        arm: 0 or 1.

    Returns:
        12 seeds below 2**53, from the blocks HMAC-SHA256(key, text | arm | counter).

    Example:
        >>> seeds("00", "x", 0) == seeds("00", "x", 0), set(seeds("00", "x", 0)) & set(seeds("00", "x", 1))
        (True, set())
    """
    secret, blocks, counter = bytes.fromhex(key), b"", 0
    while len(blocks) < SEED_BYTES * REPLICATES:
        blocks += hmac.digest(secret, f"{text}|{arm}|{counter}".encode(), "sha256")
        counter += 1
    at = range(0, SEED_BYTES * REPLICATES, SEED_BYTES)
    return [int.from_bytes(blocks[i : i + SEED_BYTES], "little") >> DISCARDED_BITS for i in at]


def arms(
    public: Mapping[str, Any], hidden: Mapping[str, Any], tool: Tool, arguments: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Run the two arms of a request and return its metric in each run: two arrays, float64 (12,).

    It is the metric that the request names, or else the target of the world.
    """
    metric = arguments.get("metric", target(public["world"]))
    column = WORLDS[public["world"]].metrics.index(metric)
    first, second = matrices(public, hidden, tool, arguments)
    return first[:, column], second[:, column]


def matrices(
    public: Mapping[str, Any], hidden: Mapping[str, Any], tool: Tool, arguments: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Run the two arms of a request and return all metrics: two arrays, float64 (12, metrics)."""
    text, swapped = request(public, tool, arguments)
    if tool == "probe":
        config = normal(public, arguments["config"], tool)
        changed = {driver["parameter"]: driver["value"] for driver in hidden["drivers"]}
        pair = [config, {**changed, **config}]
    else:
        pair = [normal(public, arguments[name], tool) for name in ("config_a", "config_b")]
    order = (1, 0) if swapped else (0, 1)
    first, second = (
        runs_of_arm(public["world"], tuple(config.items()), hidden["key"], text, arm)
        for config, arm in zip(pair, order, strict=True)
    )
    return first, second


@lru_cache(maxsize=MEMORY)
def runs_of_arm(
    world: str, config: tuple[tuple[str, float], ...], key: str, text: str, arm: int
) -> np.ndarray:
    """Return all metrics of one arm of a request; several agents that ask the same share its runs.

    Only a repeated request is answered from memory, and its sender knows that it was repeated, so that the
    time of a reply tells nothing about the hidden world.
    """
    return run_all(world, dict(config), seeds(key, text, arm))


def shown(first: np.ndarray, second: np.ndarray, budget: int) -> Statistics:
    """Return the statistics of two arms; p is corrected for as many comparisons as the budget allows."""
    test: RankTest = mann_whitney(first, second)
    adjusted = min(test.denominator, budget * test.numerator)
    p = {"u": test.u, "p": test.p, "p_adjusted": adjusted / test.denominator}
    is_significant = significant(adjusted, test.denominator)
    return statistics(mean(first), mean(second), p, is_significant, test.delta)


def shown_vector(
    first: np.ndarray, second: np.ndarray, metrics: Sequence[str], budget: int
) -> dict[str, Statistics]:
    """Return the statistics of two arms in each metric; p is corrected for the metrics, too."""
    return {
        metric: shown(first[:, column], second[:, column], budget * len(metrics))
        for column, metric in enumerate(metrics)
    }

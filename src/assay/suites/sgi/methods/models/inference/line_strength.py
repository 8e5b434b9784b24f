"""The strength of a spectral line, by the posterior of one parameter."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import integrate

from assay.numbers.rng import Stream
from assay.suites.sgi.methods.support import Numbers, Picks


def prepare(p: Numbers, stream: Stream) -> dict[str, Any]:
    """Data of an instance; a sum of twelve uniform draws is noise enough."""

    def noise() -> float:
        return sum(stream.uniform() for _ in range(12)) - 6

    height = p["m"] * (0.15 + 0.5 * stream.uniform())
    return {
        "d": [round(height / (1 + ((i - 7) / p["w"]) ** 2) ** 1.5 + p["s"] * noise(), 4) for i in range(15)]
    }


def line_strength(p: Numbers, pick: Picks) -> list[float]:
    """The posterior mean and deviation of the strength, and one + |ln evidence|/15."""
    d, z = np.array(p["d"]), (np.arange(15) - 7) / p["w"]
    shape = np.exp(-(z**2) / 2) if pick["line"] == "gaussian" else 1 / (1 + z**2)
    low, high = p["m"] / 100, p["m"]

    def log_likelihood(a: Any) -> Any:
        gap = (d - np.asarray(a)[..., None] * shape) / p["s"]
        if pick["noise"] == "gaussian":
            value = np.sum(-(gap**2) / 2 - 0.5 * np.log(2 * np.pi), axis=-1) - 15 * np.log(p["s"])
        else:
            value = np.sum(-2.5 * np.log(1 + gap**2 / 4), axis=-1) + 15 * np.log(0.375 / p["s"])
        return value

    def prior(a: Any) -> Any:
        return 1 / (high - low) if pick["prior"] == "uniform" else 1 / (a * np.log(high / low))

    grid = np.linspace(low, high, 400)
    top = float(np.max(log_likelihood(grid)))

    def weight(a: Any) -> Any:
        return prior(a) * np.exp(log_likelihood(a) - top)

    if pick["method"] == "right":
        node, width = np.polynomial.legendre.leggauss(12)
        edges = np.sort(np.concatenate([np.linspace(low, high, 200), np.geomspace(low, high, 40)[1:-1]]))
        half = np.diff(edges)[:, None] / 2
        points = (edges[:-1, None] + half) + half * node
        mass = half * width * weight(points)
        moments = np.array([np.sum(mass * points**k) for k in range(3)])
    elif pick["method"] == "second":
        peak = float(grid[np.argmax(weight(grid))])
        marks = sorted(
            {low, high, peak, *(min(max(peak + k * p["s"], low), high) for k in (-3, -1, -0.3, 0.3, 1, 3))}
        )
        moments = np.array(
            [
                sum(
                    integrate.quad(
                        lambda a, k=k: a**k * float(weight(a)), begin, end, epsabs=0, epsrel=1e-11, limit=200
                    )[0]
                    for begin, end in itertools.pairwise(marks)
                )
                for k in range(3)
            ]
        )
    else:
        count = 12 if pick["method"] == "naive" else 7
        points = (
            np.linspace(low, high, count) if pick["method"] == "naive" else np.geomspace(low, high, count)
        )
        values = weight(points)
        moments = np.array([integrate.trapezoid(values * points**k, points) for k in range(3)])
    mean = moments[1] / moments[0]
    spread = np.sqrt(max(moments[2] / moments[0] - mean**2, 0.0))
    return [float(mean), float(spread), float(1 + abs(top + np.log(moments[0])) / 15)]

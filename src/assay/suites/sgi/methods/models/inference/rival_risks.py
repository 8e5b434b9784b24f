"""Two causes of failure that compete, in units that differ."""

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

    return {"batch": 1 + stream.below(9)}


def rival_risks(p: Numbers, pick: Picks) -> list[float]:
    """Ten times the shares that fail by cause 1 and by cause 2 up to t, and that survive."""
    k, delay = p["k"], p["delay"]

    def hazards(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if pick["wear"] == "power":
            first = p["a"] * k * u ** (k - 1)
        else:
            first = p["a"] * np.exp((k - 1) * u)
        if pick["second cause"] == "delayed":
            second = np.where(u > delay, p["b"], 0.0)
        else:
            second = p["b"] * np.exp(-u / delay)
        return first, second

    def burden(u: np.ndarray) -> np.ndarray:
        if pick["wear"] == "power":
            total = p["a"] * u**k
        else:
            total = p["a"] * np.expm1((k - 1) * u) / (k - 1)
        if pick["second cause"] == "delayed":
            total = total + p["b"] * np.maximum(u - delay, 0.0)
        else:
            total = total - p["b"] * delay * np.expm1(-u / delay)
        return np.asarray(total)

    def survival(h: np.ndarray) -> np.ndarray:
        root = np.sqrt(p["theta"])
        if pick["units"] == "graded":
            value = (1 + p["theta"] * h) ** (-1 / p["theta"])
        else:
            value = (np.exp(-h * (1 - root)) + np.exp(-h * (1 + root))) / 2
        return np.asarray(value)

    def falling(h: np.ndarray) -> np.ndarray:
        root = np.sqrt(p["theta"])
        if pick["units"] == "graded":
            value = (1 + p["theta"] * h) ** (-1 / p["theta"] - 1)
        else:
            value = ((1 - root) * np.exp(-h * (1 - root)) + (1 + root) * np.exp(-h * (1 + root))) / 2
        return np.asarray(value)

    marks = sorted({0.0, min(delay, p["t"]), p["t"]})
    if pick["method"] == "right":
        node, width = np.polynomial.legendre.leggauss(60)
        shares = np.zeros(2)
        for begin, end in itertools.pairwise(marks):
            # u = begin + (end - begin) s^4 resolves powers of u at 0.
            s = (node + 1) / 2
            u = begin + (end - begin) * s**4
            mass = width / 2 * (end - begin) * 4 * s**3 * falling(burden(u))
            shares += [float(mass @ h) for h in hazards(u)]
        left = float(survival(burden(np.array([p["t"]])))[0])
    elif pick["method"] == "second":
        shares = np.array(
            [
                sum(
                    integrate.quad(
                        lambda u, c=c: float(hazards(np.array(u))[c] * falling(burden(np.array(u)))),
                        begin,
                        end,
                        epsabs=1e-12,
                        epsrel=1e-10,
                        limit=400,
                    )[0]
                    for begin, end in itertools.pairwise(marks)
                )
                for c in range(2)
            ]
        )
        left = 1 - float(shares.sum())
    elif pick["method"] == "naive":
        u = (np.arange(20) + 0.5) / 20 * p["t"]
        mass = p["t"] / 20 * np.exp(-burden(u))
        shares = np.array([float(mass @ h) for h in hazards(u)])
        left = 1 - float(shares.sum())
    else:
        u = np.linspace(1e-9, p["t"], 200)
        shares = np.array([1 - np.exp(-integrate.trapezoid(h, u)) for h in hazards(u)])
        left = float((1 - shares[0]) * (1 - shares[1]))
    return [10 * float(shares[0]), 10 * float(shares[1]), 10 * left]

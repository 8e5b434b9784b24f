"""A level that wanders behind noisy readings with a gap."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.methods.support import Numbers, Picks


def prepare(p: Numbers, stream: Stream) -> dict[str, Any]:
    """Data of an instance; a sum of twelve uniform draws is noise enough."""

    def noise() -> float:
        return sum(stream.uniform() for _ in range(12)) - 6

    level, y = 3.0 + noise() / 2, []
    for at in range(16):
        level = 0.95 * level + p["q"] * noise()
        y.append(0.0 if 6 <= at < 9 else round(level + p["r"] * noise(), 4))
    return {"y": y}


def hidden_level(p: Numbers, pick: Picks) -> list[float]:
    """One + the size of the last level, ten times its deviation, and one + |ln likelihood|/16."""
    y = np.array(p["y"])
    n = len(y)
    phi = p["phi"] if pick["motion"] == "returning" else 1.0
    seen = np.array([value != 0.0 or pick["zeros"] == "readings" for value in y])
    start = p["v"] if pick["start"] == "vague" else p["q"] ** 2 / (1 - p["phi"] ** 2)
    if pick["method"] == "second":
        # All levels and readings at once, as one normal vector.
        move = np.zeros((n, n))
        for i in range(n):
            for j in range(i + 1):
                move[i, j] = phi ** (i - j)
        levels = move @ np.diag([start] + [p["q"] ** 2] * (n - 1)) @ move.T
        known = np.flatnonzero(seen)
        spread = levels[np.ix_(known, known)] + p["r"] ** 2 * np.eye(len(known))
        solved = np.linalg.solve(spread, y[known])
        last = float(levels[-1, known] @ solved)
        left = levels[-1, -1] - levels[-1, known] @ np.linalg.solve(spread, levels[known, -1])
        log_l = -0.5 * (y[known] @ solved + np.linalg.slogdet(2 * np.pi * spread)[1])
    elif pick["method"] == "rough":
        last, left, log_l = 0.0, p["q"] * p["r"], 0.0
        for value in y:
            share = p["q"] / (p["q"] + p["r"])
            log_l -= 0.5 * (
                (value - last) ** 2 / (p["r"] ** 2 + left) + np.log(2 * np.pi * (p["r"] ** 2 + left))
            )
            last = phi * last + share * (value - phi * last)
    else:
        mean, left, log_l = 0.0, start, 0.0
        for at in range(n):
            if at:
                mean, left = phi * mean, phi**2 * left + p["q"] ** 2
            if seen[at]:
                total = left + p["r"] ** 2
                gap = y[at] - mean
                log_l -= 0.5 * (gap**2 / total + np.log(2 * np.pi * total))
                mean, left = mean + left / total * gap, left * p["r"] ** 2 / total
            elif pick["method"] == "naive":
                left = left * p["r"] ** 2 / (left + p["r"] ** 2)
        last = mean
    return [1 + abs(float(last)), 10 * float(np.sqrt(left)), 1 + abs(float(log_l)) / 16]

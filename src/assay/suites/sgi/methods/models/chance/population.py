"""A population that is born, dies and meets catastrophes, by its master equation."""

from __future__ import annotations

import numpy as np

from assay.suites.sgi.methods.support import Numbers, Picks, propagated


def population(p: Numbers, pick: Picks) -> list[float]:
    """Ten times the chance to be extinct at the end, then the mean and the standard deviation of its size."""
    n = 30
    size = np.arange(n + 1.0)
    a = np.zeros((n + 1, n + 1))
    if pick["birth"] == "crowded":
        up = p["b"] * size * (1 - size / n)
    else:
        up = p["b"] * size / (1 + size / 10)
    up[n] = 0.0
    down = p["d"] * size if pick["death"] == "alone" else p["d"] * size * (size + 1) / 8
    for at in range(n + 1):
        if at < n:
            a[at + 1, at] += up[at]
        if at:
            a[at - 1, at] += down[at]
        a[at, at] -= up[at] + down[at]
        lands = at // 2 if pick["catastrophe"] == "halves" else 0
        if at:
            a[lands, at] += p["c"]
            a[at, at] -= p["c"]
    start = np.zeros(n + 1)
    start[6] = 1.0
    chance = propagated(a, start, p["t"], pick)
    mean = float(chance @ size)
    return [10 * float(chance[0]), mean, float(np.sqrt(max(chance @ size**2 - mean**2, 0.0)))]

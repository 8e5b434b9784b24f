"""Heat in a rod, or any diffusing amount."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from assay.suites.sgi.methods.support import Numbers, Picks


def heat_rod(p: Numbers, pick: Picks) -> list[float]:
    """Ten times the value at x, ten times the mean, and the flux through the left end, at the end."""
    open_end = pick["right end"] == "held"
    sign = -1.0 if pick["exchange"] == "loss" else 1.0
    if pick["method"] in ("right", "rough"):
        count = 3 if pick["method"] == "rough" else 3000
        n = np.arange(1, count + 1)
        k = np.pi * n if open_end else np.pi * (n - 0.5)
        decay = np.exp((sign * p["r"] - p["d"] * k**2) * p["t"])
        if pick["start"] == "uniform":
            weight = 2 * (1 - np.cos(k)) / k
        else:
            weight = 2 * (np.sin(k) - k * np.cos(k)) / k**2
        series = weight * decay
        value, mean, flux = (
            float(np.sum(series * part)) for part in (np.sin(k * p["x"]), (1 - np.cos(k)) / k, k * p["d"])
        )
    else:
        # Chebyshev collocation (second) or centred differences (naive) in space, exact in time.
        size = 64 if pick["method"] == "second" else 20
        if pick["method"] == "second":
            j = np.arange(size + 1)
            z = np.cos(np.pi * j / size)
            scale = np.where((j == 0) | (j == size), 2.0, 1.0) * (-1.0) ** j
            difference = z[:, None] - z[None, :] + np.eye(size + 1)
            first = np.outer(scale, 1 / scale) / difference
            first -= np.diag(first.sum(axis=1))
            grid, slope = (1 - z) / 2, -2 * first
            weights = np.linalg.solve(np.vander(z, increasing=True).T, (1 - (-1.0) ** (j + 1)) / (j + 1)) / 2
        else:
            grid = np.linspace(0, 1, size + 1)
            slope = np.asarray(np.gradient(np.eye(size + 1), 1 / size, axis=0))
            weights = np.full(size + 1, 1 / size)
        start = np.ones(size + 1) if pick["start"] == "uniform" else grid.copy()
        # u = E v with the values v at free nodes; the ends follow from their conditions.
        free = np.arange(1, size)
        expand = np.zeros((size + 1, size - 1))
        expand[free, range(size - 1)] = 1
        if not open_end:
            expand[size] = -slope[size, 1:size] / slope[size, size]
        operator = (p["d"] * slope @ slope @ expand + sign * p["r"] * expand)[free]
        values = expand @ (linalg.expm(operator * p["t"]) @ start[free])
        if pick["method"] == "second":
            here = np.array([1.0 if m in (0, size) else 2.0 for m in j])  # barycentric weights
            bary = (-1.0) ** j * here / 2 / (p["x"] - grid)
            value = float(bary @ values / bary.sum())
        else:
            value = float(np.interp(p["x"], grid, values))
        mean, flux = float(weights @ values), float(p["d"] * (slope @ values)[0])
    return [10 * value, 10 * mean, 1 + flux]

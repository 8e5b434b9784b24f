"""A column of stirred cells with back-flow."""

from __future__ import annotations

import numpy as np

from assay.suites.sgi.methods.support import Numbers, Picks, propagated


def tank_column(p: Numbers, pick: Picks) -> list[float]:
    """Ten times the amounts in cell 5, in cell 11 and in all cells, at the end."""
    n = 12
    flow = p["q"]
    a = np.zeros((n + 1, n + 1))
    for at in range(n):
        a[at, at] -= flow
        if at + 1 < n:
            a[at + 1, at] += flow
            a[at, at + 1] += p["b"]
            a[at + 1, at + 1] -= p["b"]
    if pick["outlet"] == "returns":
        a[0, n - 1] += flow
    if pick["walls"] == "sorb":
        a = a / (1 + p["k"])
    else:
        a[range(n), range(n)] -= p["k"] / 10
    start = np.zeros(n + 1)
    if pick["inlet"] == "pulse":
        start[0] = 1.0
    else:
        start[n] = 1.0
        a[n, n] = -1.0
        a[0, n] = 1.0
    state = propagated(a, start, p["t"], pick)
    return [10 * float(state[4]), 10 * float(state[10]), 10 * float(sum(state[:n]))]

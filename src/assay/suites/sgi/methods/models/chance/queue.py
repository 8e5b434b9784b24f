"""A queue with a limited waiting room, in balance."""

from __future__ import annotations

import numpy as np

from assay.suites.sgi.methods.support import Numbers, Picks


def queue(p: Numbers, pick: Picks) -> list[float]:
    """Mean number in the system, ten times the share that is turned away, and the mean number in service."""
    room, servers = 25, 3
    n = np.arange(room + 1)
    join = np.ones(room + 1)
    leave = np.zeros(room + 1)
    if pick["impatience"] == "at the door":
        join = 1 / (1 + p["theta"] * np.maximum(n - servers + 1, 0))
    else:
        leave = p["theta"] * np.maximum(n - servers, 0)
    if pick["service"] == "each alone":
        serve = p["mu"] * np.minimum(n, servers)
    else:
        serve = p["mu"] * servers * np.minimum(n, 1) * (1 - 0.2 * (n > servers))
    up, down = p["lam"] * join, serve + leave
    jump = 2 if pick["arrivals"] == "in pairs" else 1
    a = np.zeros((room + 1, room + 1))
    for at in range(room + 1):
        to = at + jump
        if to <= room:
            a[to, at] += up[at] / jump
            a[at, at] -= up[at] / jump
        if at:
            a[at - 1, at] += down[at]
            a[at, at] -= down[at]
    if pick["method"] == "right":
        system = a.copy()
        system[-1] = 1.0
        share = np.linalg.solve(system, np.eye(room + 1)[-1])
    elif pick["method"] == "second":
        # Cuts between n and n + 1: what goes up goes down, so the shares follow from below.
        share = np.zeros(room + 1)
        share[0] = 1.0
        for at in range(room):
            across = sum(
                share[i] * up[i] / jump for i in range(max(at - jump + 1, 0), at + 1) if i + jump <= room
            )
            share[at + 1] = across / down[at + 1]
        share = share / share.sum()
    elif pick["method"] == "naive":
        load = p["lam"] / (servers * p["mu"])
        share = load ** n.astype(float)
        share = share / share.sum()
    else:
        share = np.eye(room + 1)[0]
        step = 0.5 / -a.diagonal().min()
        for _ in range(15):
            share = share + step * a @ share
    refused = abs(float(share @ (1 - join))) + abs(float(share[room + 1 - jump :].sum()))
    return [float(share @ n), 10 * refused, float(share @ np.minimum(n, servers))]

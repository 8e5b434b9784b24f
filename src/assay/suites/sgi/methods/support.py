"""Functions that several models share; a rendered program holds the ones that it uses.

A function with a parameter `pick` has branches `if pick[name] == value`. `specialise` keeps one branch
of each, so the program of an agent, the plausible mistakes and the second, independent method of a model are
all cut from one tested file. The picks named `method` are `right`, `second` (independent of it),
`naive` and `rough` (plausible, and not good enough).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import integrate, linalg

Numbers = Mapping[str, Any]
"""Parameters of a function, by name: numbers, or lists of numbers."""

Picks = Mapping[str, str]
"""Which branch of a function is taken: of each decision its value, and of `method` the method."""


def trajectory(slope: Any, start: Any, times: Any, pick: Picks) -> Any:
    """The states of y' = slope(y, t) at the times after 0, one row each."""
    grid = np.concatenate([[0.0], np.asarray(times, float)])
    if pick["method"] == "right":
        states = integrate.odeint(slope, start, grid, rtol=1e-10, atol=1e-12, mxstep=200000)[1:]
    elif pick["method"] == "second":
        done = integrate.solve_ivp(
            lambda t, y: slope(y, t), (0.0, grid[-1]), start, "Radau", grid[1:], rtol=1e-8, atol=1e-11
        )
        states = done.y.T
    elif pick["method"] == "naive":
        states = []
        state = np.asarray(start, float)
        for begin, end in itertools.pairwise(grid):
            step = (end - begin) / 40
            for at in range(40):
                state = state + step * np.asarray(slope(state, begin + at * step))
            states.append(state)
        states = np.array(states)
    else:
        states = []
        state = np.asarray(start, float)
        for begin, end in itertools.pairwise(grid):
            step = (end - begin) / 10
            for at in range(10):
                t = begin + at * step
                k1 = np.asarray(slope(state, t))
                k2 = np.asarray(slope(state + step / 2 * k1, t + step / 2))
                k3 = np.asarray(slope(state + step / 2 * k2, t + step / 2))
                k4 = np.asarray(slope(state + step * k3, t + step))
                state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            states.append(state)
        states = np.array(states)
    return states


def propagated(matrix: Any, start: Any, time: float, pick: Picks) -> Any:
    """The solution of y' = matrix y after a time."""
    if pick["method"] == "right":
        state = linalg.expm(np.asarray(matrix) * time) @ start
    elif pick["method"] == "second":
        done = integrate.solve_ivp(
            lambda t, y: matrix @ y, (0.0, time), start, "BDF", [time], jac=matrix, rtol=1e-9, atol=1e-12
        )
        state = done.y[:, 0]
    elif pick["method"] == "naive":
        state = np.asarray(start, float)
        for _ in range(100):
            state = state + time / 100 * (matrix @ state)
    else:
        inverse = np.linalg.inv(np.eye(len(start)) - time / 25 * np.asarray(matrix))
        state = np.asarray(start, float)
        for _ in range(25):
            state = inverse @ state
    return state

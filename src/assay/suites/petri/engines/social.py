"""social: agents with opinions in [0, 1] influence those with similar ones (after Deffuant et al. 2000).

A run has 300 sweeps of as many encounters as there are agents. Each encounter has three steps:

* A random agent i meets a partner j, which with probability `locality` is one of the ten nearest agents on a
  ring, and otherwise any agent. If their opinions differ by less than `epsilon`, each moves towards the other
  by `mu` times the difference.
* With probability `noise`, i takes a new opinion from U(0, 1).
* With probability `media`, i moves by `mu` times the difference towards `media_pos`, if that is less than
  2 `epsilon` away.

Initial opinions are uniform in an interval of length `spread` around 1/2. A share `stubborn` of the agents
starts at 0 and 1 alternately and never moves.
"""

from __future__ import annotations

import numpy as np

from assay.numbers.draws import below, key, sub, uniform
from assay.numbers.kernels import kernel

PARAMETERS = ("n_agents", "epsilon", "mu", "noise", "stubborn", "media", "media_pos", "locality", "spread")
METRICS = ("clusters", "polarization", "mean", "largest", "extremity")

STEPS = 300
REACH = 5  # number of neighbours on each side of the ring
GAP = 0.02  # opinions further apart than this belong to different clusters
PERCENT = 3  # percentage of the agents that a cluster must exceed to count
INITIAL = np.uint64(1)  # random stream of the initial state: one draw per agent
MEETINGS = np.uint64(2)  # random stream of encounters: agent, whether the partner is near, partner
SHOCKS = np.uint64(3)  # random stream of new opinions: whether one is taken, its value
BROADCAST = np.uint64(4)  # random stream of the media: one draw per encounter
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)


@kernel
def start(parameters: np.ndarray, seed: np.uint64, x: np.ndarray, moves: np.ndarray) -> None:
    """Write the initial opinions, and the share of a difference by which each agent moves."""
    mu = parameters[2]
    spread = parameters[8]
    stubborn = int(np.floor(parameters[4] * x.size + 0.5))
    initial = key(seed, INITIAL)
    for i in range(x.size):
        x[i] = 0.5 + spread * (uniform(initial, np.uint64(i)) - 0.5)
        moves[i] = mu
    for i in range(stubborn):
        x[i] = float(i % 2)
        moves[i] = 0.0


@kernel
def sweep(parameters: np.ndarray, seed: np.uint64, step: int, x: np.ndarray, moves: np.ndarray) -> None:
    """Carry out as many encounters as there are agents."""
    n = x.size
    epsilon = parameters[1]
    noise = parameters[3]
    media = parameters[5]
    media_pos = parameters[6]
    locality = parameters[7]
    meetings = sub(key(seed, MEETINGS), np.uint64(step))
    shocks = sub(key(seed, SHOCKS), np.uint64(step))
    broadcast = sub(key(seed, BROADCAST), np.uint64(step))
    anyone = np.uint64(n - 1)
    nearby = np.uint64(2 * REACH)
    for e in range(n):
        first = np.uint64(e) * THREE
        i = below(meetings, first, np.uint64(n))
        if locality > 0.0 and uniform(meetings, first + ONE) < locality:
            offset = below(meetings, first + TWO, nearby) - REACH
            j = i + (offset if offset < 0 else offset + 1)
            j = j + n if j < 0 else j
            j = j - n if j >= n else j
        else:
            j = below(meetings, first + TWO, anyone)
            j = j + 1 if j >= i else j
        xi = x[i]
        d = x[j] - xi
        felt = 1.0 if abs(d) < epsilon else 0.0
        d = felt * d
        x[j] = x[j] - moves[j] * d
        xi = xi + moves[i] * d
        if uniform(shocks, np.uint64(e) * TWO) < noise and moves[i] > 0.0:
            xi = uniform(shocks, np.uint64(e) * TWO + ONE)
        if uniform(broadcast, np.uint64(e)) < media:
            d = media_pos - xi
            if abs(d) < 2.0 * epsilon:
                xi = xi + moves[i] * d
        x[i] = xi


@kernel
def describe(x: np.ndarray, out: np.ndarray) -> None:
    """Write the METRICS of the final opinions into `out`.

    A cluster is a maximal set of sorted opinions without a gap wider than GAP; only clusters with more than
    PERCENT per cent of the agents are counted. polarization is 4 times the variance, largest the share of the
    largest cluster, and extremity the mean distance from 1/2, scaled so that 0 and 1 have extremity 1.
    """
    n = x.size
    ordered = np.sort(x)
    clusters = 0
    largest = 0
    size = 1
    total = ordered[0]
    for i in range(1, n + 1):
        if i == n or ordered[i] - ordered[i - 1] > GAP:
            clusters += 100 * size > PERCENT * n
            largest = max(largest, size)
            size = 0
        if i < n:
            size += 1
            total += ordered[i]
    mean = total / n
    squares = 0.0
    extremity = 0.0
    for i in range(n):
        squares += (x[i] - mean) * (x[i] - mean)
        extremity += abs(2.0 * x[i] - 1.0)
    out[0] = clusters
    out[1] = 4.0 * (squares / n)
    out[2] = mean
    out[3] = largest / n
    out[4] = extremity / n


@kernel
def replicate(parameters: np.ndarray, seed: np.uint64, steps: int, out: np.ndarray) -> None:
    """Simulate one run of `steps` sweeps and write the five METRICS into `out`.

    `parameters` are float64 in the order of PARAMETERS.
    """
    n = int(parameters[0])
    x = np.empty(n)
    moves = np.empty(n)
    start(parameters, seed, x, moves)
    for step in range(steps):
        sweep(parameters, seed, step, x, moves)
    describe(x, out)


@kernel
def replicates(parameters: np.ndarray, seeds: np.ndarray, steps: int) -> np.ndarray:
    """Simulate one run per seed: `parameters` float64 (9,), `seeds` uint64, result float64 (seeds, 5)."""
    out = np.empty((seeds.size, 5))
    for i in range(seeds.size):
        replicate(parameters, seeds[i], steps, out[i])
    return out

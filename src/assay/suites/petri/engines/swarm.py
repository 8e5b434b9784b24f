"""swarm: agents on a torus that align, gather, keep apart and err (flocking; after Vicsek et al. 1995).

Every step, all agents at once: from its neighbours nearer than `radius` (itself included; nearest images on
a torus of side 8) an agent makes the direction

    inertia * own heading + alignment * unit(sum of headings) + cohesion * mean offset / radius
    - separation * (sum of offsets nearer than 0.4 radius) / (0.4 radius)   (+ 2 along x for a leader),

turns it by pi * noise * U(-1, 1), and moves `speed` along it. Headings are unit vectors, not angles.
Unlike Vicsek's rule there are cohesion, separation and inertia, and noise turns the resulting direction.
"""

from __future__ import annotations

import math

import numpy as np

from assay.numbers.draws import key, sub, uniform
from assay.numbers.kernels import kernel
from assay.numbers.portable import sincos

PARAMETERS = (
    "n_agents",
    "noise",
    "alignment",
    "cohesion",
    "separation",
    "radius",
    "speed",
    "inertia",
    "leaders",
)
METRICS = ("polarization", "polar_sd", "nn_dist", "local_order", "groups")

STEPS = 200
SIDE = 8.0
HALF = 4.0
ZONE = 0.4  # share of the radius within which agents repel each other
PULL = 2.0  # on a leader, along +x
LINK = 0.5  # agents nearer than this belong to one group
VECTOR = 8  # arrays of places are padded to a multiple of this ...
FAR = 1e9  # ... with a place that is near nothing
PI = 3.141592653589793
INITIAL = np.uint64(1)  # the stream of the initial state: x, y and heading of an agent
ERRORS = np.uint64(2)  # the stream of the turns: one draw an agent and step
SLOTS = np.uint64(3)
ONE = np.uint64(1)
TWO = np.uint64(2)


@kernel
def start(seed: np.uint64, x: np.ndarray, y: np.ndarray, hx: np.ndarray, hy: np.ndarray) -> None:
    """Places uniform on the torus, headings uniform on the circle."""
    initial = key(seed, INITIAL)
    for i in range(hx.size):
        first = np.uint64(i) * SLOTS
        x[i] = SIDE * uniform(initial, first)
        y[i] = SIDE * uniform(initial, first + ONE)
        s, c = sincos(2.0 * PI * uniform(initial, first + TWO))
        hx[i] = c
        hy[i] = s


@kernel
def nearest_image(d: float) -> float:
    """A difference of two places in [0, SIDE), between their nearest images."""
    d = d - SIDE if d > HALF else d
    return d + SIDE if d < -HALF else d


@kernel
def wrapped(x: float) -> float:
    """A place moved by less than one side, back in [0, SIDE)."""
    x = x + SIDE if x < 0.0 else x
    return x - SIDE if x >= SIDE else x  # also where a tiny negative number was rounded up to SIDE


@kernel
def gather(
    x: np.ndarray,
    y: np.ndarray,
    hx: np.ndarray,
    hy: np.ndarray,
    near: float,
    zone: float,
    sums: np.ndarray,
    flags: np.ndarray,
    close: np.ndarray,
) -> None:
    """Sum over the neighbours of every agent, into the rows of `sums` (7, n).

    Rows: headings x, y; offsets x, y; count; offsets x, y of the repelling ones. `near` and `zone` are
    squared distances. Each pair is looked at once, and serves both its agents; since pairs come in ascending
    order, every sum grows in ascending order of its sources, as in the plain double loop.

    For each agent, first all distances to the later ones (one vectorised loop, and the reason why `x` and `y`
    are padded to whole vectors), then a list without branches of those that are near, then the sums.
    """
    n = hx.size
    sums[:, :] = 0.0
    for i in range(n):
        xi = x[i]
        yi = y[i]
        start = (i + 1) // VECTOR * VECTOR
        xs = x[start:]
        ys = y[start:]
        is_near = flags[start:]
        for j in range(xs.size):
            dx = abs(xs[j] - xi)
            dy = abs(ys[j] - yi)
            other_x = SIDE - dx
            other_y = SIDE - dy
            dx = other_x if other_x < dx else dx
            dy = other_y if other_y < dy else dy
            is_near[j] = dx * dx + dy * dy < near
        for j in range(i + 1 - start):
            is_near[j] = 0
        count = 0
        for j in range(is_near.size):
            close[count] = start + j
            count += is_near[j]

        hxi = hx[i]
        hyi = hy[i]
        to_hx = sums[0, i] + hxi
        to_hy = sums[1, i] + hyi
        to_x = sums[2, i]
        to_y = sums[3, i]
        number = sums[4, i] + 1.0
        push_x = sums[5, i]
        push_y = sums[6, i]
        for k in range(count):
            j = close[k]
            dx = nearest_image(x[j] - xi)
            dy = nearest_image(y[j] - yi)
            to_hx += hx[j]
            to_hy += hy[j]
            to_x += dx
            to_y += dy
            number += 1.0
            sums[0, j] += hxi
            sums[1, j] += hyi
            sums[2, j] -= dx
            sums[3, j] -= dy
            sums[4, j] += 1.0
            felt = 1.0 if dx * dx + dy * dy < zone else 0.0
            dx = felt * dx
            dy = felt * dy
            push_x += dx
            push_y += dy
            sums[5, j] -= dx
            sums[6, j] -= dy
        sums[0, i] = to_hx
        sums[1, i] = to_hy
        sums[2, i] = to_x
        sums[3, i] = to_y
        sums[4, i] = number
        sums[5, i] = push_x
        sums[6, i] = push_y


@kernel
def steer(parameters: np.ndarray, hx: np.ndarray, hy: np.ndarray, sums: np.ndarray) -> None:
    """The direction that every agent makes of its neighbours, into the first two rows of `sums`."""
    alignment, cohesion, separation, radius = parameters[2:6]
    inertia = parameters[7]
    led = int(np.floor(parameters[8] * hx.size + 0.5))
    zone = ZONE * radius
    for i in range(hx.size):
        ax = sums[0, i]
        ay = sums[1, i]
        length = math.sqrt(ax * ax + ay * ay)
        length = length if length > 0.0 else 1.0
        gx = inertia * hx[i] + alignment * (ax / length)
        gy = inertia * hy[i] + alignment * (ay / length)
        gx = gx + cohesion * (sums[2, i] / sums[4, i]) / radius
        gy = gy + cohesion * (sums[3, i] / sums[4, i]) / radius
        gx = gx - separation * sums[5, i] / zone
        gy = gy - separation * sums[6, i] / zone
        gx = gx + PULL if i < led else gx
        length = math.sqrt(gx * gx + gy * gy)
        still = length == 0.0  # nothing pulls anywhere: the heading stays
        length = 1.0 if still else length
        sums[0, i] = hx[i] if still else gx / length
        sums[1, i] = hy[i] if still else gy / length


@kernel
def move(
    parameters: np.ndarray,
    errors: np.uint64,
    x: np.ndarray,
    y: np.ndarray,
    hx: np.ndarray,
    hy: np.ndarray,
    sums: np.ndarray,
) -> float:
    """Turn every agent by its error and move it; returns the length of the mean heading."""
    noise = parameters[1]
    speed = parameters[6]
    n = hx.size
    turn = sums[2]
    for i in range(n):
        turn[i] = PI * noise * (2.0 * uniform(errors, np.uint64(i)) - 1.0)
    for i in range(n):
        s, c = sincos(turn[i])
        hx[i] = c * sums[0, i] - s * sums[1, i]
        hy[i] = s * sums[0, i] + c * sums[1, i]
    for i in range(n):
        x[i] = wrapped(x[i] + speed * hx[i])
        y[i] = wrapped(y[i] + speed * hy[i])
    mean_x = 0.0
    mean_y = 0.0
    for i in range(n):
        mean_x += hx[i]
        mean_y += hy[i]
    mean_x = mean_x / n
    mean_y = mean_y / n
    return math.sqrt(mean_x * mean_x + mean_y * mean_y)


@kernel
def root(parent: np.ndarray, i: int) -> int:
    """The representative of the group of agent i (path halving)."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def structure(
    x: np.ndarray, y: np.ndarray, hx: np.ndarray, hy: np.ndarray, radius: float
) -> tuple[float, float, float]:
    """Describe one state: mean distance to the nearest agent, alignment of neighbours, number of groups."""
    n = hx.size
    near = radius * radius
    nearest = np.full(n, SIDE * SIDE)
    parent = np.arange(n)
    groups = n
    pairs = 0
    aligned = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = nearest_image(x[j] - x[i])
            dy = nearest_image(y[j] - y[i])
            square = dx * dx + dy * dy
            if square < nearest[i]:
                nearest[i] = square
            if square < nearest[j]:
                nearest[j] = square
            if square < near:
                pairs += 1
                aligned += hx[i] * hx[j] + hy[i] * hy[j]
            if square < LINK * LINK:
                a = root(parent, i)
                b = root(parent, j)
                if a != b:
                    parent[b] = a
                    groups -= 1
    distance = 0.0
    for i in range(n):
        distance += math.sqrt(nearest[i])
    order = aligned / pairs if pairs > 0 else 0.0
    return distance / n, order, float(groups)


@kernel
def replicate(parameters: np.ndarray, seed: np.uint64, steps: int, out: np.ndarray) -> None:
    """One run; writes the five METRICS into `out`.

    `parameters` are float64 in the order of PARAMETERS. The first half of the steps is discarded:
    polarization and polar_sd are mean and standard deviation over time of the length of the mean heading in
    the second half; the other metrics are of the last state.
    """
    n = int(parameters[0])
    padded = (n + VECTOR - 1) // VECTOR * VECTOR
    x = np.full(padded, FAR)
    y = np.full(padded, FAR)
    hx = np.empty(n)
    hy = np.empty(n)
    sums = np.empty((7, n))
    flags = np.zeros(padded, np.uint8)
    close = np.zeros(padded + 1, np.int64)
    polarization = np.empty(steps)
    start(seed, x, y, hx, hy)
    errors = key(seed, ERRORS)
    near = parameters[5] * parameters[5]
    zone = (ZONE * parameters[5]) * (ZONE * parameters[5])
    for step in range(steps):
        gather(x, y, hx, hy, near, zone, sums, flags, close)
        steer(parameters, hx, hy, sums)
        polarization[step] = move(parameters, sub(errors, np.uint64(step)), x, y, hx, hy, sums)
    first = steps // 2
    total = 0.0
    for step in range(first, steps):
        total += polarization[step]
    mean = total / (steps - first)
    squares = 0.0
    for step in range(first, steps):
        deviation = polarization[step] - mean
        squares += deviation * deviation
    out[0] = mean
    out[1] = math.sqrt(squares / (steps - first))
    out[2], out[3], out[4] = structure(x[:n], y[:n], hx, hy, parameters[5])


@kernel
def replicates(parameters: np.ndarray, seeds: np.ndarray, steps: int) -> np.ndarray:
    """One run a seed: float64 (number of seeds, 5); `seeds` are uint64, `parameters` float64 (9,)."""
    out = np.empty((seeds.size, 5))
    for i in range(seeds.size):
        replicate(parameters, seeds[i], steps, out[i])
    return out


@kernel
def final_state(parameters: np.ndarray, seed: np.uint64, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The last state of one run, for figures: places and headings, float64 (2, n) each."""
    n = int(parameters[0])
    padded = (n + VECTOR - 1) // VECTOR * VECTOR
    places = np.full((2, padded), FAR)
    headings = np.empty((2, n))
    sums = np.empty((7, n))
    flags = np.zeros(padded, np.uint8)
    close = np.zeros(padded + 1, np.int64)
    start(seed, places[0], places[1], headings[0], headings[1])
    errors = key(seed, ERRORS)
    near = parameters[5] * parameters[5]
    zone = (ZONE * parameters[5]) * (ZONE * parameters[5])
    for step in range(steps):
        gather(places[0], places[1], headings[0], headings[1], near, zone, sums, flags, close)
        steer(parameters, headings[0], headings[1], sums)
        move(parameters, sub(errors, np.uint64(step)), places[0], places[1], headings[0], headings[1], sums)
    return places[:, :n].copy(), headings

"""swarm: agents on a torus align, attract and repel each other (flocking; after Vicsek et al. 1995).

In every step, all agents act simultaneously. From the neighbours within `radius` (including itself; nearest
images on a torus of side 8) an agent computes the direction

    inertia * own heading + alignment * unit(sum of headings) + cohesion * mean offset / radius
    - separation * (sum of offsets nearer than 0.4 radius) / (0.4 radius)   (+ 2 along x for a leader),

turns it by pi * noise * U(-1, 1), and moves by `speed` along it. Headings are unit vectors, not angles.
Unlike in Vicsek's model there are cohesion, separation and inertia, and noise turns the resulting direction.
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
PULL = 2.0  # strength of a leader's tendency along +x
LINK = 0.5  # agents nearer than this belong to one group
VECTOR = 8  # coordinate arrays are padded to a multiple of this length
FAR = 1e9  # padding coordinate, which is near no agent
PI = 3.141592653589793
INITIAL = np.uint64(1)  # random stream of the initial state: x, y and heading of an agent
ERRORS = np.uint64(2)  # random stream of the turns: one draw per agent and step
SLOTS = np.uint64(3)
ONE = np.uint64(1)
TWO = np.uint64(2)


@kernel
def start(seed: np.uint64, x: np.ndarray, y: np.ndarray, hx: np.ndarray, hy: np.ndarray) -> None:
    """Draw positions uniformly on the torus and headings uniformly on the circle."""
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
    """Return the difference of two coordinates in [0, SIDE) between their nearest periodic images."""
    d = d - SIDE if d > HALF else d
    return d + SIDE if d < -HALF else d


@kernel
def wrapped(x: float) -> float:
    """Return a coordinate that left [0, SIDE) by less than SIDE, wrapped back into it."""
    x = x + SIDE if x < 0.0 else x
    return x - SIDE if x >= SIDE else x  # also if a tiny negative number was rounded up to SIDE


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

    The rows are headings x, y; offsets x, y; count; offsets x, y of the repelling neighbours. `near` and
    `zone` are squared distances. Each pair is visited once and contributes to both agents. Pairs come in
    ascending order, so that every sum is accumulated in the same order as in a plain double loop.

    For each agent, a vectorised loop computes all distances to later agents, for which `x` and `y` are padded
    to whole vectors. A loop without branches then lists the near agents, and a third one adds to the sums.
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
    """Write each agent's new direction, a unit vector before noise, into the first two rows of `sums`."""
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
        still = length == 0.0  # all terms cancel: the heading stays
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
    """Turn every agent by its random error and move it; returns the length of the mean heading."""
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
    """Return the representative of agent i's group in the union-find forest, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def structure(
    x: np.ndarray, y: np.ndarray, hx: np.ndarray, hy: np.ndarray, radius: float
) -> tuple[float, float, float]:
    """Return mean distance to the nearest agent, alignment of neighbours and number of groups of a state."""
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
    """Simulate one run and write the five METRICS into `out`.

    `parameters` are float64 in the order of PARAMETERS. polarization and polar_sd are the mean and standard
    deviation over time of the length of the mean heading in the second half of the steps; the other metrics
    describe the last state.
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
    """Simulate one run per seed: `parameters` float64 (9,), `seeds` uint64, result float64 (seeds, 5)."""
    out = np.empty((seeds.size, 5))
    for i in range(seeds.size):
        replicate(parameters, seeds[i], steps, out[i])
    return out


@kernel
def final_state(parameters: np.ndarray, seed: np.uint64, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the last state of one run for figures: positions and headings, each float64 (2, n)."""
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

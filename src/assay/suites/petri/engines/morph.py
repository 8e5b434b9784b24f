"""morph: two substances react and diffuse on a torus until spots, stripes or nothing remain.

The reaction of Gray and Scott (1984) runs on a square grid, after Pearson (1993), with unit steps in time and
space. Substance v consumes u, u is supplied, and v is removed:

    u' = u + du * lap(u) - u v v + feed * (1 - u)
    v' = v + dv * lap(v) + u v v - (feed + kill) * v,

where lap is the sum over the four neighbours minus four times the cell. Initially u = 1/2 and v = 1/4 in
`n_spots` squares of side `spot_size`, and u = 1 and v = 0 elsewhere. In every cell, noise * (U - 1/2) is
added to u and noise * U to v, with uniform U.

The simulation uses float32, which is almost twice as fast and gives the same numbers of blobs as float64.
Tiny values of v are set to zero, so that u v v never becomes a subnormal number.
"""

from __future__ import annotations

import numpy as np

from assay.numbers.draws import below, key, uniform
from assay.numbers.kernels import kernel

PARAMETERS = ("feed", "kill", "du", "dv", "noise", "n_spots", "spot_size")
METRICS = ("blobs", "coverage", "mean_v", "perimeter", "largest")

STEPS = 2500
SIDE = 96
WIDTH = SIDE + 2  # a row with a copied cell at each end for the periodic boundary
PLANE = WIDTH * WIDTH  # a state holds a plane of u, then a plane of v
CELLS = SIDE * SIDE
LEAST_BLOB = 4  # cells
LEVEL = np.float32(0.15)  # cells with more v are pattern
VANISHED = np.float32(1e-15)  # less v than this is set to zero
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
FOUR = np.float32(4.0)
SPOTS = np.uint64(1)  # random stream of the squares: row and column of the first cell
NOISE = np.uint64(3)  # random stream of the noise: u and v of a cell
SLOTS = np.uint64(2)
SECOND = np.uint64(1)
CHOICES = np.uint64(SIDE)


@kernel
def start(parameters: np.ndarray, seed: np.uint64, state: np.ndarray) -> None:
    """Write the initial squares and the noise into the inner cells of a state."""
    noise = parameters[4]
    size = int(parameters[6])
    spotted = np.zeros(CELLS, np.bool_)
    spots = key(seed, SPOTS)
    for spot in range(int(parameters[5])):
        first = np.uint64(spot) * SLOTS
        top = below(spots, first, CHOICES)
        left = below(spots, first + SECOND, CHOICES)
        for i in range(size):
            for j in range(size):
                spotted[(top + i) % SIDE * SIDE + (left + j) % SIDE] = True
    noises = key(seed, NOISE)
    for cell in range(CELLS):
        first = np.uint64(cell) * SLOTS
        u = 0.5 if spotted[cell] else 1.0
        v = 0.25 if spotted[cell] else 0.0
        at = (cell // SIDE + 1) * WIDTH + cell % SIDE + 1
        state[at] = np.float32(u + noise * (uniform(noises, first) - 0.5))
        state[PLANE + at] = np.float32(v + noise * uniform(noises, first + SECOND))


@kernel
def wrap(state: np.ndarray) -> None:
    """Copy the first and last inner rows and columns of both planes to the opposite borders."""
    for plane in range(2):
        field = state[plane * PLANE : (plane + 1) * PLANE]
        for j in range(1, SIDE + 1):
            field[j] = field[SIDE * WIDTH + j]
            field[(SIDE + 1) * WIDTH + j] = field[WIDTH + j]
        for i in range(1, SIDE + 1):
            field[i * WIDTH] = field[i * WIDTH + SIDE]
            field[i * WIDTH + SIDE + 1] = field[i * WIDTH + 1]


@kernel
def react(
    before: np.ndarray, after: np.ndarray, feed: np.float32, loss: np.float32, du: np.float32, dv: np.float32
) -> None:
    """Compute one step of all inner cells from `before` into `after`.

    A single loop covers whole planes including most border cells, so that the compiler can vectorise it
    without a change in the results. The border values in `after` are invalid until `wrap` sets them.
    """
    for c in range(WIDTH + 1, PLANE - WIDTH - 1):
        u = before[c]
        v = before[c + PLANE]
        rows = before[c - WIDTH] + before[c + WIDTH]
        spread_u = du * ((rows + (before[c - 1] + before[c + 1])) - FOUR * u)
        rows = before[c + PLANE - WIDTH] + before[c + PLANE + WIDTH]
        spread_v = dv * ((rows + (before[c + PLANE - 1] + before[c + PLANE + 1])) - FOUR * v)
        reaction = u * v * v
        after[c] = u + ((spread_u - reaction) + feed * (ONE - u))
        left = v + ((spread_v + reaction) - loss * v)
        after[c + PLANE] = left if left > VANISHED else ZERO


@kernel
def evolved(parameters: np.ndarray, seed: np.uint64, steps: int) -> np.ndarray:
    """Return the state after some steps as float32 (2 * PLANE,); its border values are invalid."""
    feed = np.float32(parameters[0])
    loss = np.float32(parameters[0] + parameters[1])
    du = np.float32(parameters[2])
    dv = np.float32(parameters[3])
    state = np.zeros(2 * PLANE, np.float32)
    after = np.zeros(2 * PLANE, np.float32)
    start(parameters, seed, state)
    for _ in range(steps):
        wrap(state)
        react(state, after, feed, loss, du, dv)
        state, after = after, state
    return state


@kernel
def pattern(covered: np.ndarray) -> tuple[int, int, int]:
    """Return the number of blobs, the number of cells of the largest piece, and the length of the border.

    `covered` is bool (CELLS,). A piece is a set of cells connected by edges; a blob is a piece of at least
    LEAST_BLOB cells. The border is the number of edges between a covered and an uncovered cell.
    """
    seen = np.zeros(CELLS, np.bool_)
    waiting = np.empty(CELLS, np.int64)
    around = np.empty(4, np.int64)
    blobs = 0
    largest = 0
    border = 0
    for first in range(CELLS):
        if not covered[first] or seen[first]:
            continue
        seen[first] = True
        waiting[0] = first
        known = 1
        done = 0
        while done < known:
            i = waiting[done] // SIDE
            j = waiting[done] % SIDE
            done += 1
            around[0] = (i + 1) % SIDE * SIDE + j
            around[1] = (i + SIDE - 1) % SIDE * SIDE + j
            around[2] = i * SIDE + (j + 1) % SIDE
            around[3] = i * SIDE + (j + SIDE - 1) % SIDE
            for cell in around:
                if not covered[cell]:
                    border += 1
                elif not seen[cell]:
                    seen[cell] = True
                    waiting[known] = cell
                    known += 1
        blobs += 1 if known >= LEAST_BLOB else 0
        largest = known if known > largest else largest
    return blobs, largest, border


@kernel
def replicate(parameters: np.ndarray, seed: np.uint64, steps: int, out: np.ndarray) -> None:
    """Simulate one run and write the five METRICS of the last state into `out`.

    `parameters` are float64 in the order of PARAMETERS. `largest` is the share of the covered cells that
    belong to the largest piece, or 0 if no cell is covered.
    """
    state = evolved(parameters, seed, steps)
    covered = np.empty(CELLS, np.bool_)
    cells = 0
    total = 0.0
    for cell in range(CELLS):
        v = state[PLANE + (cell // SIDE + 1) * WIDTH + cell % SIDE + 1]
        covered[cell] = v > LEVEL
        cells += 1 if v > LEVEL else 0
        total += np.float64(v)
    blobs, largest, border = pattern(covered)
    out[0] = float(blobs)
    out[1] = float(cells) / CELLS
    out[2] = total / CELLS
    out[3] = float(border)
    out[4] = float(largest) / float(cells) if cells > 0 else 0.0


@kernel
def replicates(parameters: np.ndarray, seeds: np.ndarray, steps: int) -> np.ndarray:
    """Simulate one run per seed: `parameters` float64 (7,), `seeds` uint64, result float64 (seeds, 5)."""
    out = np.empty((seeds.size, 5))
    for i in range(seeds.size):
        replicate(parameters, seeds[i], steps, out[i])
    return out

"""origin: genomes of 32 bits reproduce, mutate, compete and die (population genetics; after Eigen 1971).

Fitness falls with the Hamming distance k to a target: w(0) = 1 and

    w(k + 1) = w(k) * max(0, 1 - selection * (1 - epistasis)**k),

so that fitness is multiplicative for epistasis 0, a single peak for 1, and synergistic below 0. In every
generation, each of the N individuals in order survives with probability 1 - death and has one child with
probability birth * w * max(0, 1 - N / capacity). The child copies its parent; with probability `recomb`, it
takes each bit at random from its parent or a random mate instead. Then Binomial(32, mutation) different bits
flip. Every `shift_period` generations (0 means never) one bit of the target flips. All founders equal the
target.
"""

from __future__ import annotations

import numpy as np

from assay.numbers.draws import below, bits, key, sub, uniform, uniforms
from assay.numbers.kernels import kernel

PARAMETERS = (
    "birth",
    "death",
    "capacity",
    "mutation",
    "selection",
    "epistasis",
    "shift_period",
    "recomb",
    "founders",
)
METRICS = ("population", "mean_fitness", "diversity", "distance", "extinct_time")

STEPS = 300
BITS = 32
WORD = np.uint64(0xFFFFFFFF)
INITIAL = np.uint64(1)  # random stream of the target
LIVES = np.uint64(2)  # random stream of deaths and births: two draws per individual and generation
GENES = np.uint64(3)  # random stream of a child's genes, indexed by its parent
SHIFTS = np.uint64(4)  # random stream of the target's changes
GENE_SLOTS = np.uint64(36)  # draws per child: recombination, mate, its bits, number of flips, then 32 flips
ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
S16 = np.uint64(16)
S24 = np.uint64(24)
PAIRS = np.uint64(0x55555555)
NIBBLES = np.uint64(0x33333333)
BYTES = np.uint64(0x0F0F0F0F)
SUM_BYTES = np.uint64(0x01010101)
LOWEST_BYTE = np.uint64(0xFF)


@kernel
def ones(x: np.uint64) -> np.int64:
    """Count the set bits of a 32-bit number; higher bits must not be set."""
    x = x - ((x >> ONE) & PAIRS)
    x = (x & NIBBLES) + ((x >> TWO) & NIBBLES)
    x = (x + (x >> FOUR)) & BYTES
    return np.int64(((x * SUM_BYTES) >> S24) & LOWEST_BYTE)


@kernel
def landscape(selection: float, epistasis: float) -> np.ndarray:
    """Return fitness by Hamming distance to the target: float64 (33,)."""
    fitness = np.empty(BITS + 1)
    fitness[0] = 1.0
    cost = selection
    for k in range(BITS):
        kept = 1.0 - cost
        fitness[k + 1] = fitness[k] * kept if kept > 0.0 else 0.0
        cost = cost * (1.0 - epistasis)
    return fitness


@kernel
def flip_chances(mutation: float) -> np.ndarray:
    """Return the probability of at most k flips of 32 bits, for k from 0 to 31: float64 (32,)."""
    chances = np.empty(BITS)
    chance = 1.0
    for _ in range(BITS):
        chance = chance * (1.0 - mutation)
    odds = mutation / (1.0 - mutation)
    total = chance
    chances[0] = total
    for k in range(1, BITS):
        chance = chance * float(BITS - k + 1) / float(k) * odds
        total = total + chance
        chances[k] = total
    return chances


@kernel
def flipped(genome: np.uint64, count: int, genes: np.uint64, first: np.uint64) -> np.uint64:
    """Return the genome with `count` different bits flipped, chosen uniformly (Floyd's algorithm)."""
    mask = ZERO
    for i in range(count):
        last = BITS - count + i
        bit = ONE << np.uint64(below(genes, first + np.uint64(i), np.uint64(last + 1)))
        mask = mask | (bit if mask & bit == ZERO else ONE << np.uint64(last))
    return genome ^ mask


@kernel
def child(
    genomes: np.ndarray, n: int, i: int, recomb: float, chances: np.ndarray, genes: np.uint64
) -> np.uint64:
    """Return a child of individual i of n, after recombination with a mate and mutation."""
    first = np.uint64(i) * GENE_SLOTS
    genome = genomes[i]
    if uniform(genes, first) < recomb:
        mate = genomes[below(genes, first + ONE, np.uint64(n))]
        mask = bits(genes, first + TWO) & WORD
        genome = (genome & mask) | (mate & (mask ^ WORD))
    u = uniform(genes, first + THREE)
    count = 0
    while count < BITS and u >= chances[count]:
        count += 1
    return flipped(genome, count, genes, first + FOUR)


@kernel
def state(genomes: np.ndarray, n: int, target: np.uint64, fitness: np.ndarray, out: np.ndarray) -> None:
    """Write population size, mean fitness, heterozygosity per bit and mean distance to the target.

    All are 0 for an empty population.
    """
    counts = np.zeros(BITS + 1, np.int64)
    carriers = np.zeros(BITS, np.int64)
    for i in range(n):
        counts[ones(genomes[i] ^ target)] += 1
        for bit in range(BITS):
            carriers[bit] += np.int64((genomes[i] >> np.uint64(bit)) & ONE)
    total = 0.0
    steps = 0
    for k in range(BITS + 1):
        total += float(counts[k]) * fitness[k]
        steps += counts[k] * k
    mixed = 0.0
    for bit in range(BITS):
        mixed += 2.0 * float(carriers[bit]) * float(n - carriers[bit])
    size = float(n) if n > 0 else 1.0
    out[0] = float(n)
    out[1] = total / size
    out[2] = mixed / (size * size) / BITS
    out[3] = float(steps) / size


@kernel
def replicate(parameters: np.ndarray, seed: np.uint64, steps: int, out: np.ndarray) -> None:
    """Simulate one run and write the five METRICS into `out`.

    `parameters` are float64 in the order of PARAMETERS. All metrics describe the last generation, except
    `extinct_time`: the number of generations until extinction, or `steps` if the population survived.
    """
    birth, death, capacity, mutation = parameters[:4]
    period = int(parameters[6])
    recomb = parameters[7]
    n = int(parameters[8])
    fitness = landscape(parameters[4], parameters[5])
    chances = flip_chances(mutation)
    target = bits(key(seed, INITIAL), ZERO) & WORD
    genomes = np.full(2 * n + 64, target)
    after = np.empty_like(genomes)
    lives = np.empty(2 * n + 64)
    lives_of_run = key(seed, LIVES)
    genes_of_run = key(seed, GENES)
    shifts = key(seed, SHIFTS)
    extinct = steps
    for step in range(steps):
        if n == 0:
            extinct = step
            break
        if period > 0 and step > 0 and step % period == 0:
            target = target ^ (ONE << np.uint64(below(shifts, np.uint64(step), np.uint64(BITS))))
        if after.size < 2 * n:
            after = np.empty(4 * n, np.uint64)
        if lives.size < 2 * n:
            lives = np.empty(4 * n)
        room = 1.0 - n / capacity
        chance = birth * room if room > 0.0 else 0.0
        uniforms(sub(lives_of_run, np.uint64(step)), lives[: 2 * n])
        genes = sub(genes_of_run, np.uint64(step))
        count = 0
        for i in range(n):
            after[count] = genomes[i]
            count += 1 if lives[2 * i] >= death else 0
            if lives[2 * i + 1] < chance * fitness[ones(genomes[i] ^ target)]:
                after[count] = child(genomes, n, i, recomb, chances, genes)
                count += 1
        genomes, after = after, genomes
        n = count
    state(genomes, n, target, fitness, out)
    out[4] = float(extinct)


@kernel
def replicates(parameters: np.ndarray, seeds: np.ndarray, steps: int) -> np.ndarray:
    """Simulate one run per seed: `parameters` float64 (9,), `seeds` uint64, result float64 (seeds, 5)."""
    out = np.empty((seeds.size, 5))
    for i in range(seeds.size):
        replicate(parameters, seeds[i], steps, out[i])
    return out

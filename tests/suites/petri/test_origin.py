"""The engine origin: golden bits in every mode, and the rules against a plain implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.suites.petri.machines import for_any_processor, interpreted, sha256

from assay.numbers.rng import GOLDEN, MASK, Stream, mix
from assay.suites.petri.engines import origin
from assay.suites.petri.worlds import ORIGIN

SEEDS = np.array([1, 2**52 + 1, 2**64 - 1], dtype=np.uint64)

CONFIGS = {
    "control": {},
    "hunted": {"shift_period": 15, "recomb": 0.8, "founders": 80, "capacity": 180},
    "peaked": {"epistasis": 1.0, "selection": 0.4, "mutation": 0.022, "birth": 0.85},
    "dying": {"mutation": 0.2, "selection": 0.2, "epistasis": -0.2, "death": 0.195},
}

GOLDEN_BITS = {
    "control": "039ea15758e8503018edd513834a8e5b25639c53a5e45ceaba3fd03932f0a07c",
    "hunted": "4b92a70d2dcd44de6644feb8b994d5c6d8b589a54d9012aee0c90fd1f5882602",
    "peaked": "20fa5e699b0cd9be6a1a61197a52d3e4371f4ea7745093e9e56b5b40d4f2482b",
    "dying": "b80c12411f322f5a6ba6522b6abb6c452789d85124f26eb932895ee75ef34ab3",
}

SHORT = 40
"""Generations of a run that is quick when interpreted."""

SHORT_BITS = "b386df302b4cfa26b7cd69476ef7f2390c66e441e513d55b05b0a0372ab53c3e"


def parameters(**overrides: float) -> np.ndarray:
    config = ORIGIN.resolved(overrides)
    return np.array([config[name] for name in origin.PARAMETERS], dtype=np.float64)


def full_bits() -> dict[str, str]:
    """Digests of the raw metrics of full runs."""
    return {
        name: sha256(origin.replicates(parameters(**config), SEEDS, origin.STEPS))
        for name, config in CONFIGS.items()
    }


def short_bits() -> str:
    """Digest of the raw metrics of short runs."""
    config = {"shift_period": 7, "recomb": 0.5, "mutation": 0.1, "epistasis": 0.4}
    return sha256(origin.replicates(parameters(**config), SEEDS, SHORT))


def test_golden_bits():
    assert full_bits() == GOLDEN_BITS
    assert short_bits() == SHORT_BITS


def test_same_bits_interpreted():
    assert interpreted(__name__, "short_bits()") == SHORT_BITS


@pytest.mark.full  # swarm shows it quickly
def test_same_bits_for_any_processor():
    assert for_any_processor(__name__, "full_bits()") == GOLDEN_BITS


def test_names_agree_with_the_world():
    assert tuple(p.name for p in ORIGIN.parameters) == origin.PARAMETERS
    assert ORIGIN.metrics == origin.METRICS


# ------------------------------------------------------------ a plain implementation


def key(seed: int, stream: int) -> int:
    return mix((mix((seed * GOLDEN + 0x1234567) & MASK) + stream * GOLDEN) & MASK)


def draws(key: int, first: int) -> Stream:
    """The draws under a key from the one with that index on."""
    stream = Stream(key)
    stream.at = first
    return stream


def fitness_of(distance: int, config: dict[str, float]) -> float:
    steps = (1 - config["selection"] * (1 - config["epistasis"]) ** k for k in range(distance))
    return math.prod(max(0.0, step) for step in steps)


def errors(u: float, mutation: float) -> int:
    """The number of flips of 32 bits whose distribution function first exceeds u."""
    total = 0.0
    for k in range(32):
        total += math.comb(32, k) * mutation**k * (1 - mutation) ** (32 - k)
        if u < total:
            return k
    return 32


def plain(config: dict[str, float], seed: int, steps: int) -> list[float]:
    """The rules of the module's docstring, individual by individual."""
    target = Stream(key(seed, 1)).bits() % 2**32
    people = [target] * int(config["founders"])
    extinct = None
    for step in range(steps):
        if not people and extinct is None:
            extinct = step
        period = config["shift_period"]
        if period and step and step % period == 0:
            target ^= 1 << draws(key(seed, 4), step).below(32)
        lives = draws(mix((key(seed, 2) + (step + 1) * GOLDEN) & MASK), 0)
        genes = mix((key(seed, 3) + (step + 1) * GOLDEN) & MASK)
        room = max(0.0, 1 - len(people) / config["capacity"])
        after = []
        for i, parent in enumerate(people):
            if lives.uniform() >= config["death"]:
                after.append(parent)
            fitness = fitness_of((parent ^ target).bit_count(), config)
            if lives.uniform() < config["birth"] * room * fitness:
                agent_rows = draws(genes, 36 * i)
                mixed = agent_rows.uniform() < config["recomb"]
                mate = people[agent_rows.below(len(people))]
                mask = agent_rows.bits() % 2**32
                child = parent & mask | mate & ~mask if mixed else parent
                flips: set[int] = set()
                count = errors(agent_rows.uniform(), config["mutation"])
                for last in range(32 - count, 32):
                    bit = agent_rows.below(last + 1)
                    flips.add(last if bit in flips else bit)
                after.append(child ^ sum(1 << bit for bit in flips))
        people = after
    n = len(people)
    if n == 0:
        return [0, 0, 0, 0, steps if extinct is None else extinct]
    shares = [sum(p >> bit & 1 for p in people) / n for bit in range(32)]
    distances = [(p ^ target).bit_count() for p in people]
    return [
        n,
        sum(fitness_of(d, config) for d in distances) / n,
        sum(2 * share * (1 - share) for share in shares) / 32,
        sum(distances) / n,
        steps,
    ]


@pytest.mark.parametrize("name", CONFIGS)
def test_the_rules(name):
    config = ORIGIN.resolved(CONFIGS[name])
    for seed in SEEDS[:2]:
        result = origin.replicates(parameters(**CONFIGS[name]), np.array([seed]), 120)[0]
        assert result == pytest.approx(plain(config, int(seed), 120), rel=1e-9)


def test_a_population_that_dies_out_says_when():
    runs = origin.replicates(parameters(**CONFIGS["dying"]), SEEDS, origin.STEPS)
    assert (runs[:, :4] == 0).all()
    for seed, ends in zip(SEEDS, runs[:, 4], strict=True):
        last = origin.replicates(parameters(**CONFIGS["dying"]), np.array([seed]), int(ends) - 1)[0]
        assert last[0] > 0
        assert last[4] == ends - 1  # the number of generations: nobody died out


def test_flips_are_binomial_and_even():
    chances = origin.flip_chances(0.2)
    exact = np.cumsum([math.comb(32, k) * 0.2**k * 0.8 ** (32 - k) for k in range(32)])
    assert chances == pytest.approx(exact, rel=1e-12)
    assert origin.flip_chances(0.0).tolist() == [1.0] * 32
    masks = [int(origin.flipped(np.uint64(0), 3, np.uint64(k), np.uint64(4))) for k in range(8000)]
    assert {mask.bit_count() for mask in masks} == {3}
    counts = [sum(mask >> bit & 1 for mask in masks) for bit in range(32)]
    assert sum((n - 750) ** 2 / (750 * 29 / 32) for n in counts) < 62  # chi-square, 31 degrees, p = .001


def test_ones():
    some = [0, 1, 2**32 - 1, 0x80000001, *(Stream(7 * i).bits() % 2**32 for i in range(500))]
    assert [int(origin.ones(np.uint64(x))) for x in some] == [x.bit_count() for x in some]


def test_control_is_as_noisy_as_tasks_need():
    """Weak drivers need a control with a wide spread: a relative standard deviation near a tenth."""
    population = origin.replicates(parameters(), np.arange(384, dtype=np.uint64), origin.STEPS)[:, 0]
    assert population.mean() == pytest.approx(65.1, abs=1.0)
    assert population.std() == pytest.approx(6.2, abs=0.7)


def test_runs_do_not_depend_on_their_company():
    together = origin.replicates(parameters(), SEEDS, SHORT)
    alone = [origin.replicates(parameters(), SEEDS[i : i + 1], SHORT)[0] for i in range(3)]
    assert together.tolist() == [run.tolist() for run in alone]

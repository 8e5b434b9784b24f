"""How fast petri is: a run of each world, against plain NumPy on the same machine, and the exact tests."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from assay.numbers import ranks, stats
from assay.suites.petri.engines import market, morph, origin, social, swarm
from assay.suites.petri.worlds import MARKET, MORPH, ORIGIN, SOCIAL, SWARM, World


def control(world: World) -> np.ndarray:
    return np.array([float(world.control[p.name]) for p in world.parameters])


CONTROL = control(SWARM)
SEEDS = np.arange(12, dtype=np.uint64)


def plain_run(seed: int, steps: int = swarm.STEPS) -> float:
    """The same rules as one would write them with NumPy: whole matrices of all pairs."""
    n, noise, alignment, cohesion, separation, radius, speed, inertia, _ = CONTROL
    random = np.random.default_rng(seed)
    x = random.uniform(0, swarm.SIDE, (int(n), 2))
    h = np.exp(2j * np.pi * random.uniform(size=int(n)))
    order = []
    for _ in range(steps):
        d = x[None, :, :] - x[:, None, :]
        d -= swarm.SIDE * np.round(d / swarm.SIDE)
        offset = d[..., 0] + 1j * d[..., 1]
        near = np.abs(offset) < radius
        zone = near & (np.abs(offset) < swarm.ZONE * radius)
        mean = near @ h
        g = inertia * h + alignment * mean / np.maximum(np.abs(mean), 1e-300)
        g += cohesion * (offset * near).sum(1) / near.sum(1) / radius
        g -= separation * (offset * zone).sum(1) / (swarm.ZONE * radius)
        h = g / np.abs(g) * np.exp(1j * np.pi * noise * random.uniform(-1, 1, int(n)))
        x = (x + speed * np.stack([h.real, h.imag], axis=1)) % swarm.SIDE
        order.append(abs(h.mean()))
    return float(np.mean(order[steps // 2 :]))


@pytest.mark.benchmark(group="12 runs of the swarm at control")
def test_swarm(benchmark):
    found = benchmark(swarm.replicates, CONTROL, SEEDS, swarm.STEPS)
    assert 0.3 < found[:, 0].mean() < 0.55
    benchmark.extra_info["ms_per_run"] = 1000 * benchmark.stats["min"] / len(SEEDS)


@pytest.mark.benchmark(group="12 runs of the swarm at control")
def test_swarm_in_plain_numpy(benchmark):
    found = benchmark.pedantic(lambda: [plain_run(seed) for seed in range(12)], rounds=2)
    assert 0.3 < np.mean(found) < 0.55


def plain_market(seed: int) -> float:
    """The same rules with arrays of all agents, step by step: the volatility."""
    n, fund_strength, trend_strength, fund_noise, chart_noise = control(MARKET)[:5]
    herding, misalign, bias, impact, switch_rate, hetero = control(MARKET)[5:]
    random = np.random.default_rng(seed)
    fund = random.random(int(n)) < 0.5
    phi, chi, k = 1 + hetero * random.uniform(-1, 1, (3, int(n)))
    p = last = 0.0
    prices = []
    for _ in range(market.BURN_IN + market.STEPS):
        funds = fund.sum()
        a = bias + herding * (2 * funds - n) / n + misalign * p * p
        chance = np.minimum(market.CAP, switch_rate * np.exp(np.where(fund, -a, a)))
        fund ^= random.random(int(n)) < k * chance
        funds = fund.sum()
        z1, z2 = random.normal(size=2)
        demand = -p * fund_strength * phi[fund].sum() + funds * fund_noise * z1
        demand += (p - last) * trend_strength * chi[~fund].sum() + (n - funds) * chart_noise * z2
        last, p = p, min(market.LARGEST, max(-market.LARGEST, p + impact / n * demand))
        prices.append(p)
    return float(100 * np.diff(prices[market.BURN_IN - 1 :]).std())


@pytest.mark.benchmark(group="12 runs of market at control")
def test_market(benchmark):
    found = benchmark(market.replicates, control(MARKET), SEEDS, market.STEPS)
    assert 0.95 < found[:, 0].mean() < 1.25
    benchmark.extra_info["ms_per_run"] = 1000 * benchmark.stats["min"] / len(SEEDS)


@pytest.mark.benchmark(group="12 runs of market at control")
def test_market_in_plain_numpy(benchmark):
    found = benchmark.pedantic(lambda: [plain_market(seed) for seed in range(12)], rounds=2)
    assert 0.95 < np.mean(found) < 1.25


def plain_social(seed: int) -> float:
    """The same rules, encounters one by one on an array of opinions: the polarization."""
    n, epsilon, mu, noise, _, media, media_pos, _, spread = control(SOCIAL)
    n = int(n)
    random = np.random.default_rng(seed)
    x = 0.5 + spread * (random.random(n) - 0.5)
    for _ in range(social.STEPS):
        first = random.integers(n, size=n)
        second = random.integers(n - 1, size=n)
        second += second >= first
        renewed, told = random.random((2, n)) < [[noise], [media]]
        for i, j, new, hears in zip(first, second, renewed, told, strict=True):
            d = x[j] - x[i]
            if abs(d) < epsilon:
                x[i] += mu * d
                x[j] -= mu * d
            if new:
                x[i] = random.random()
            if hears and abs(media_pos - x[i]) < 2 * epsilon:
                x[i] += mu * (media_pos - x[i])
    return float(4 * x.var())


@pytest.mark.benchmark(group="12 runs of social at control")
def test_social(benchmark):
    found = benchmark(social.replicates, control(SOCIAL), SEEDS, social.STEPS)
    assert 0.18 < found[:, 1].mean() < 0.27
    benchmark.extra_info["ms_per_run"] = 1000 * benchmark.stats["min"] / len(SEEDS)


@pytest.mark.benchmark(group="12 runs of social at control")
def test_social_in_plain_numpy(benchmark):
    found = benchmark.pedantic(lambda: [plain_social(seed) for seed in range(12)], rounds=1)
    assert 0.18 < np.mean(found) < 0.27


def plain_origin(seed: int) -> int:
    """The same rules with arrays of whole generations, one bit a byte."""
    birth, death, capacity, mutation, selection, epistasis, _, _, founders = control(ORIGIN)
    random = np.random.default_rng(seed)
    target = random.integers(0, 2, origin.BITS, dtype=np.uint8)
    steps = 1 - selection * (1 - epistasis) ** np.arange(origin.BITS)
    fitness = np.concatenate([[1], np.cumprod(steps)])
    people = np.tile(target, (int(founders), 1))
    for _ in range(origin.STEPS):
        n = len(people)
        chance = birth * max(0, 1 - n / capacity) * fitness[(people != target).sum(1)]
        children = people[random.random(n) < chance]
        children = children ^ (random.random(children.shape) < mutation)
        people = np.concatenate([people[random.random(n) >= death], children])
    return len(people)


@pytest.mark.benchmark(group="48 runs of origin at control")
def test_origin(benchmark):
    parameters, seeds = control(ORIGIN), np.arange(48, dtype=np.uint64)
    found = benchmark(origin.replicates, parameters, seeds, origin.STEPS)
    assert 60 < found[:, 0].mean() < 70
    benchmark.extra_info["ms_per_run"] = 1000 * benchmark.stats["min"] / len(seeds)


@pytest.mark.benchmark(group="48 runs of origin at control")
def test_origin_in_plain_numpy(benchmark):
    found = benchmark.pedantic(lambda: [plain_origin(seed) for seed in range(48)], rounds=2)
    assert 60 < np.mean(found) < 70


def plain_morph(seed: int) -> float:
    """The same rules with whole fields, in float64: the share that is covered."""
    feed, kill, du, dv, noise, n_spots, spot_size = control(MORPH)
    random = np.random.default_rng(seed)
    u, v = np.ones((morph.SIDE, morph.SIDE)), np.zeros((morph.SIDE, morph.SIDE))
    inside = np.arange(int(spot_size))
    for top, left in random.integers(0, morph.SIDE, (int(n_spots), 2)):
        square = np.ix_((top + inside) % morph.SIDE, (left + inside) % morph.SIDE)
        u[square], v[square] = 0.5, 0.25
    u += noise * (random.random(u.shape) - 0.5)
    v += noise * random.random(v.shape)

    def around(x: np.ndarray) -> np.ndarray:
        return np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1) - 4 * x

    for _ in range(morph.STEPS):
        reaction = u * v * v
        u, v = (
            u + du * around(u) - reaction + feed * (1 - u),
            v + dv * around(v) + reaction - (feed + kill) * v,
        )
    return float((v > morph.LEVEL).mean())


@pytest.mark.benchmark(group="2 runs of morph at control")
def test_morph(benchmark):
    seeds = np.arange(2, dtype=np.uint64)
    found = benchmark(morph.replicates, control(MORPH), seeds, morph.STEPS)
    assert 0.35 < found[:, 1].mean() < 0.45
    benchmark.extra_info["ms_per_run"] = 1000 * benchmark.stats["min"] / len(seeds)


@pytest.mark.benchmark(group="2 runs of morph at control")
def test_morph_in_plain_numpy(benchmark):
    found = benchmark.pedantic(lambda: [plain_morph(seed) for seed in range(2)], rounds=3)
    assert 0.35 < np.mean(found) < 0.45


def arms(ties: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    control = np.round(random.normal(size=(96, 5)) * ties)
    cell = np.round((random.normal(size=(96, 5)) + 0.7) * ties)
    return control, cell, np.stack([random.permutation(96)[:12] for _ in range(2000)])


@pytest.mark.benchmark(group="2,000 decisions of 12 against 12, Holm over five metrics")
@pytest.mark.parametrize("ties", [1e9, 3.0], ids=["no ties", "ties"])
def test_decisions(benchmark, ties):
    cell = arms(ties)
    assert benchmark(ranks.decide, *cell, 0).any()
    benchmark.extra_info["us_per_decision"] = 1e6 * benchmark.stats["median"] / 2000


@pytest.mark.benchmark(group="one exact test with its p")
@pytest.mark.parametrize("ties", [1e9, 3.0], ids=["no ties", "ties"])
def test_one_test(benchmark, ties):
    control, cell, _ = arms(ties)
    pairs = iter([(control[i : i + 12, 0], cell[i : i + 12, 0]) for i in range(84)] * 10_000)
    assert benchmark(lambda: stats.mann_whitney(*next(pairs))).denominator == ranks.WAYS


def one_set(name: str) -> int:
    """Generate, verify and calibrate a set in a process of its own, as jobs do; returns its size."""
    from assay.episodes.artefacts import materials_for
    from assay.episodes.blobs import MemoryBlobs
    from assay.suites.petri import SUITE, calibration, tasks

    recipe, blobs = tasks.SETS[name], MemoryBlobs()
    for index in range(recipe.size):
        task = tasks.generate(recipe, name, index, recipe.seed, blobs)
        tasks.verify(task)
        settings = {"seeds": 96, "subsamples": 2000}
        list(calibration.calibrate(task, settings, materials_for(SUITE, blobs)))
    return recipe.size


@pytest.mark.benchmark(group="the thirty tasks generated and calibrated at 96 seeds")
def test_thirty_tasks(benchmark):
    """Two processes, the largest set first."""

    def build() -> int:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            return sum(pool.map(one_set, ["l3-v0", "l2-v0", "core-v0"]))

    assert benchmark.pedantic(build, rounds=1) == 30

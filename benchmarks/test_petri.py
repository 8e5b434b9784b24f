"""How fast petri is: a run of the swarm, against plain NumPy on the same machine, and the exact tests."""

from __future__ import annotations

import numpy as np
import pytest

from assay import ranks, stats
from assay.suites.petri.engines import swarm
from assay.suites.petri.worlds import SWARM

CONTROL = np.array([SWARM.control[name] for name in swarm.PARAMETERS], dtype=np.float64)
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

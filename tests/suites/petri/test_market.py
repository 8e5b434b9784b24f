"""The engine market: golden bits in every mode, the rules against a plain implementation, its checks."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from tests.suites.petri.machines import for_any_processor, interpreted, sha256

from assay.numbers.rng import GOLDEN, MASK, Stream, mix
from assay.suites.petri.engines import market
from assay.suites.petri.worlds import MARKET

SEEDS = np.array([1, 2**52 + 1, 2**64 - 1], dtype=np.uint64)

CONFIGS = {
    "control": {},
    "calm": {"n_agents": 51, "misalign": 0.0, "bias": 0.0, "chart_noise": 1.0, "hetero": 1.0},
    "wild": {"n_agents": 399, "impact": 0.018, "trend_strength": 4.0, "chart_noise": 4.0, "misalign": 40.0},
    "moody": {"herding": 2.2, "switch_rate": 0.3, "fund_strength": 0.6, "fund_noise": 0.0},
}

GOLDEN_BITS = {
    "control": "4693f09a78cc630e1b74c072719c73900c7066ae0978ff29e5227a6afc62dd21",
    "calm": "37beee0167ce07a0a4d5e49a818094f2d6f66bf8ecb56a4100489f7bcefaf9db",
    "wild": "8692c8f5ff165cb05eea12d6a7b4a715db1bca3d8cb87b17c5c58cebbd956c77",
    "moody": "5080215508431bae9800f14dd7b2fbb2e46793f0940d9bc87fe89dbc23c42869",
}

SHORT = 20
"""Steps of a run that is quick when interpreted, after those that do not count."""

SHORT_BITS = "204e7a4e13bdf9d370be5ff3f64e0f01f85429569d595c38aeabae71eaa1f511"


def parameters(**overrides: float) -> np.ndarray:
    config = MARKET.resolved(overrides)
    return np.array([config[name] for name in market.PARAMETERS], dtype=np.float64)


def full_bits() -> dict[str, str]:
    """Digests of the raw metrics of full runs."""
    return {
        name: sha256(market.replicates(parameters(**config), SEEDS, market.STEPS))
        for name, config in CONFIGS.items()
    }


def short_bits() -> str:
    """Digest of the raw metrics of short runs of few agents."""
    config = {"n_agents": 50, "misalign": 40.0, "hetero": 1.0}
    return sha256(market.replicates(parameters(**config), SEEDS, SHORT))


def test_golden_bits():
    assert full_bits() == GOLDEN_BITS
    assert short_bits() == SHORT_BITS


def test_same_bits_interpreted():
    assert interpreted(__name__, "short_bits()") == SHORT_BITS


@pytest.mark.full  # swarm shows it quickly
def test_same_bits_for_any_processor():
    assert for_any_processor(__name__, "full_bits()") == GOLDEN_BITS


def test_names_agree_with_the_world():
    assert tuple(p.name for p in MARKET.parameters) == market.PARAMETERS
    assert MARKET.metrics == market.METRICS


# ------------------------------------------------------------ a plain implementation


def key(seed: int, stream: int) -> int:
    return mix((mix((seed * GOLDEN + 0x1234567) & MASK) + stream * GOLDEN) & MASK)


def plain(config: dict[str, float], seed: int, steps: int) -> list[float]:
    """The rules of the module's docstring, agent by agent, with the libraries' functions."""
    n = int(config["n_agents"])
    initial = Stream(key(seed, 1))
    fundamental, phi, chi, k = [], [], [], []
    for _ in range(n):
        fundamental.append(initial.uniform() < 0.5)
        for values in (phi, chi, k):
            values.append(1 + config["hetero"] * (2 * initial.uniform() - 1))
    news = Stream(key(seed, 3))
    p = last = 0.0
    returns, prices, shares = [], [], []
    for step in range(300 + steps):
        funds = sum(fundamental)
        a = config["bias"] + config["herding"] * (funds - (n - funds)) / n + config["misalign"] * p**2
        changes = Stream(mix((key(seed, 2) + (step + 1) * GOLDEN) & MASK))
        for i in range(n):
            chance = k[i] * min(0.9, config["switch_rate"] * math.exp(-a if fundamental[i] else a))
            fundamental[i] ^= changes.uniform() < chance
        z1, z2 = (NormalDist().inv_cdf(news.uniform()) for _ in range(2))
        demand = 0.0
        for i in range(n):
            if fundamental[i]:
                demand += -config["fund_strength"] * phi[i] * p + config["fund_noise"] * z1
            else:
                demand += config["trend_strength"] * chi[i] * (p - last) + config["chart_noise"] * z2
        last, p = p, max(-5.0, min(5.0, p + config["impact"] / n * demand))
        if step >= 300:
            returns.append(p - last)
            prices.append(abs(p))
            shares.append(1 - sum(fundamental) / n)
    r = np.array(returns)
    d = r - r.mean()
    size = np.abs(r) - np.abs(r).mean()
    acf = [(size[lag:] * size[:-lag]).sum() / (size * size).sum() for lag in range(1, 11)]
    return [100 * r.std(), (d**4).mean() / r.var() ** 2 - 3, np.mean(acf), np.mean(prices), np.mean(shares)]


@pytest.mark.parametrize("name", CONFIGS)
def test_the_rules(name):
    overrides = {**CONFIGS[name], "n_agents": 60}
    result = market.replicates(parameters(**overrides), np.array([11], dtype=np.uint64), 100)[0]
    assert result == pytest.approx(plain(MARKET.resolved(overrides), 11, 100), rel=1e-6)


def test_the_price_stays_within_its_bounds():
    adrift = parameters(
        impact=0.03, chart_noise=4.0, trend_strength=4.0, bias=-1.0, herding=2.5, misalign=0.0
    )
    returns, prices, shares = np.empty((3, market.STEPS))
    market.simulate(adrift, SEEDS[0], returns, prices, shares)
    assert np.abs(prices).max() == 5.0
    assert np.abs(returns).max() < 10.0


def test_control_is_as_volatile_as_tasks_need():
    """Weak drivers need a control with a wide spread: a relative standard deviation near a sixth."""
    volatility = market.replicates(parameters(), np.arange(384, dtype=np.uint64), market.STEPS)[:, 0]
    assert volatility.mean() == pytest.approx(1.097, abs=0.03)
    assert volatility.std() == pytest.approx(0.183, abs=0.02)


def test_runs_do_not_depend_on_their_company():
    together = market.replicates(parameters(), SEEDS, SHORT)
    alone = [market.replicates(parameters(), SEEDS[i : i + 1], SHORT)[0] for i in range(3)]
    assert together.tolist() == [run.tolist() for run in alone]


def test_series_are_those_of_the_metrics():
    returns = market.series(parameters(), SEEDS, 500)
    assert 100 * returns.std(axis=1) == pytest.approx(market.replicates(parameters(), SEEDS, 500)[:, 0])


def test_moments_and_autocorrelations_of_a_constant_are_zero():
    out = np.full(4, 7.0)
    market.autocorrelations(np.full(20, 0.25), out)
    assert out.tolist() == [0.0] * 4
    assert market.moments(np.full(20, 0.25)) == (0.0, 0.0)

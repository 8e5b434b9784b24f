"""Checks of `market` against the stylized facts of returns: heavy tails, clustered volatility, no linear
autocorrelation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

import numpy as np

from assay.numbers import portable
from assay.protocol import CheckRow
from assay.suites.petri.checks.model import Literature, vector
from assay.suites.petri.experiments.replicates import mean, replicates, simulation
from assay.suites.petri.worlds import MARKET

FACTS = Literature(
    "Cont (2001), Quant. Finance 1, 223",
    "agents change sides one by one, and the control was calibrated by hand: published values of the model "
    "of Franke and Westerhoff (2012) show no clustering here. As in their model, heavy tails and clusters "
    "come from two groups of unequal noise; within the legal ranges, trend following has no effect on them",
)
DEMAND = Literature(
    "Franke and Westerhoff (2012), J. Econ. Dyn. Control 36, 1193",
    "nearly all agents on one side, so that the price is an autoregressive process with known moments",
)
SIDES = Literature(
    "Weidlich and Haag (1983), Concepts and models of a quantitative sociology",
    "agents change sides one by one; theory is that of infinitely many agents",
)

LENGTH = 5000
LAGS = 20
NULL = {"chart_noise": MARKET.control["fund_noise"]}
"""A null model: chartists are no noisier than fundamentalists; whether they follow trends does not matter."""


def _returns(seeds: Sequence[int], **changes: float) -> np.ndarray:
    """Simulate markets and return their returns as float64 (seeds, LENGTH)."""
    returns: np.ndarray = simulation("market").series(
        vector(MARKET, changes), np.array(seeds, dtype=np.uint64), LENGTH
    )
    return returns


def _excess(returns: np.ndarray) -> float:
    excess: float = median(simulation("market").moments(run)[1] for run in returns)
    return excess


def _memories(series: np.ndarray) -> list[list[float]]:
    """Return the autocorrelations of each run at lags 1 to LAGS."""
    memories = np.empty((len(series), LAGS))
    for run, out in zip(series, memories, strict=True):
        simulation("market").autocorrelations(run, out)
    return memories.tolist()


def _clustering(returns: np.ndarray) -> float:
    """Return the autocorrelation of absolute returns, as the median over runs of the mean over lags."""
    return median(float(simulation("market").mean(np.array(run))) for run in _memories(np.abs(returns)))


def tails(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    yield FACTS.row(name, "excess kurtosis of returns", _excess(_returns(seeds)), 1.0, None)
    null = _excess(_returns(seeds, **NULL))
    yield FACTS.row(name, "the same with equal noise of both sides", null, None, 0.3)


def clusters(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    memory = _clustering(_returns(seeds))
    yield FACTS.row(name, "autocorrelation of absolute returns, lags 1 to 20", memory, 0.1, None)
    null = _clustering(_returns(seeds, **NULL))
    yield FACTS.row(name, "the same with equal noise of both sides", null, None, 0.03)


def memory(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    largest = median(max(abs(a) for a in run) for run in _memories(_returns(seeds)))
    yield FACTS.row(name, "largest absolute autocorrelation of returns, lags 1 to 20", largest, None, 0.08)


QUIET = {"hetero": 0.0, "herding": 2.5, "misalign": 0.0, "impact": 0.03}
"""Agents that are alike and stay together on the side that `bias` favours."""
FUNDAMENTAL = QUIET | {"bias": 1.0, "fund_strength": 1.0, "trend_strength": 0.0}
CHARTIST = QUIET | {"bias": -1.0, "fund_strength": 0.01, "trend_strength": 4.0, "chart_noise": 0.2}
MIXED = NULL | {
    "hetero": 0.0,
    "herding": 0.0,
    "misalign": 0.0,
    "bias": 0.0,
    "impact": 0.03,
    "fund_strength": 0.01,
    "trend_strength": 0.0,
}
"""Two groups of half the agents on average, of equal and independent noise, that hardly look at the price."""
MANY = 300
BIASES = (-0.5, -0.3, 0.3)
PI = 3.141592653589793


def reversion(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare a market of fundamentalists alone with p' = (1 - k) p + impact fund_noise z."""
    runs = replicates("market", MARKET.control | FUNDAMENTAL, seeds)
    k = FUNDAMENTAL["impact"] * FUNDAMENTAL["fund_strength"]
    noise = FUNDAMENTAL["impact"] * MARKET.control["fund_noise"]
    moves = 100.0 * noise * math.sqrt(2.0 / (2.0 - k))
    away = math.sqrt(2.0 / PI) * noise / math.sqrt(k * (2.0 - k))
    for metric, theory, bound in (("volatility", moves, 0.02), ("mispricing", away, 0.06)):
        ratio = mean(runs[:, MARKET.metrics.index(metric)]) / theory
        what = f"{metric} of fundamentalists alone over theory"
        yield DEMAND.row(name, what, ratio, 1.0 - bound, 1.0 + bound)
    # demand is divided by the number of agents, so that theory does not depend on it
    many = replicates("market", MARKET.control | FUNDAMENTAL | {"n_agents": MANY}, seeds)
    ratio = mean(many[:, MARKET.metrics.index("volatility")]) / moves
    yield DEMAND.row(name, f"volatility of {MANY} fundamentalists alone over theory", ratio, 0.98, 1.02)
    # independent noises of two groups of random size x: the variance is that of one times E[x^2 + (1 - x)^2]
    mixed = replicates("market", MARKET.control | MIXED, seeds)
    halves = 0.5 + 0.5 / MARKET.control["n_agents"]
    theory = 100.0 * MIXED["impact"] * MARKET.control["fund_noise"] * math.sqrt(halves)
    ratio = mean(mixed[:, MARKET.metrics.index("volatility")]) / theory
    yield DEMAND.row(name, "volatility of two groups of equal noise over theory", ratio, 0.98, 1.02)


def trend(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare a market of chartists alone with r' = impact trend_strength r + impact chart_noise z."""
    returns = _returns(seeds, **CHARTIST)
    theory = CHARTIST["impact"] * CHARTIST["trend_strength"]
    first = math.fsum(run[0] for run in _memories(returns)) / len(returns)
    yield DEMAND.row(
        name,
        "autocorrelation of returns of chartists alone at lag 1 less theory",
        first - theory,
        -0.01,
        0.01,
    )
    noise = 100.0 * CHARTIST["impact"] * CHARTIST["chart_noise"] / math.sqrt(1.0 - theory * theory)
    moves = math.fsum(simulation("market").moments(run)[0] for run in returns) / len(returns)
    yield DEMAND.row(name, "volatility of chartists alone over theory", 100.0 * moves / noise, 0.98, 1.02)


def _shares(seeds: Sequence[int], **changes: float) -> np.ndarray:
    """Return the shares of chartists over time as float64 (seeds, LENGTH)."""
    parameters = vector(MARKET, changes)
    shares = np.empty((len(seeds), LENGTH))
    returns, prices = np.empty(LENGTH), np.empty(LENGTH)
    for seed, out in zip(seeds, shares, strict=True):
        simulation("market").simulate(parameters, np.uint64(seed), returns, prices, out)
    return shares


def sides(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare the share of chartists with theory: without herding, with it, and its memory."""
    alone = {"n_agents": 500, "misalign": 0.0, "herding": 0.0}
    for bias in BIASES:
        share = mean(_shares(seeds, **alone, bias=bias).ravel())
        theory = 1.0 / (1.0 + portable.exp(2.0 * bias))
        yield SIDES.row(name, f"share of chartists over theory at bias {bias}", share / theory, 0.99, 1.01)
    x, herding = 0.0, 0.5
    for _ in range(200):  # x = tanh(bias + herding x), a contraction
        x = 1.0 - 2.0 / (1.0 + portable.exp(2.0 * (BIASES[1] + herding * x)))
    share = mean(_shares(seeds, **alone | {"herding": herding}, bias=BIASES[1]).ravel())
    what = f"share of chartists over theory at bias {BIASES[1]}, herding {herding}"
    yield SIDES.row(name, what, share / (0.5 * (1.0 - x)), 0.99, 1.01)
    memory = math.fsum(run[0] for run in _memories(_shares(seeds, **alone, bias=0.0, hetero=0.0))) / len(
        seeds
    )
    kept = 1.0 - 2.0 * MARKET.control["switch_rate"]
    yield SIDES.row(name, "autocorrelation of the share at lag 1 less theory", memory - kept, -0.01, 0.01)


def anchor(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check that agents turn to fundamentals where the price is far from its value."""
    near, far = (replicates("market", MARKET.control | {"misalign": value}, seeds) for value in (40.0, 0.0))
    for metric in ("mispricing", "chartist_share"):
        column = MARKET.metrics.index(metric)
        ratio = mean(near[:, column]) / mean(far[:, column])
        yield DEMAND.row(name, f"{metric} at misalign 40 over that at 0", ratio, None, 0.95)

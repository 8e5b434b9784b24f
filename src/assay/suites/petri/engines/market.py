"""market: fundamentalists and chartists trade one asset and change sides (after Franke and Westerhoff 2012).

The log price is p, with fundamental value 0; nF and nC are the numbers of fundamentalists and chartists. In
every step the attraction of fundamentalism is

    a = bias + herding * (nF - nC) / N + misalign * p * p.

Each chartist becomes a fundamentalist with probability k_i min(0.9, switch_rate * exp(a)), each
fundamentalist a chartist with probability k_i min(0.9, switch_rate * exp(-a)). Then the price moves by

    r = impact / N * (-p * (sum of phi_i over fundamentalists) + nF * fund_noise * z1
                      + (p - last p) * (sum of chi_i over chartists) + nC * chart_noise * z2)

with standard normal z1 and z2; p is clipped to [-5, 5]. phi_i, chi_i and k_i are fund_strength,
trend_strength and 1, each times 1 + hetero * U(-1, 1). Unlike in the original model, agents change sides
individually.
"""

from __future__ import annotations

import math

import numpy as np

from assay.numbers.draws import key, normal, sub, uniform, uniforms
from assay.numbers.kernels import kernel
from assay.numbers.portable import exp

PARAMETERS = (
    "n_agents",
    "fund_strength",
    "trend_strength",
    "fund_noise",
    "chart_noise",
    "herding",
    "misalign",
    "bias",
    "impact",
    "switch_rate",
    "hetero",
)
METRICS = ("volatility", "kurtosis", "acf_abs", "mispricing", "chartist_share")

BURN_IN = 300
STEPS = 2000
LAGS = 10  # largest lag of the autocorrelation of absolute returns
LARGEST = 5.0  # log price
CAP = 0.9  # largest probability of changing sides, before an agent's own factor
INITIAL = np.uint64(1)  # random stream of the initial state: side, phi, chi and k of an agent
CHANGES = np.uint64(2)  # random stream of the changes of side: one draw per agent and step
NEWS = np.uint64(3)  # random stream of z1 and z2
SLOTS = np.uint64(4)
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
GRID = 1099511627776.0  # 2**40; phi and chi are integer multiples of 1 / GRID: exact sums in any order


@kernel
def weight(hetero: float, u: float) -> float:
    """Return the factor of an agent's phi, chi or k for a uniform random number in [0, 1)."""
    return 1.0 + hetero * (2.0 * u - 1.0)


@kernel
def start(
    seed: np.uint64, hetero: float, side: np.ndarray, phi: np.ndarray, chi: np.ndarray, k: np.ndarray
) -> None:
    """Draw each agent's side with equal probability (-1 fundamentalist, 0 chartist), its phi, chi and k."""
    initial = key(seed, INITIAL)
    for i in range(k.size):
        first = np.uint64(i) * SLOTS
        side[i] = -1 if uniform(initial, first) < 0.5 else 0
        phi[i] = np.int64(weight(hetero, uniform(initial, first + ONE)) * GRID)
        chi[i] = np.int64(weight(hetero, uniform(initial, first + TWO)) * GRID)
        k[i] = weight(hetero, uniform(initial, first + THREE))


@kernel
def change(
    u: np.ndarray,
    k: np.ndarray,
    phi: np.ndarray,
    chi: np.ndarray,
    to_fund: float,
    to_chart: float,
    side: np.ndarray,
) -> tuple[int, float, float]:
    """Let agents change sides.

    Returns the number of fundamentalists, the sum of their phi, and the sum of the chartists' chi. Sides are
    the bit masks -1 and 0 and the sums are integers, so that the compiler can vectorise the loop.
    """
    funds = 0
    pull = 0
    trend = 0
    for i in range(k.size):
        turns = u[i] < k[i] * (to_chart if side[i] else to_fund)
        mask = ~side[i] if turns else side[i]
        side[i] = mask
        funds -= mask
        pull += phi[i] & mask
        trend += chi[i] & ~mask
    return funds, pull / GRID, trend / GRID


@kernel
def simulate(
    parameters: np.ndarray, seed: np.uint64, returns: np.ndarray, prices: np.ndarray, shares: np.ndarray
) -> None:
    """Simulate one run and write return, log price and share of chartists of each step after BURN_IN."""
    n = int(parameters[0])
    fund_strength, trend_strength, fund_noise, chart_noise = parameters[1:5]
    herding, misalign, bias, impact, switch_rate, hetero = parameters[5:11]
    u = np.empty(n)
    k = np.empty(n)
    phi = np.empty(n, np.int64)
    chi = np.empty(n, np.int64)
    side = np.empty(n, np.int64)
    start(seed, hetero, side, phi, chi, k)
    changes = key(seed, CHANGES)
    news = key(seed, NEWS)
    funds = -side.sum()
    p = 0.0
    last = 0.0
    for step in range(BURN_IN + returns.size):
        a = bias + herding * (2 * funds - n) / n + misalign * (p * p)
        to_fund = min(CAP, switch_rate * exp(a))
        to_chart = min(CAP, switch_rate * exp(-a))
        uniforms(sub(changes, np.uint64(step)), u)
        funds, pull, trend = change(u, k, phi, chi, to_fund, to_chart, side)
        charts = n - funds
        z1 = normal(news, np.uint64(2 * step))
        z2 = normal(news, np.uint64(2 * step + 1))
        demand = -p * (fund_strength * pull) + funds * fund_noise * z1
        demand = demand + (p - last) * (trend_strength * trend) + charts * chart_noise * z2
        last = p
        p = min(LARGEST, max(-LARGEST, p + impact / n * demand))
        if step >= BURN_IN:
            at = step - BURN_IN
            returns[at] = p - last
            prices[at] = p
            shares[at] = charts / n


@kernel
def mean(x: np.ndarray) -> float:
    """Return the mean of a series, summed in order."""
    total = 0.0
    for t in range(x.size):
        total += x[t]
    return total / x.size


@kernel
def autocorrelations(x: np.ndarray, out: np.ndarray) -> None:
    """Write the autocorrelations of a series at lags 1 to the size of `out`; all are 0 if it is constant."""
    lags = out.size
    centre = mean(x)
    deviation = np.zeros(x.size + lags)
    squares = 0.0
    for t in range(x.size):
        d = x[t] - centre
        deviation[t] = d
        squares += d * d
    out[:] = 0.0
    for t in range(x.size):
        d = deviation[t]
        later = deviation[t + 1 : t + 1 + lags]
        for lag in range(lags):
            out[lag] += d * later[lag]
    for lag in range(lags):
        out[lag] = out[lag] / squares if squares > 0.0 else 0.0


@kernel
def moments(x: np.ndarray) -> tuple[float, float]:
    """Return standard deviation and excess kurtosis of a series; both are 0 if it is constant."""
    centre = mean(x)
    squares = 0.0
    fourths = 0.0
    for t in range(x.size):
        d = x[t] - centre
        squares += d * d
        fourths += (d * d) * (d * d)
    variance = squares / x.size
    excess = fourths / x.size / (variance * variance) - 3.0 if variance > 0.0 else 0.0
    return math.sqrt(variance), excess


@kernel
def replicate(parameters: np.ndarray, seed: np.uint64, steps: int, out: np.ndarray) -> None:
    """Simulate one run and write the five METRICS into `out`.

    `parameters` are float64 in the order of PARAMETERS. The first BURN_IN steps are discarded. volatility is
    100 times the standard deviation of the return, acf_abs the mean of the autocorrelations of its absolute
    value at lags 1 to LAGS, mispricing the mean distance of the log price from 0.
    """
    returns = np.empty(steps)
    prices = np.empty(steps)
    shares = np.empty(steps)
    acf = np.empty(LAGS)
    simulate(parameters, seed, returns, prices, shares)
    sd, excess = moments(returns)
    for t in range(steps):
        returns[t] = abs(returns[t])
        prices[t] = abs(prices[t])
    autocorrelations(returns, acf)
    out[0] = 100.0 * sd
    out[1] = excess
    out[2] = mean(acf)
    out[3] = mean(prices)
    out[4] = mean(shares)


@kernel
def replicates(parameters: np.ndarray, seeds: np.ndarray, steps: int) -> np.ndarray:
    """Simulate one run per seed: `parameters` float64 (11,), `seeds` uint64, result float64 (seeds, 5)."""
    out = np.empty((seeds.size, 5))
    for i in range(seeds.size):
        replicate(parameters, seeds[i], steps, out[i])
    return out


@kernel
def series(parameters: np.ndarray, seeds: np.ndarray, steps: int) -> np.ndarray:
    """Simulate one run per seed and return the returns as float64 (seeds, steps)."""
    returns = np.empty((seeds.size, steps))
    prices = np.empty(steps)
    shares = np.empty(steps)
    for i in range(seeds.size):
        simulate(parameters, seeds[i], returns[i], prices, shares)
    return returns

"""Checks of `market` against the stylized facts of returns: heavy tails, clustered volatility, no linear
autocorrelation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

import numpy as np

from assay.protocol import CheckRow
from assay.suites.petri.checks.model import Literature
from assay.suites.petri.engines import market
from assay.suites.petri.worlds import MARKET

FACTS = Literature(
    "Cont (2001), Quant. Finance 1, 223",
    "agents change sides one by one, and the control was calibrated by hand: published values of the model "
    "of Franke and Westerhoff (2012) show no clustering here",
)

LENGTH = 5000
LAGS = 20
NULL = {"trend_strength": 0.0, "chart_noise": MARKET.control["fund_noise"]}
"""A null model: chartists follow no trend and are no noisier than fundamentalists."""


def _returns(seeds: Sequence[int], **changes: float) -> np.ndarray:
    """Simulate markets and return their returns as float64 (seeds, LENGTH)."""
    config = MARKET.control | changes
    values = np.array([float(config[name]) for name in market.PARAMETERS])
    return market.series(values, np.array(seeds, dtype=np.uint64), LENGTH)


def _excess(returns: np.ndarray) -> float:
    return median(market.moments(run)[1] for run in returns)


def _memories(series: np.ndarray) -> list[list[float]]:
    """Return the autocorrelations of each run at lags 1 to LAGS."""
    memories = np.empty((len(series), LAGS))
    for run, out in zip(series, memories, strict=True):
        market.autocorrelations(run, out)
    return memories.tolist()


def _clustering(returns: np.ndarray) -> float:
    """Return the autocorrelation of absolute returns, as the median over runs of the mean over lags."""
    return median(float(market.mean(np.array(run))) for run in _memories(np.abs(returns)))


def tails(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    yield FACTS.row(name, "excess kurtosis of returns", _excess(_returns(seeds)), 1.0, None)
    null = _excess(_returns(seeds, **NULL))
    yield FACTS.row(name, "the same without trend and with equal noise", null, None, 0.3)


def clusters(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    memory = _clustering(_returns(seeds))
    yield FACTS.row(name, "autocorrelation of absolute returns, lags 1 to 20", memory, 0.1, None)
    null = _clustering(_returns(seeds, **NULL))
    yield FACTS.row(name, "the same without trend and with equal noise", null, None, 0.03)


def memory(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    largest = median(max(abs(a) for a in run) for run in _memories(_returns(seeds)))
    yield FACTS.row(name, "largest absolute autocorrelation of returns, lags 1 to 20", largest, None, 0.08)

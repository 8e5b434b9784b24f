"""Formulas of instruments, computed with the same bits on every machine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.numbers import portable
from assay.numbers.kernels import kernel
from assay.numbers.portable import exp, log, sincos
from assay.numbers.rng import Stream
from assay.suites.sgi.instruments.bank import Instrument, Panel, Parameters

Values = NDArray[np.float64]
Curves = list[dict[str, Values]]
"""Of each panel its curves by name."""


@kernel
def _exps(x: Any) -> Any:
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = exp(min(max(x[i], -700.0), 700.0))
    return out


@kernel
def _logs(x: Any) -> Any:
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = log(max(x[i], 1e-300))
    return out


@kernel
def _sines(x: Any) -> Any:
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = sincos(x[i])[0]
    return out


@kernel
def product(x: Any, y: Any) -> float:
    """The inner product of two vectors, summed in order."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@kernel
def combined(rows: Any, weights: Any) -> Any:
    """The sum of rows times their weights, in order."""
    total = np.zeros(rows.shape[1])
    for k in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            total[i] += weights[k] * rows[k, i]
    return total


def _each(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A kernel for arrays of any shape and single numbers alike."""

    def of(x: Any) -> Any:
        values = np.atleast_1d(np.asarray(x, dtype=float))
        return function(values.ravel()).reshape(values.shape)

    return of


_exp, _log, _sin = _each(_exps), _each(_logs), _each(_sines)

PORTABLE: Mapping[str, Any] = {
    "exp": _exp,
    "log": _log,
    "sin": _sin,
    "sqrt": np.sqrt,
    "gauss": lambda x, middle, width: _exp(-0.5 * ((x - middle) / width) * ((x - middle) / width)),
    "lorentz": lambda x, middle, width: 1.0 / (1.0 + ((x - middle) / width) * ((x - middle) / width)),
    "sigmoid": lambda x: 1.0 / (1.0 + _exp(-1.0 * np.asarray(x))),
    "step": lambda x, start: np.where(np.asarray(x) >= start, 1.0, 0.0),
    "power": lambda x, exponent: _exp(exponent * _log(x)),
    "minimum": np.minimum,
    "maximum": np.maximum,
}
"""The functions of formulas."""


@cache
def _code(formula: str) -> CodeType:
    return compile(formula, "<instrument>", "eval")


def value(formula: str, names: Mapping[str, Any], functions: Mapping[str, Any] = PORTABLE) -> Any:
    """What a formula of the bank gives; the bank is part of the source."""
    return eval(_code(formula), {"__builtins__": {}, **functions}, dict(names))


def places(panel: Panel) -> Values:
    """Where a panel has points."""
    low, high = panel.x[2:]
    shares = np.arange(panel.points) / (panel.points - 1)
    found: Values = low + (high - low) * shares
    return found


def curves(instrument: Instrument, parameters: Parameters, functions: Mapping[str, Any] = PORTABLE) -> Curves:
    """The curves of all panels without noise.

    Args:
        instrument: of the panels.
        parameters: numbers; or columns of numbers, for as many rows of each curve.
        functions: the functions of the formulas.
    """
    found = []
    for panel in instrument.panels:
        x = places(panel)
        found.append(
            {
                name: np.asarray(value(formula, {**parameters, "x": x}, functions), dtype=float) + 0.0 * x
                for name, formula in panel.curves.items()
            }
        )
    return found


LEAST_HEIGHT = 0.15
"""Least height of a panel, as a share of the range of values that any mechanism can show there: a curve that
is flat is drawn as flat, and its noise is that of the instrument."""


@cache
def _least_heights(instrument: Instrument) -> list[float]:
    """Least heights of the panels, from all mechanisms at the ends and in the middle of their parameters."""
    lows, highs = [np.inf] * len(instrument.panels), [-np.inf] * len(instrument.panels)
    for values in itertools.product(*instrument.factors.values()):
        ranges = instrument.ranges(dict(zip(instrument.factors, values, strict=True)))
        for share in (0.0, 0.5, 1.0):
            parameters = {name: low + share * (high - low) for name, (low, high) in ranges.items()}
            for at, panel in enumerate(curves(instrument, parameters)):
                lows[at] = min(lows[at], *(float(y.min()) for y in panel.values()))
                highs[at] = max(highs[at], *(float(y.max()) for y in panel.values()))
    return [LEAST_HEIGHT * (high - low) for low, high in zip(lows, highs, strict=True)]


def heights(instrument: Instrument, shown: Curves) -> list[float]:
    """The heights of panels, of which noise and tolerances are shares.

    Args:
        instrument: of the panels.
        shown: the curves of each panel.

    Returns:
        Of each panel the range of its curves, or its least height.
    """
    return [
        max(max(float(y.max()) for y in panel.values()) - min(float(y.min()) for y in panel.values()), least)
        for panel, least in zip(shown, _least_heights(instrument), strict=True)
    ]


def noisy(instrument: Instrument, clean: Curves, noise: float, stream: Stream) -> Curves:
    """Curves with normal noise, a share of the height of their panel."""
    return [
        {
            name: y + noise * height * np.array([portable.norminv(stream.uniform()) for _ in range(y.size)])
            for name, y in panel.items()
        }
        for panel, height in zip(clean, heights(instrument, clean), strict=True)
    ]

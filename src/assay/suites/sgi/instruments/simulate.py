"""Formulas of instruments, computed with the same bits on every machine."""

from __future__ import annotations

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


def _each(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A kernel for arrays and single numbers alike."""
    return lambda x: function(np.atleast_1d(np.asarray(x, dtype=float)))


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
    """The curves of all panels without noise."""
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


def span(panel: Mapping[str, Values]) -> float:
    """The height of a panel's curves."""
    low = min(float(y.min()) for y in panel.values())
    high = max(float(y.max()) for y in panel.values())
    return max(high - low, 0.05 * max(abs(high), abs(low), 1e-6))


def noisy(clean: Curves, noise: float, stream: Stream) -> Curves:
    """Curves with normal noise, a share of the height of their panel; four digits of that height are kept."""
    return [
        {
            name: y
            + noise * span(panel) * np.array([portable.norminv(stream.uniform()) for _ in range(y.size)])
            for name, y in panel.items()
        }
        for panel in clean
    ]

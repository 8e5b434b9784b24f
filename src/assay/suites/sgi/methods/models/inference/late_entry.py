"""Lifetimes of units that come under observation late or are lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from assay.numbers.rng import Stream
from assay.suites.sgi.methods.support import Numbers, Picks


def prepare(p: Numbers, stream: Stream) -> dict[str, Any]:
    """Data of an instance; a sum of twelve uniform draws is noise enough."""

    def noise() -> float:
        return sum(stream.uniform() for _ in range(12)) - 6

    lives: list[tuple[float, float, int]] = []
    while len(lives) < 14:
        entry = 0.8 * p["scale"] * stream.uniform()
        life = p["scale"] * (-np.log(1 - stream.uniform())) ** (1 / p["k"])
        if life > entry + 0.01:
            lost = stream.uniform() < 0.3
            end = entry + (life - entry) * stream.uniform() if lost else life
            lives.append((round(entry, 4), round(float(end) + 0.001, 4), int(lost)))
    return {
        "entry": [a for a, _, _ in lives],
        "end": [b for _, b, _ in lives],
        "lost": [c for _, _, c in lives],
    }


def late_entry(p: Numbers, pick: Picks) -> list[float]:
    """The most likely scale over the stated unit, ten times the survival at x, and the standard error."""
    entry, end, lost = (np.array(p[name], float) for name in ("entry", "end", "lost"))
    k, unit = p["k"], p["scale"]

    def hazard(t: np.ndarray, scale: float) -> np.ndarray:
        r = (t / scale) ** k
        return np.asarray(k / t * r if pick["law"] == "weibull" else k / t * r / (1 + r))

    def burden(t: np.ndarray, scale: float) -> np.ndarray:
        r = (t / scale) ** k
        return np.asarray(r if pick["law"] == "weibull" else np.log1p(r))

    def log_likelihood(log_scale: float) -> float:
        scale = np.exp(log_scale)
        dead = np.log(hazard(end, scale)) - burden(end, scale)
        if pick["loss"] == "alive":
            gone = -burden(end, scale)
        else:
            gone = np.log(-np.expm1(-burden(end, scale)))
        whole = np.where(lost > 0, gone, dead)
        if pick["entry"] == "survivors only":
            whole = whole + burden(entry, scale)
        return float(np.sum(whole))

    middle = np.log(unit)
    if pick["method"] in ("right", "second"):
        start = max(np.linspace(middle - 3, middle + 3, 121), key=log_likelihood)
        if pick["method"] == "right":
            h = 1e-3

            def score(s: float) -> float:
                near = 8 * (log_likelihood(s + h) - log_likelihood(s - h))
                return near - log_likelihood(s + 2 * h) + log_likelihood(s - 2 * h)

            best = float(optimize.brentq(score, start - 0.06, start + 0.06, xtol=1e-13))
            bend = 16 * (log_likelihood(best + h) + log_likelihood(best - h)) - 30 * log_likelihood(best)
            bend -= log_likelihood(best + 2 * h) + log_likelihood(best - 2 * h)
            curvature = bend / (12 * h * h)
        else:
            offsets = 0.06 * np.cos(np.pi * (np.arange(17) + 0.5) / 17)
            fit = np.polynomial.Chebyshev.fit(offsets, [log_likelihood(start + o) for o in offsets], 12)
            roots = [r.real for r in fit.deriv().roots() if abs(r.imag) < 1e-9 and abs(r.real) < 0.06]
            shift = max(roots, key=lambda r: float(fit(r)))
            best, curvature = start + shift, float(fit.deriv(2)(shift))
    elif pick["method"] == "naive":
        best = float(np.log(np.mean(end)))
        curvature = -float(len(end)) * k**2
    else:
        best = float(max(np.linspace(middle - 3, middle + 3, 61), key=log_likelihood))
        curvature = -float(np.sum(1 - lost)) * k**2
    scale = float(np.exp(best))
    survival = float(np.exp(-burden(np.array([p["x"] * unit]), scale))[0])
    return [scale / unit, 10 * survival, float(10 / np.sqrt(-curvature))]

"""A branching process with newcomers, by generating functions."""

from __future__ import annotations

import numpy as np

from assay.suites.sgi.methods.support import Numbers, Picks


def branching(p: Numbers, pick: Picks) -> list[float]:
    """One + ten times the chance of extinction in n generations, the mean, the deviation over the mean."""
    n = int(p["n"])
    sizes = [
        p["m"] * (p["r"] ** at if pick["decline"] == "geometric" else 1 / (1 + (1 - p["r"]) * at))
        for at in range(n)
    ]

    def offspring(s: np.ndarray, m: float) -> np.ndarray:
        if pick["offspring"] == "poisson":
            value = np.exp(m * (s - 1))
        else:
            value = 1 / (1 + m * (1 - s))
        return np.asarray(value)

    def newcomers(s: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(p["nu"] * (s - 1)))

    def whole(s: np.ndarray) -> np.ndarray:
        # Generation n first: its function is put into that of the generation before.
        product = np.ones_like(s)
        for m in reversed(sizes):
            if pick["newcomers"] == "after breeding":
                product = product * newcomers(s)
                s = offspring(s, m)
            else:
                s = offspring(s, m)
                product = product * newcomers(s)
        return np.asarray(product * s**2)

    if pick["method"] == "right":
        zero = float(whole(np.array([0.0]))[0])
        z = 1 + 1e-2 * np.exp(2j * np.pi * np.arange(16) / 16)
        series = np.fft.fft(whole(z)) / 16
        first, second = series[1].real / 1e-2, 2 * series[2].real / 1e-4
    elif pick["method"] == "second":
        # Probabilities from the function on a circle (Cauchy), means by recursion over generations.
        circle = np.exp(2j * np.pi * np.arange(4096) / 4096) * 0.9
        zero = float(np.mean(whole(circle)).real)
        mean, variance = 2.0, 0.0
        for m in sizes:
            spread = m if pick["offspring"] == "poisson" else m + m * m
            if pick["newcomers"] == "before breeding":
                mean, variance = mean + p["nu"], variance + p["nu"]
            mean, variance = mean * m, variance * m * m + mean * spread
            if pick["newcomers"] == "after breeding":
                mean, variance = mean + p["nu"], variance + p["nu"]
        first, second = mean, variance + mean**2 - mean
    elif pick["method"] == "naive":
        mean = 2.0
        for m in sizes:
            mean = mean * m + p["nu"]
        zero, first, second = float(np.exp(-mean)), mean, mean**2
    else:
        draws = np.random.default_rng(0)
        number = np.full(2000, 2)
        for m in sizes:
            number = number + (draws.poisson(p["nu"], 2000) if pick["newcomers"] == "before breeding" else 0)
            if pick["offspring"] == "poisson":
                number = draws.poisson(m * number)
            else:
                number = draws.poisson(draws.gamma(np.maximum(number, 1e-9), m))
            number = number + (draws.poisson(p["nu"], 2000) if pick["newcomers"] == "after breeding" else 0)
        zero, first = float(np.mean(number == 0)), float(number.mean())
        second = float(np.mean(number * (number - 1.0)))
    spread = np.sqrt(max(second + first - first**2, 0.0))
    return [1 + 10 * zero, float(first), float(spread / max(first, 1e-9))]

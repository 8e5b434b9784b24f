"""Spins on a ring or a chain in thermal balance."""

from __future__ import annotations

import itertools

import numpy as np

from assay.suites.sgi.methods.support import Numbers, Picks


def spin_ring(p: Numbers, pick: Picks) -> list[float]:
    """ln Z a spin, the mean energy a spin (its size), and 1 + the magnetisation a spin (its size)."""
    n = 8
    values = [-1.0, 1.0] if pick["spin"] == "half" else [-1.0, 0.0, 1.0]
    signs = [(-1.0) ** at if pick["field"] == "staggered" else 1.0 for at in range(n)]
    bonds = n if pick["shape"] == "ring" else n - 1

    def log_z(beta: float, h: float) -> float:
        if pick["method"] == "right":
            v = np.array(values)
            product = np.eye(len(v))
            for at in range(bonds):
                half = beta * h / 2 * (signs[at] * v[:, None] + signs[(at + 1) % n] * v[None, :])
                if pick["shape"] == "chain":
                    half = half + (at == 0) * beta * h / 2 * signs[0] * v[:, None]
                    half = half + (at == bonds - 1) * beta * h / 2 * signs[n - 1] * v[None, :]
                product = product @ np.exp(beta * p["j"] * np.outer(v, v) + half)
            total = np.trace(product) if pick["shape"] == "ring" else product.sum()
            result = float(np.log(total))
        elif pick["method"] == "second":
            spins = np.array(list(itertools.product(values, repeat=n)))
            after = np.roll(spins, -1, axis=1)
            energy = p["j"] * (spins * after)[:, :bonds].sum(axis=1) + h * spins @ np.array(signs)
            result = float(np.log(np.exp(beta * energy).sum()))
        elif pick["method"] == "naive":
            m = [0.5 * sign for sign in signs]
            for _ in range(200):
                local = [h * signs[at] + p["j"] * (m[at - 1] + m[(at + 1) % n]) for at in range(n)]
                m = [
                    sum(v * np.exp(beta * v * x) for v in values) / sum(np.exp(beta * v * x) for v in values)
                    for x in local
                ]
            result = sum(float(np.log(sum(np.exp(beta * v * x) for v in values))) for x in local)
            result -= beta * p["j"] * sum(m[at] * m[(at + 1) % n] for at in range(n))
        else:
            square = sum(v * v for v in values) / len(values)
            result = n * np.log(len(values)) + bonds * (beta * p["j"] * square) ** 2 / 2
            result += n * (beta * h) ** 2 * square / 2
        return result

    beta, h, step = p["beta"], p["h"], 1e-4
    energy = (log_z(beta + step, h) - log_z(beta - step, h)) / (2 * step)
    moment = (log_z(beta, h + step) - log_z(beta, h - step)) / (2 * step * beta)
    return [log_z(beta, h) / n, abs(energy) / n, 1 + abs(moment) / n]

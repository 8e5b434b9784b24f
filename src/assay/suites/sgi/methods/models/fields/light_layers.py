"""A plane wave through a stack of layers."""

from __future__ import annotations

import numpy as np

from assay.suites.sgi.methods.support import Numbers, Picks


def light_layers(p: Numbers, pick: Picks) -> list[float]:
    """Ten times the reflected and the transmitted share, and one plus ten times the rest."""
    n, k0 = int(p["pairs"]), 2 * np.pi / p["wave"]
    theta = p["angle"]
    low, high = p["n1"] + 0j, p["n2"] + 0j
    if pick["absorber"] == "first":
        low += 1j * p["kappa"]
    else:
        high += 1j * p["kappa"]
    indices = [1 + 0j] + [low, high] * n + [p["ns"] + 0j]
    widths = [p["d1"], p["d2"]] * n
    cosines = [np.sqrt(1 - (np.sin(theta) / each) ** 2) for each in indices]
    if pick["polarisation"] == "s":
        admittance = [a * c for a, c in zip(indices, cosines, strict=True)]
    else:
        admittance = [a / c for a, c in zip(indices, cosines, strict=True)]
    y0, ys = admittance[0], admittance[-1]
    if pick["method"] == "right":
        matrix = np.eye(2, dtype=complex)
        for a, c, y, d in zip(indices[1:-1], cosines[1:-1], admittance[1:-1], widths, strict=True):
            phase = k0 * a * c * d
            matrix = matrix @ np.array(
                [[np.cos(phase), -1j * np.sin(phase) / y], [-1j * y * np.sin(phase), np.cos(phase)]]
            )
        b, c = matrix @ np.array([1, ys])
        r, t = (y0 * b - c) / (y0 * b + c), 2 * y0 / (y0 * b + c)
    elif pick["method"] == "second":
        # Interface by interface from the back: Airy's sum of all reflections.
        r, t = (admittance[-2] - ys) / (admittance[-2] + ys), 2 * admittance[-2] / (admittance[-2] + ys)
        for at in range(len(widths), 0, -1):
            turn = np.exp(1j * k0 * indices[at] * cosines[at] * widths[at - 1])
            front, here = admittance[at - 1], admittance[at]
            edge = (front - here) / (front + here)
            r, t = (
                (edge + r * turn**2) / (1 + edge * r * turn**2),
                2 * front / (front + here) * t * turn / (1 + edge * r * turn**2),
            )
    else:
        # One reflection at each interface (naive: with phases, rough: without).
        r, through = 0j, 1 + 0j
        for at in range(len(indices) - 1):
            front, here = admittance[at], admittance[at + 1]
            edge = (front - here) / (front + here)
            r += edge * through**2 if pick["method"] == "naive" else abs(edge) * abs(through) ** 2
            if at < len(widths):
                through *= np.exp(1j * k0 * indices[at + 1] * cosines[at + 1] * widths[at])
        t = through * np.sqrt(max(1 - abs(r) ** 2, 0.0)) * np.sqrt(y0 / ys)
    reflected, passed = abs(r) ** 2, abs(t) ** 2 * ys.real / y0.real
    if pick["back"] == "rough":
        passed = passed * (1 - p["haze"])
    else:
        passed = passed * (1 - p["haze"] * np.sin(theta))
    return [10 * float(reflected), 10 * float(passed), float(1 + 10 * (1 - reflected - passed))]

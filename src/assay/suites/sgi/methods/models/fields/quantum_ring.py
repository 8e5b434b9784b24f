"""Energy levels of particles on a line with a potential."""

from __future__ import annotations

import numpy as np

from assay.suites.sgi.methods.support import Numbers, Picks


def quantum_ring(p: Numbers, pick: Picks) -> list[float]:
    """The ground energy of two particles and the energy that the third level is above the first."""

    def potential(x: np.ndarray) -> np.ndarray:
        wave = p["g"] * (1 - np.cos(x)) / 2 if pick["potential"] == "one well" else p["g"] * np.sin(x) ** 2
        return np.asarray(wave + p["tilt"] * np.sin(x))

    hard = pick["walls"] == "hard"
    mass = p["m"]
    if pick["method"] == "right":
        x = (np.arange(200) + 0.5) * 2 * np.pi / 200 - np.pi
        n = np.arange(1, 42)
        if hard:
            basis = np.sin(np.outer(n, (x + np.pi) / 2)) / np.sqrt(np.pi)
            kinetic = (n / 2) ** 2 / (2 * mass)
        else:
            basis = np.array([np.cos((m // 2) * x) if m % 2 else np.sin((m // 2) * x) for m in n]) / np.sqrt(
                np.pi
            )
            basis[0] /= np.sqrt(2)
            kinetic = (n // 2) ** 2 / (2 * mass)
        matrix = np.diag(kinetic) + (basis * potential(x)) @ basis.T * 2 * np.pi / 200
        levels = np.linalg.eigvalsh(matrix)
    else:

        def grid_levels(size: int) -> np.ndarray:
            h = 2 * np.pi / size
            x = -np.pi + h * np.arange(size)
            if hard:
                x = x[1:]
            k = len(x)
            matrix = np.diag(potential(x) + 1 / (mass * h**2))
            matrix -= (np.eye(k, k=1) + np.eye(k, k=-1)) / (2 * mass * h**2)
            if not hard:
                matrix[0, -1] -= 1 / (2 * mass * h**2)
                matrix[-1, 0] -= 1 / (2 * mass * h**2)
            return np.asarray(np.linalg.eigvalsh(matrix)[:4])

        if pick["method"] == "second":
            # Centred differences on three grids, extrapolated to h = 0.
            coarse, middle, fine = grid_levels(64), grid_levels(128), grid_levels(256)
            once, twice = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
            levels = (16 * twice - once) / 15
        elif pick["method"] == "naive":
            levels = grid_levels(30)
        else:
            curve = p["g"] / 2 if pick["potential"] == "one well" else 2 * p["g"]
            levels = np.sqrt(curve / mass) * (np.arange(4) + 0.5)
    ground = levels[0] + levels[1] if pick["particles"] == "fermions" else 2 * levels[0]
    return [float(ground) + 1, float(levels[2] - levels[0])]

"""A particle in a trap that is shaken, by the covariance of a linear process."""

from __future__ import annotations

import numpy as np
from scipy import integrate, linalg

from assay.suites.sgi.methods.support import Numbers, Picks


def trapped_particle(p: Numbers, pick: Picks) -> list[float]:
    """The deviation of the place, 1 + its squared correlation at lag t, the root of its spectrum at omega."""
    k, g, c = p["k"], p["g"], p["c"]
    # Place, speed, coloured force; noise enters the force or the speed.
    a = np.array([[0.0, 1.0, 0.0], [-k, -g, 1.0], [0.0, 0.0, -c]])
    if pick["drag"] == "delayed":
        # The force of drag follows the speed with rate c instead of acting at once.
        a = np.array([[0.0, 1.0, 0.0], [-k, -g / 4, 1.0], [0.0, -g * c / 4, -c]])
    b = np.array([0.0, 0.0, c]) if pick["shaking"] == "coloured" else np.array([0.0, 1.0, 0.0])
    noise = p["s"] ** 2 * np.outer(b, b)
    if pick["background"] == "white":
        noise[1, 1] += p["w"] ** 2
    else:
        noise[1, 1] += p["w"] ** 2 * k
    if pick["method"] == "right":
        spread = linalg.solve_continuous_lyapunov(a, -noise)
        later = linalg.expm(a * p["t"]) @ spread
    elif pick["method"] == "second":
        values, left = np.linalg.eig(a)
        inside = np.linalg.inv(left)
        mixed = inside @ noise @ inside.T
        whole = -mixed / (values[:, None] + values[None, :])
        spread = (left @ whole @ left.T).real
        later = (left @ (np.exp(values * p["t"])[:, None] * whole) @ left.T).real
    else:
        # Euler's scheme with a step (naive), or a sum over the spectrum (rough).
        if pick["method"] == "naive":
            step = np.eye(3) + 0.02 * a
            spread = linalg.solve_discrete_lyapunov(step, 0.02 * noise)
            later = np.linalg.matrix_power(step, round(p["t"] / 0.02)) @ spread
        else:
            omega = np.linspace(-20, 20, 81)
            gain = np.array([np.linalg.solve(1j * w * np.eye(3) - a, noise) for w in omega])
            power = np.array(
                [
                    (each @ np.linalg.inv(-1j * w * np.eye(3) - a).T)[0, 0]
                    for each, w in zip(gain, omega, strict=True)
                ]
            )
            spread = np.full((3, 3), integrate.trapezoid(power.real, omega) / (2 * np.pi))
            later = np.full(
                (3, 3), integrate.trapezoid((power * np.exp(1j * omega * p["t"])).real, omega) / (2 * np.pi)
            )
    response = np.linalg.inv(1j * p["omega"] * np.eye(3) - a)
    density = (response @ noise @ response.conj().T)[0, 0].real
    return [float(np.sqrt(spread[0, 0])), 1 + float(later[0, 0] / spread[0, 0]) ** 2, float(np.sqrt(density))]

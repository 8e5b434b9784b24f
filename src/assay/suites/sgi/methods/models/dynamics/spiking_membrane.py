"""A leaky membrane that fires and adapts."""

from __future__ import annotations

import numpy as np
from scipy import integrate, optimize

from assay.suites.sgi.methods.support import Numbers, Picks


def spiking_membrane(p: Numbers, pick: Picks) -> list[float]:
    """Times of the first and the fourth spike, over tau, and the last interval over the first."""
    tau, ta = p["tau"], p["ta"]
    v, extra, now = 0.0, 0.0, 0.0
    times = []
    for _ in range(4):
        # The voltage less the threshold decays in two parts, one with each time constant.
        if pick["adaptation"] == "current":
            slow = -extra / (1 - tau / ta)
            fast = v - p["i"] - slow
        else:
            slow, fast = -extra, v - p["i"]

        def voltage(t: float, slow: float = slow, fast: float = fast) -> float:
            return float(p["i"] - 1.0 + fast * np.exp(-t / tau) + slow * np.exp(-t / ta))

        if pick["method"] == "right":
            step = min(tau, ta) / 40
            at = step
            while voltage(at) < 0:
                at += step
            wait = optimize.brentq(voltage, at - step, at, xtol=1e-13)
        elif pick["method"] == "second":
            if pick["adaptation"] == "current":
                slope = lambda t, y: [(p["i"] - y[0] - y[1]) / tau, -y[1] / ta]  # noqa: E731
                event = lambda t, y: y[0] - 1.0  # noqa: E731
            else:
                slope = lambda t, y: [(p["i"] - y[0]) / tau, -y[1] / ta]  # noqa: E731
                event = lambda t, y: y[0] - 1.0 - y[1]  # noqa: E731
            event.terminal = True  # type: ignore[attr-defined]
            run = integrate.solve_ivp(
                slope,
                (0, 200 * (tau + ta)),
                [v, extra],
                "DOP853",
                events=event,
                rtol=1e-10,
                atol=1e-12,
                max_step=(tau + ta) / 10,
            )
            wait = run.t[-1]
        elif pick["method"] == "naive":
            wait = 0.05
            while voltage(wait) < 0:
                wait += 0.05
        else:
            wait = tau * np.log(p["i"] / (p["i"] - 1 - extra)) if extra < p["i"] - 1 else tau
        extra = extra * np.exp(-wait / ta) + p["a"]
        now += wait
        times.append(now)
        v = 0.0 if pick["reset"] == "to rest" else -0.5
        if pick["pause"] == "refractory":
            now += p["pause"]
            extra = extra * np.exp(-p["pause"] / ta)
    return [times[0] / tau, times[3] / tau, (times[3] - times[2]) / (times[1] - times[0])]

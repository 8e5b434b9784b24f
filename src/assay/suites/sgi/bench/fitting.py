"""Laws fitted to printed tables by least squares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.suites.sgi.bench.evidence import SCATTER, TABLES, World, is_share
from assay.suites.sgi.bench.world import bank

FITTED: Mapping[str, tuple[float, float]] = {
    "turnover_energy": (20, 80),
    "loss_energy": (120, 340),
    "half_heat": (28, 78),
    "product_energy": (40, 130),
    "lot_energy": (2, 60),
    "ph_middle": (4, 10),
    "ph_range": (0.8, 4),
    "acid_pka": (4, 9),
    "base_pka": (4.5, 11),
    "product_pka": (2, 11),
    "binding_h": (2, 8),
    "substrate_factor": (1.2, 4),
    "partition_a": (-0.5, 3),
    "partition_b": (-0.5, 3),
    "partition_a_impurity": (-2, 2),
    "partition_b_impurity": (-2, 2),
    "precipitation_k": (1.5, 8),
    "precipitation_cold": (0, 0.05),
    "precipitation_other": (0.1, 1),
    "nucleation_cold": (0, 0.05),
}
"""Laws that are fitted on their own scale, with bounds; all others on a logarithmic one."""


def fit(
    names: Sequence[str], world: World, data: Mapping[str, Sequence[float]], laws: Sequence[str]
) -> dict[str, float]:
    """Laws fitted to printed tables by least squares.

    Args:
        names: tables.
        world: the variants, and laws that are known by now.
        data: the printed numbers of each table.
        laws: which laws are free.
    """
    from scipy.optimize import least_squares

    entries = bank()

    def middle(law: str) -> float:
        if law in FITTED:
            return (FITTED[law][0] + FITTED[law][1]) / 2
        return math.log(
            entries[law]["middle"]
            if "middle" in entries[law]
            else 0.5 * (entries[law]["low"] + entries[law]["high"])
        )

    low = [FITTED[law][0] if law in FITTED else middle(law) - math.log(40) for law in laws]
    high = [FITTED[law][1] if law in FITTED else middle(law) + math.log(40) for law in laws]

    def values(x: Any) -> dict[str, float]:
        return {law: float(v) if law in FITTED else math.exp(v) for law, v in zip(laws, x, strict=True)}

    def residuals(x: Any) -> Any:
        trial = {**world, **values(x)}
        errors = []
        for name in names:
            table = TABLES[name]
            share = is_share(table)
            for row, seen in zip(table.rows(trial), data[name], strict=True):
                value = table.value(trial, row)
                if share:
                    errors.append((value - seen) / (SCATTER * abs(value) + 0.006))
                else:
                    errors.append(math.log(max(value, 1e-12) / max(seen, 1e-12)) / SCATTER)
        return np.clip(np.array(errors), -60, 60)

    best = None
    for shift in (0.0, -0.35, 0.35):
        start = [
            min(max(middle(law) + shift * (h - lo) * 0.5, lo + 1e-6), h - 1e-6)
            for law, lo, h in zip(laws, low, high, strict=True)
        ]
        found = least_squares(residuals, start, bounds=(low, high), diff_step=1e-4, max_nfev=60)
        if best is None or found.cost < best.cost:
            best = found
        if best.cost < 2.0 * len(best.fun):
            break
    assert best is not None
    return {law: float(f"{value:.5g}") for law, value in values(best.x).items()}

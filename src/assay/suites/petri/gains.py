"""What the paired design gains: the oracle's power with the paired test beside that with the unpaired one."""

from __future__ import annotations

from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.schema import Column, Schema
from assay.suites.petri.failures import measured
from assay.suites.petri.scopes import scopes, strata
from assay.suites.petri.standings import SCOPE, mean

PAIRING = Schema(
    "pairing",
    1,
    (
        SCOPE,
        Column("world", "string", "the world"),
        Column("tasks", "int64", "tasks on which experiments may be paired"),
        Column("power", "float64", "mean oracle power with the unpaired test"),
        Column("power_paired", "float64", "mean oracle power with the paired test"),
        Column("gain", "float64", "their difference: positive where pairing helps"),
    ),
    key=("scope", "world"),
    doc="The measured gain of the paired design; without rows where no set offers it.",
)


def pairing(tables: Tables) -> Any:
    """The table `pairing`."""
    levels = strata(tables)
    plain, paired = measured(tables, "oracle_power"), measured(tables, "oracle_power_paired")
    rows = []
    for scope, tasks in scopes(tables).items():
        for world in sorted({levels[task]["world"] for task in tasks if task in paired}):
            own = [task for task in tasks if task in paired and levels[task]["world"] == world]
            before, after = mean([plain[task] for task in own]), mean([paired[task] for task in own])
            if before is not None and after is not None:
                rows.append((scope, world, len(own), before, after, after - before))
    return pd.DataFrame(rows, columns=list(PAIRING.names))

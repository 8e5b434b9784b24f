"""Scores as bars."""

from __future__ import annotations

import math
from typing import Any

from assay import plotting
from assay.protocol import Tables


def scores(tables: Tables) -> Any:
    """The mean score of each agent, as bars."""
    rows = tables["scores"]
    rows = rows[(rows["profile"] == "default") & rows["step"].isna() & rows["value"].notna()]
    rows = rows[rows["metric"] == "score"]
    means = {name: math.fsum(v) / len(v) for name, v in rows.groupby("agent", sort=True)["value"]}
    figure = plotting.figure(width_mm=90, height_mm=60)
    axes = figure.subplots()
    axes.barh(list(means), list(means.values()))
    axes.set(xlim=(0, 1), xlabel="mean score")
    return figure

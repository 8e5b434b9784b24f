"""Prediction and recovery as pictures: by size, by regime, by setting (Figures 2 to 6 and 8 to 13)."""

from __future__ import annotations

from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.causalab.standings import standings

SIZES = (3, 4, 5, 6, 7)
PANELS = (
    ("solved", "task accuracy (%)"),
    ("edge_f1", "all-edge F1"),
    ("root_f1", "root F1"),
    ("freq_weight_f1", "frequency-weight F1"),
)


def recovery_by_size(tables: Tables) -> Any:
    """Four metrics against the number of variables."""
    figure = plotting.figure(180, 70)
    grid = figure.subplots(1, 4)
    ours = standings(tables)
    agents = sorted({agent for agent, setting, _ in ours if setting == "main"})
    looks = plotting.agent_style(agents)
    for axes, (metric, label) in zip(grid, PANELS, strict=True):
        for agent in agents:
            points = [(n, ours[agent, "main", n].means[metric]) for n in SIZES if (agent, "main", n) in ours]
            axes.plot(*zip(*points, strict=True), color=looks[agent][0], marker=looks[agent][1], label=agent)
        axes.set(title=label, xticks=SIZES)
    return figure

"""Early commitment in four panels (Figure 14)."""

from __future__ import annotations

from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.causalab.tables.conduct import commitment
from assay.suites.causalab.tables.paper import verification

OUTCOMES = (("success", "blue"), ("failure", "vermilion"))


def early_commitment(tables: Tables) -> Any:
    """Draw use of the budget, contradicted evidence and residuals by outcome, and what a check is worth."""
    table, checked = commitment(tables), verification(tables)
    agents = sorted(set(table["agent"]))
    figure = plotting.figure(180, 34 + 5 * len(agents))
    grid = figure.subplots(1, 4)
    bars: dict[str, Any] = {}
    for axes, column, title in (
        (grid[0], "budget_used", "share of\ninterventions used"),
        (grid[1], "inconsistent_share", "share of own\nevidence contradicted"),
        (grid[2], "mean_abs_residual", "mean residual\n(Hz)"),
    ):
        for n, (outcome, colour) in enumerate(OUTCOMES):
            rows = table[(table["outcome"] == outcome) & (table["nodes"] == 4)]
            for row in rows.itertuples(index=False):
                at = agents.index(row.agent) + (n - 0.5) * 0.36
                bars[outcome] = axes.barh(at, getattr(row, column), 0.34, color=plotting.COLOURS[colour])
            for row in table[(table["outcome"] == outcome) & (table["nodes"] == 6)].itertuples(index=False):
                at = agents.index(row.agent) + (n - 0.5) * 0.36
                axes.plot(
                    [getattr(row, column)], [at], marker="D", markersize=3, color="black", clip_on=False
                )
        axes.set_yticks(range(len(agents)), agents if axes is grid[0] else [""] * len(agents))
        if column == "mean_abs_residual":
            axes.set_xscale("symlog", linthresh=1.0)
            axes.set_xlim(left=0)
        else:
            axes.set(xlim=(0, 1))
        axes.set_title(title, fontsize=8)
        axes.invert_yaxis()
    for n, row in enumerate(checked.itertuples(index=False)):
        colour = "grey" if row.source == "paper" else "black"
        grid[3].plot([row.without, row.with_check], [n, n], color=plotting.COLOURS[colour])
        grid[3].plot([row.without], [n], marker="o", markerfacecolor="white", color=plotting.COLOURS[colour])
        grid[3].plot([row.with_check], [n], marker="o", color=plotting.COLOURS[colour])
    names = [f"{r.agent}{' (paper)' if r.source == 'paper' else ''}" for r in checked.itertuples()]
    grid[3].set_yticks(range(len(names)), names)
    grid[3].set(xlim=(-3, 103))
    grid[3].set_title("task accuracy (%)\nhollow: unchecked", fontsize=8)
    grid[3].set_ylim(len(names) - 0.4, -0.6)
    if bars:
        figure.legend(list(bars.values()), list(bars), loc="outside lower left", ncols=2)
    return figure

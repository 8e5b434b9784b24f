"""Results in the sealed sets with their intervals, and what a change of the setting costs on equal graphs."""

from __future__ import annotations

from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.causalab.drawings.recovery import SOLVERS
from assay.suites.causalab.tables.intervals import intervals

SIZES = (3, 4, 5, 6, 7)


def sealed(tables: Tables) -> Any:
    """Draw F1 of all edges by size, and its paired difference to the baseline of each set."""
    table = intervals(tables)
    table = table[table["setting"].str.startswith("sealed-") & (table["metric"] == "edge_f1")]
    agents = sorted(set(table["agent"]))
    styles = plotting.agent_style(agents, SOLVERS)
    paired = table[table["pairs"] > 1]
    rows = sorted({(row.task_set, row.nodes, row.setting) for row in paired.itertuples(index=False)})
    figure = plotting.figure(180, 40 + max(50, 4 * len(rows)))
    grid = figure.subplots(1, 2, width_ratios=(1, 1.4))
    marks: dict[str, Any] = {}
    for number, agent in enumerate(agents):
        colour, marker = styles[agent]
        shift = (number - (len(agents) - 1) / 2) * 0.12
        look: dict[str, Any] = {"colour": colour, "marker": marker}
        of_sizes = table[(table["agent"] == agent) & (table["setting"] == "sealed-main")]
        for row in of_sizes.itertuples(index=False):
            plotting.interval(grid[0], row.nodes + shift, row.mean, row.low, row.high, vertical=True, **look)
        for row in paired[paired["agent"] == agent].itertuples(index=False):
            at = rows.index((row.task_set, row.nodes, row.setting)) + shift
            ends = (row.difference, row.difference_low, row.difference_high)
            plotting.interval(grid[1], at, *ends, **look)
        (marks[agent],) = grid[0].plot([], [], color=colour, marker=marker, linestyle="none")
    grid[0].set(xlabel="variables", ylabel="all-edge F1", xticks=SIZES, ylim=(-0.03, 1.03))
    grid[0].set_title("main-v1", fontsize=8)
    grid[1].axvline(0, color=plotting.COLOURS["grey"], linewidth=0.6)
    grid[1].set_yticks(range(len(rows)), [f"{name.removeprefix('sealed-')}, {k}" for _, k, name in rows])
    grid[1].set(xlabel="difference of F1 to the baseline", ylim=(len(rows) - 0.4, -0.6))
    grid[1].set_title("same graphs, 95 % intervals", fontsize=8)
    if marks:
        figure.legend(list(marks.values()), list(marks), loc="outside lower center", ncols=5)
    return figure

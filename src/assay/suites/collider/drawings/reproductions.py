"""Figures of the reference solver: its yields beside the references, and its cut-flows."""

from __future__ import annotations

import math
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.collider.tables.leaderboard import HEADLINE
from assay.suites.collider.tables.reproductions import Reproduction, cut_flows, reproductions_of

BAND = "#D5D5D5"
INK, OURS = plotting.COLOURS["black"], plotting.COLOURS["vermilion"]
MOST = 10
"""Largest number of panels in one figure."""

LEAST_SHARE = 1e-3
LINES = ("blue", "orange", "green", "vermilion", "sky", "purple", "grey", "black")


def _shown(tables: Tables) -> list[Reproduction]:
    """Return the reproduction with the largest sample for each task.

    Only those of the paper's ten tasks are returned if there are any.
    """
    largest: dict[tuple[str, str], Reproduction] = {}
    for reproduction in reproductions_of(tables):
        at = (reproduction.result.task_set, reproduction.result.task_id)
        if at not in largest or reproduction.generated > largest[at].generated:
            largest[at] = reproduction
    headline = [reproduction for reproduction in largest.values() if reproduction.result.task_set == HEADLINE]
    return (headline or list(largest.values()))[:MOST]


def _nothing(figure: Any) -> Any:
    axes = figure.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, "the reference solver has not played", ha="center", va="center")
    return figure


def yields(tables: Tables) -> Any:
    """Draw the yields with Monte Carlo errors over the references, one panel per task, with ratios below."""
    reproductions = _shown(tables)
    columns = min(5, len(reproductions))
    rows = math.ceil(len(reproductions) / columns) if reproductions else 1
    figure = plotting.figure(width_mm=190 if columns > 2 else 120, height_mm=70 * rows)
    if not reproductions:
        return _nothing(figure)
    panels = figure.subplots(2 * rows, columns, squeeze=False, sharex=False, height_ratios=(3, 1) * rows)
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        above, below = panels[2 * row][column], panels[2 * row + 1][column]
        if place >= len(reproductions):
            above.set_axis_off()
            below.set_axis_off()
            continue
        _panel(above, below, reproductions[place], first=column == 0)
    return figure


def _panel(above: Any, below: Any, reproduction: Reproduction, *, first: bool) -> None:
    edges = reproduction.binning.edges
    r = [value * reproduction.scale for value in reproduction.hidden["yields"]]
    rate = reproduction.rate_error or 0.0
    for axes, divide in ((above, [1.0] * len(r)), (below, [value or 1.0 for value in r])):
        for k, (low, high) in enumerate(reproduction.binning.bins):
            known = math.hypot(reproduction.hidden["errors"][k] * reproduction.scale, rate * r[k])
            bottom, top = max(0.0, r[k] - known) / divide[k], (r[k] + known) / divide[k]
            axes.fill_between([low, high], bottom, top, color=BAND, linewidth=0)
        axes.stairs([v / s for v, s in zip(r, divide, strict=True)], edges, color=INK, linewidth=1.0)
        for k, (low, high) in enumerate(reproduction.binning.bins):
            y, e, middle = reproduction.yields[k], reproduction.errors[k], (low + high) / 2
            axes.plot([middle] * 2, [(y - e) / divide[k], (y + e) / divide[k]], color=OURS, linewidth=0.9)
            axes.plot([middle], [y / divide[k]], color=OURS, marker="o", markersize=2.5, linestyle="none")
        axes.set_xlim(edges[0], edges[-1])
        axes.tick_params(labelsize=6)
    above.set_ylim(
        0, 1.45 * max([*r, *(a + b for a, b in zip(reproduction.yields, reproduction.errors, strict=True))])
    )
    above.set_xticklabels([])
    below.set_ylim(0, 3.5)
    name = reproduction.facts["id"].partition("-")[2].replace("_sim-", "\n")
    suspect = ", suspect" if reproduction.hidden["suspect"] else ""
    above.set_title(f"{name}\nd = {reproduction.result.d:.2f}{suspect}", fontsize=6.5)
    below.set_xlabel(f"{reproduction.binning.observable} [GeV]", fontsize=6.5)
    if first:
        above.set_ylabel("events / bin")
        below.set_ylabel("ratio")


def _solver_at(row: Any) -> tuple[str, str, str]:
    return row.task_set, row.task_id, row.agent


def cut_flow(tables: Tables) -> Any:
    """Draw the share of generated events after each cut, one panel per paper and list of cuts."""
    reproductions = {_solver_at(each.result): each for each in _shown(tables)}
    steps: dict[tuple[str, str], list[tuple[str, float]]] = {}
    rows: Any = cut_flows(tables).itertuples(index=False)
    for row in rows:
        reproduction = reproductions.get(_solver_at(row))
        if reproduction is not None:
            flow = steps.setdefault((reproduction.facts["paper"], reproduction.facts["id"]), [])
            flow.append((row.label, row.events / reproduction.generated))
    if not steps:
        return _nothing(plotting.figure(width_mm=120, height_mm=60))
    flows: dict[tuple[str, tuple[str, ...]], dict[str, list[float]]] = {}
    for (paper, name), flow in sorted(steps.items()):
        cuts = tuple(label for label, _ in flow)
        flows.setdefault((paper, cuts), {})[name] = [max(share, LEAST_SHARE) for _, share in flow]
    lengths = [len(cuts) + 2 for _, cuts in flows]
    figure = plotting.figure(width_mm=180, height_mm=8 * len(flows) + 5 * sum(lengths))
    panels = figure.subplots(len(flows), 1, squeeze=False, height_ratios=lengths)
    for ((paper, labels), of), (axes,) in zip(flows.items(), panels, strict=True):
        for n, (name, shares) in enumerate(of.items()):
            colour = plotting.COLOURS[LINES[n % len(LINES)]]
            axes.plot(
                shares,
                range(len(shares)),
                marker="o",
                markersize=2.5,
                color=colour,
                label=name.partition("_sim-")[2] or name,
            )
        axes.set_yticks(range(len(labels)), labels, fontsize=6.5)
        axes.invert_yaxis()
        axes.set(xscale="log", xlim=(LEAST_SHARE, 1.5), title=paper)
        axes.legend(loc="lower left", fontsize=6.5)
    panels[-1][0].set_xlabel("share of the generated events")
    return figure

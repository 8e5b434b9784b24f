"""Figures of submissions, distances and costs: step histograms, error bands and panels of ratios."""

from __future__ import annotations

import math
from typing import Any

from assay import canonical, plotting
from assay.protocol import Tables
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.measures.metrics import TAU
from assay.suites.collider.measures.validity import check
from assay.suites.collider.problems.hidden import rate_error
from assay.suites.collider.provenance.conduct import SCRIPTED
from assay.suites.collider.tables import quoted
from assay.suites.collider.tables.leaderboard import HEADLINE, Result, cells, results
from assay.tables.tabulation import mean, median, strata

GREY = plotting.COLOURS["grey"]
BAND = "#D5D5D5"
UNITS = {"GEV": "GeV", "GEV1/2": "GeV$^{1/2}$"}
LOOKS = {
    "physicist": ("black", "*"),
    "physicist-large": ("black", "p"),
    "physicist-small": ("black", "."),
    "flat": ("sky", "o"),
    "total-rate": ("blue", "s"),
    "right-shape": ("orange", "^"),
    "wrong-normalisation": ("vermilion", "D"),
    "mock-honest": ("green", "v"),
    "mock-forgetful": ("purple", "P"),
    "zeros": ("grey", "x"),
}


def _shown_agents(tables: Tables) -> list[str]:
    """Return the solvers with a style in `LOOKS`, and then all recorded agents by name."""
    episodes = tables["episodes"]
    return [*LOOKS, *sorted(set(episodes["agent"][episodes["source"] == "recording"]))]


# ------------------------------------------------------------ overlay with ratios


def overlay(tables: Tables) -> Any:
    """Draw the reference and the submissions of one published and one mock task, with ratios below.

    If neither set is present, the first task is drawn.
    """
    tasks = list(tables["tasks"].itertuples(index=False))
    wanted = [
        next((t for t in tasks if t.task_set == HEADLINE), None),
        next((t for t in tasks if t.task_set == "mock-v0"), None),
    ]
    drawn_tasks = [t for t in wanted if t is not None] or tasks[:1]
    figure = plotting.figure(width_mm=180 if len(drawn_tasks) > 1 else 95, height_mm=90)
    panels = figure.subplots(2, len(drawn_tasks), squeeze=False, sharex="col", height_ratios=(3, 1))
    for column, task in enumerate(drawn_tasks):
        _overlay(panels[0][column], panels[1][column], task, tables)
    figure.align_ylabels()
    return figure


def _overlay(axes: Any, ratios: Any, task: Any, tables: Tables) -> None:
    public, hidden = canonical.loads(task.public), canonical.loads(task.hidden)
    binning = Binning.from_json(public["histogram"])
    r, errors = hidden["yields"], hidden["errors"]
    rate = rate_error(public, hidden) or 0.0
    band = [math.hypot(e, rate * v) for e, v in zip(errors, r, strict=True)]
    for panel, scale in ((axes, [1.0] * len(r)), (ratios, [v or 1.0 for v in r])):
        middle = [v / s for v, s in zip(r, scale, strict=True)]
        width = [e / s for e, s in zip(band, scale, strict=True)]
        low = [max(0.0, m - w) for m, w in zip(middle, width, strict=True)]
        high = [m + w for m, w in zip(middle, width, strict=True)]
        # The band is filled bin by bin, because `stairs` does not close well over a varying baseline.
        for (a, b), bottom, top in zip(binning.bins, low, high, strict=True):
            panel.fill_between([a, b], bottom, top, color=BAND, linewidth=0)
        panel.stairs(middle, binning.edges, color=plotting.COLOURS["black"], linewidth=1.2)
    axes.plot([], [], color=plotting.COLOURS["black"], label="reference")
    if any(band):
        axes.fill_between([], [], color=BAND, linewidth=0, label="its known errors")
    submitted = _submitted(task, tables, binning)
    for place, (agent, y) in enumerate(submitted.items()):
        colour, marker = plotting.agent_style([agent], LOOKS)[agent]
        look = {"color": colour, "marker": marker, "linestyle": "none"}
        spread = (place - (len(submitted) - 1) / 2) / (len(submitted) + 1)
        at = [(a + b) / 2 + 0.8 * spread * (b - a) for a, b in binning.bins]
        axes.plot(at, y, label=agent, **look)
        near = [(x, v / s) for x, v, s in zip(at, y, r, strict=True) if s and v / s <= 3]
        ratios.plot([x for x, _ in near], [v for _, v in near], **look)
    axes.set(ylabel="events / bin", title=public["id"])
    axes.set_ylim(0, 1.6 * max([*r, *(v for y in submitted.values() for v in y)]))
    axes.legend(ncols=2, loc="upper left")
    axes.text(
        1,
        1.01,
        f"{public['luminosity_fb']:g} fb$^{{-1}}$ (13 TeV)",
        transform=axes.transAxes,
        ha="right",
        fontsize=7,
    )
    ratios.axhline(1, color=plotting.COLOURS["black"], linewidth=0.6)
    ratios.set(
        ylim=(0, 3),
        ylabel="ratio",
        xlabel=f"{public['observable']} [{UNITS.get(binning.units, binning.units)}], last bin open",
    )
    for panel in (axes, ratios):
        panel.minorticks_on()
        panel.tick_params(which="both", direction="in", top=True, right=True)
        panel.spines[:].set_visible(True)
        panel.set_xlim(binning.edges[0], binning.edges[-1])


def _submitted(task: Any, tables: Tables, binning: Binning) -> dict[str, tuple[float, ...]]:
    """Return the first valid submission of each shown agent to a task."""
    agents = [agent for agent in _shown_agents(tables) if agent != "zeros"]
    submitted: dict[str, tuple[float, ...]] = {}
    for row in tables["episodes"].itertuples(index=False):
        same = (row.task_set, row.task_id) == (task.task_set, task.task_id)
        if not same or row.agent in submitted or row.agent not in agents:
            continue
        text = canonical.loads(row.submission) if isinstance(row.submission, str) else None
        yields = check(text.encode(), binning).yields if isinstance(text, str) else None
        if yields is not None:
            submitted[row.agent] = yields
    return {agent: submitted[agent] for agent in agents if agent in submitted}


# ------------------------------------------------------------ tables as pictures

CEILING = 2.0
CHEAPEST = 0.3
"""Lowest list price of a task that is drawn, in dollars."""


def distances(tables: Tables) -> Any:
    """Draw d of each solver and, on published tasks, of the paper's agents; colours end at `CEILING`."""
    names = {
        row.task_id: canonical.loads(row.public)["id"]
        for row in tables["tasks"].itertuples(index=False)
        if row.task_set == _shown_set(tables)
    }
    ours: dict[str, dict[str, float | None]] = {}
    for (task_set, agent, task_id), runs in cells(results(tables)):
        if task_set == _shown_set(tables) and agent not in SCRIPTED:
            ours.setdefault(agent, {})[names[task_id]] = mean([run.d for run in runs])
    order = [*LOOKS, *sorted(ours)]
    columns: list[tuple[str, dict[str, float | None]]] = [
        (f"{agent} (cuts)", ours[agent]) for agent in sorted(ours, key=order.index)
    ]
    solvers_end = len(columns)
    for published in tables["published"]:
        of: dict[str, dict[str, float | None]] = {agent: {} for agent in published["agents"]}
        for cell in quoted.cells(published):
            of[cell.agent][cell.task] = cell.d
        columns += [(f"{agent} (quoted)", distances_of) for agent, distances_of in of.items()]
    rows = list(names.values())
    values = [[distances_of.get(name) for _, distances_of in columns] for name in rows]
    figure = plotting.figure(width_mm=190, height_mm=30 + 9 * max(4, len(rows)))
    axes = figure.subplots()
    plotting.heatmap(axes, values, rows, [name for name, _ in columns], low=0, high=CEILING)
    for i, row in enumerate(values):
        for j, d in enumerate(row):
            if d is not None and d < TAU:
                frame = (
                    [j + 0.06, j + 0.94, j + 0.94, j + 0.06, j + 0.06],
                    [i + 0.08, i + 0.08, i + 0.92, i + 0.92, i + 0.08],
                )
                axes.plot(*frame, color=plotting.COLOURS["orange"], linewidth=1.4)
    axes.axvline(solvers_end, color="white", linewidth=6)
    axes.set_xlim(0, len(columns))
    axes.tick_params(axis="x", labelrotation=40)
    for label in axes.get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")
    axes.set_title(f"d; framed: below {TAU}, solved; 1 is an empty answer (colours end at {CEILING:g})")
    return figure


def _shown_set(tables: Tables) -> str:
    """Return the set of the paper's ten tasks if it is present, and otherwise the first set."""
    sets = sorted({row.task_set for row in tables["tasks"].itertuples(index=False)})
    return HEADLINE if HEADLINE in sets else sets[0]


def shape_against_norm(tables: Tables) -> Any:
    """Draw d of the shape against the error of the total, and quoted cells on the right.

    The cells of the paper are drawn as d of the shape against d of the yields.
    """
    figure = plotting.figure(width_mm=180, height_mm=80)
    left, right = figure.subplots(1, 2)
    every = list(results(tables))
    for agent in _shown_agents(tables):
        there = [p for r in every if r.agent == agent and (p := _point(r)) is not None]
        if not there:
            continue
        colour, marker = plotting.agent_style([agent], LOOKS)[agent]
        left.plot(
            [x for x, _ in there],
            [y for _, y in there],
            linestyle="none",
            marker=marker,
            markersize=3,
            color=colour,
            label=agent,
        )
    left.set(xlabel="error of the total, delta_norm", ylabel="d of the shape", title="solvers of this suite")
    left.set_xscale("symlog", linthresh=0.01)
    left.set_yscale("symlog", linthresh=0.01)
    left.set(xlim=(0, None), ylim=(0, None))
    left.legend(loc="upper left", bbox_to_anchor=(0.0, -0.2), ncols=3)
    right.axvline(TAU, color=GREY, linewidth=0.8, linestyle="--", label=f"d = {TAU}")
    for published in tables["published"]:
        styles = _quoted_looks(published)
        for agent in published["agents"]:
            quoted_cells = [c for c in quoted.cells(published) if c.agent == agent and c.d and c.d_shape]
            colour, marker = styles[agent]
            right.plot(
                [c.d for c in quoted_cells],
                [c.d_shape for c in quoted_cells],
                linestyle="none",
                marker=marker,
                markersize=4,
                color=colour,
                markerfacecolor="white",
                label=agent,
            )
        right.legend(loc="upper left", bbox_to_anchor=(0.0, -0.2), ncols=3)
    right.set(
        xscale="log", yscale="log", xlabel="d of the yields", ylabel="d of the shape", title="quoted cells"
    )
    return figure


def _quoted_looks(published: Any) -> dict[str, tuple[str, str]]:
    """Return the colour and marker of each agent of the paper, the same in all figures."""
    colours = ("blue", "sky", "purple", "green", "vermilion", "orange")
    looks = zip(colours, "osD^vP", strict=True)
    return {
        agent: (plotting.COLOURS[colour], marker)
        for agent, (colour, marker) in zip(published["agents"], looks, strict=False)
    }


def _point(result: Result) -> tuple[float, float] | None:
    if result.delta_norm is None or result.d_shape is None:
        return None
    return result.delta_norm, result.d_shape


def cost_against_accuracy(tables: Tables) -> Any:
    """Draw the cost of the paper's agents against the number of tasks with a mean d below the threshold.

    Agents of this suite whose runs were kept, and that solve a task, stand on the left edge: they have no
    list price.
    """
    figure = plotting.figure(width_mm=110, height_mm=75)
    axes = figure.subplots()
    looks = {
        agent: look for published in tables["published"] for agent, look in _quoted_looks(published).items()
    }
    rows: Any = sorted(quoted.costs(tables).itertuples(index=False), key=lambda row: row.dollars)
    seen: list[int] = []
    for row in rows:
        rise = -11 if seen.count(row.tasks_below) % 2 else 5
        seen.append(row.tasks_below)
        colour, marker = looks[row.agent]
        low = max(0.1, row.dollars - row.dollars_deviation)
        axes.plot(
            [low, row.dollars + row.dollars_deviation], [row.tasks_below] * 2, color=colour, linewidth=0.8
        )
        face = colour if row.frontier else "white"
        axes.plot([row.dollars], [row.tasks_below], color=colour, marker=marker, markerfacecolor=face)
        axes.annotate(
            row.agent,
            (row.dollars, row.tasks_below),
            (0, rise),
            textcoords="offset points",
            fontsize=7,
            ha="center",
        )
    solved: dict[str, int] = {}
    for (task_set, agent, _), runs in cells(results(tables)):
        kept = [run.d for run in runs if run.kept]
        if task_set == HEADLINE and kept:
            solved[agent] = solved.get(agent, 0) + (math.fsum(kept) / len(kept) < TAU)
    for agent, tasks_below in sorted(pair for pair in solved.items() if pair[1]):
        colour, marker = plotting.agent_style([agent], LOOKS)[agent]
        axes.plot([CHEAPEST], [tasks_below], color=colour, marker=marker, clip_on=False, zorder=3)
        text = f" {agent} (level cuts, no price)"
        axes.annotate(text, (CHEAPEST, tasks_below), (4, 3), textcoords="offset points", fontsize=6)
    most = max([4, *seen, *solved.values()])
    axes.set(xscale="log", xlim=(CHEAPEST, 30), ylim=(-0.5, most + 0.5))
    axes.set_xlabel("list price of a task [$], mean and deviation")
    axes.set(ylabel=f"tasks with mean d < {TAU}", title="quoted: filled marks are the frontier")
    axes.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    axes.set_xticks([], minor=True)
    return figure


SHOWN = (
    ("d", "d"),
    ("d_shape", "d shape"),
    ("delta_norm", "delta norm"),
    ("d_bar", "d bar"),
    ("jensen_shannon_dist", "JS distance"),
    ("rmsle", "RMSLE"),
)


def solvers(tables: Tables) -> Any:
    """Draw a heat map of metrics for each comparison solver.

    A cell is the median over the tasks that ask for yields in bins; tasks of other modes have no shape or no
    total. The last column is the share of these tasks that the solver does not solve.
    """
    levels = strata(tables)
    agents = _shown_agents(tables)
    of: dict[str, dict[str, list[float]]] = {}
    for row in tables["scores"].itertuples(index=False):
        counts = row.agent in agents and row.value is not None and not math.isnan(row.value)
        if counts and levels[row.task_set, row.task_id]["mode"] == "shape_norm":
            of.setdefault(row.agent, {}).setdefault(row.metric, []).append(row.value)
    rows = [agent for agent in agents if agent in of]
    values = [
        [
            *(median(of[agent].get(metric, [])) for metric, _ in SHOWN),
            1 - (mean(of[agent].get("solved", [])) or 0.0),
        ]
        for agent in rows
    ]
    figure = plotting.figure(width_mm=150, height_mm=25 + 9 * len(rows))
    axes = figure.subplots()
    plotting.heatmap(axes, values, rows, [*(name for _, name in SHOWN), "unsolved"], low=0, high=1)
    axes.set_title("median over tasks, and the share not solved; colours end at 1")
    return figure

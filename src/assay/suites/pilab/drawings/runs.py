"""Figures of runs through the harness: citations, budgets, booms, kinds of runs, entry and conduct."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.pilab.drawings import styles
from assay.suites.pilab.measures import axes
from assay.suites.pilab.measures.axes import ARCHETYPES, AXES
from assay.suites.pilab.tables import surveys
from assay.suites.pilab.tables.readings import Run, grouped, mean, runs

MONTHS = range(1, 61)
GREY = styles.GREY
KINDS = dict(zip(ARCHETYPES, ("green", "blue", "orange", "grey", "vermilion"), strict=True))


def reference(tables: Tables) -> list[tuple[str, list[Run]]]:
    """Return the runs of `reference-v0`, else of the first set, by agent, the highest mean IMPACT first."""
    groups = list(grouped(runs(tables)))
    sets = {task_set for (task_set, _), _ in groups}
    first = "reference-v0" if "reference-v0" in sets else min(sets, default="")
    ours = [(agent, group) for (task_set, agent), group in groups if task_set == first]
    return sorted(ours, key=lambda item: (-(mean([run.impact for run in item[1]]) or 0), item[0]))


def look(agent: str) -> dict[str, Any]:
    """Return the style of an agent's line; that of the baseline is dashed."""
    colour, _ = styles.style(agent)
    return {"color": colour, "linestyle": "--" if agent == "baseline" else "-"}


def _series(run: Run, key: str) -> list[float]:
    """Return a column of the monthly rows for all 60 months; a collapsed run keeps its last value."""
    values = [float(row[key]) for row in run.record["months"]]
    return values + [values[-1]] * (len(MONTHS) - len(values))


def citations(tables: Tables) -> Any:
    """Draw the mean cumulative citations by month, with one line for each agent."""
    figure = plotting.figure(width_mm=140, height_mm=85)
    plot = figure.subplots()
    ends = []
    for agent, group in reference(tables):
        series = [_series(run, "citations") for run in group]
        line = [math.fsum(column) / len(series) for column in zip(*series, strict=True)]
        if line[-1] > 0:
            plot.plot(list(MONTHS), line, **look(agent))
            ends.append((line[-1], agent))
    _label_ends(plot, ends)
    plot.set(xlabel="month", ylabel="citations so far (mean over worlds)", xlim=(1, 74), ylim=(0, None))
    plot.set_xticks(range(0, 61, 12))
    return figure


def _label_ends(plot: Any, ends: Sequence[tuple[float, str]], log: bool = False) -> None:
    """Write the names of agents at the right ends of lines, moved apart if they would overlap."""
    if not ends:
        return
    low, high = plot.get_ylim()
    place = (lambda v: math.log10(max(v, 1e-9))) if log else (lambda v: v)
    span = place(high) - place(max(low, 1e-9) if log else low)
    last = -math.inf
    for value, agent in sorted(ends):
        at = max(place(value), last + 0.045 * span)
        last = at
        plot.text(61, 10**at if log else at, agent, fontsize=6.5, va="center", color=look(agent)["color"])


def budgets(tables: Tables) -> Any:
    """Draw budgets by month, one panel for each agent and one line for each run; a cross marks a collapse."""
    groups = reference(tables)
    columns = 3
    rows = max(1, math.ceil(len(groups) / columns))
    figure = plotting.figure(width_mm=180, height_mm=8 + 38 * rows)
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for panel in panels.flat:
        panel.set_visible(False)
    for panel, (agent, every) in zip(panels.flat, groups, strict=False):
        panel.set_visible(True)
        for run in every:
            months = [row["month"] for row in run.record["months"]]
            money = [max(row["budget"], 1e3) / 1e3 for row in run.record["months"]]
            panel.plot(months, money, color=look(agent)["color"], linewidth=0.7)
            if run.collapsed:
                panel.plot(
                    months[-1:], money[-1:], marker="x", color=plotting.COLOURS["vermilion"], clip_on=False
                )
        panel.axhline(600, color=GREY, linestyle="--", linewidth=0.6)
        panel.set(yscale="log", title=agent, xlim=(1, 60), ylim=(1, 6000))
        panel.set_xticks(range(0, 61, 12))
    figure.supylabel("budget (thousand dollars, logarithmic)", fontsize=8)
    figure.supxlabel("month; dashed: what the lab began with; cross: closed", fontsize=8)
    return figure


def booms(tables: Tables) -> Any:
    """Draw IMPACT against the hotness that papers met, and against the number of papers in booming worlds."""
    figure = plotting.figure(width_mm=180, height_mm=85)
    left, right = figure.subplots(1, 2, sharey=True)
    strata = {
        (row.task_set, row.task_id): '"boom":"modest"' not in row.strata
        for row in tables["tasks"].itertuples(index=False)
    }
    groups = reference(tables)
    for agent, group in groups:
        colour, marker = styles.style(agent)
        styles.points(left, [], [], color=colour, marker=marker, label=agent)
        for run in group:
            cross = {"color": plotting.COLOURS["vermilion"], "marker": "x"}
            mark: dict[str, Any] = cross if run.collapsed else {"color": colour, "marker": marker}
            boom, impact = axes.boom_captured(run.record), [max(run.impact, 1.0)]
            if boom is not None:
                styles.points(left, [boom], impact, **mark)
            if strata.get((run.task_set, run.task_id)):
                styles.points(right, [run.record["summary"]["publications"]], impact, **mark)
    left.set(
        yscale="log",
        xlabel="highest hotness of a paper's topic after it came out",
        ylabel="IMPACT (logarithmic)",
    )
    right.set(xlabel="papers, in worlds with a boom of 3 or more")
    if groups:
        styles.points(
            left, [], [], color=plotting.COLOURS["vermilion"], marker="x", label="a lab that closed"
        )
        figure.legend(loc="outside lower center", ncols=5)
    return figure


def kinds(tables: Tables) -> Any:
    """Draw a grid of agents and worlds, coloured by the kind of run, with the IMPACT."""
    groups = reference(tables)
    tasks = sorted({run.task_id for _, every in groups for run in every})
    figure = plotting.figure(width_mm=180, height_mm=20 + 7 * len(groups))
    plot = figure.subplots()
    for i, (_, every) in enumerate(groups):
        for run in every:
            j = tasks.index(run.task_id)
            kind = axes.archetype(run.record)
            colour = plotting.COLOURS[KINDS[kind]]
            plot.fill(
                [j, j + 1, j + 1, j], [i, i, i + 1, i + 1], facecolor=colour, edgecolor="white", linewidth=1.5
            )
            plot.text(j + 0.5, i + 0.5, f"{run.impact:.0f}", ha="center", va="center", color="white")
    for kind, name in KINDS.items():
        plot.fill([0, 0, 0], [0, 0, 0], facecolor=plotting.COLOURS[name], label=kind)
    plot.set_xticks([j + 0.5 for j in range(len(tasks))], tasks)
    plot.set_yticks([i + 0.5 for i in range(len(groups))], [agent for agent, _ in groups])
    plot.set(xlim=(0, max(1, len(tasks))), ylim=(max(1, len(groups)), 0))
    plot.tick_params(length=0)
    plot.spines[:].set_visible(False)
    figure.legend(loc="outside lower center", ncols=5)
    return figure


def _bars(panel: Any, agents: Sequence[str], values: Sequence[float | None], title: str) -> None:
    places = [at for at, value in enumerate(values) if value is not None]
    kept = [value for value in values if value is not None]
    panel.barh(places, kept, color=[look(agents[at])["color"] for at in places], height=0.7)
    panel.set_yticks(range(len(agents)), agents)
    panel.set_ylim(len(agents) - 0.4, -0.6)
    panel.set_title(title)
    panel.tick_params(axis="y", length=0)


def _axis_means(tables: Tables, names: Sequence[str]) -> tuple[list[str], dict[str, list[float | None]]]:
    groups = reference(tables)
    values: dict[str, list[float | None]] = {}
    for name in names:
        every = [[AXES[name](run.record) for run in of] for _, of in groups]
        values[name] = [mean([value for value in of_agent if value is not None]) for of_agent in every]
    return [agent for agent, _ in groups], values


def _panels(tables: Tables, titles: dict[str, str]) -> Any:
    agents, values = _axis_means(tables, list(titles))
    figure = plotting.figure(width_mm=180, height_mm=18 + 5 * len(agents))
    figure.get_layout_engine().set(wspace=0.05)
    panels = figure.subplots(1, len(titles), sharey=True, squeeze=False)[0]
    for panel, (name, title) in zip(panels, titles.items(), strict=True):
        _bars(panel, agents, values[name], title)
    return figure


def conduct(tables: Tables) -> Any:
    """Draw bars of decisions a month, and of papers a year and researcher."""
    return _panels(
        tables, {"actions_per_month": "decisions a month", "conversion": "papers a year and researcher"}
    )


def capabilities(tables: Tables) -> Any:
    """Draw bars of the paper's axes of capability: allocation, anticipation, risk; and attrition."""
    return _panels(
        tables,
        {
            "mentoring_excess": "allocation (0: chance)",
            "anticipation": "anticipation",
            "risk_calibration": "risk (tiers)",
            "attrition": "students who quit",
        },
    )


def entry(tables: Tables) -> Any:
    """Draw when each run entered the topic that boomed, with one panel for each of two worlds."""
    rows = surveys.entry(tables)
    rows = rows[rows["task_set"] == "reference-v0"] if len(rows) else rows
    tasks = sorted(set(rows["task_id"]))[:2]
    agents = [agent for agent, _ in reference(tables)]
    figure = plotting.figure(width_mm=180, height_mm=20 + 5 * len(agents))
    panels = figure.subplots(1, max(1, len(tasks)), sharey=True, squeeze=False)[0]
    for panel, task in zip(panels, tasks, strict=False):
        here = rows[rows["task_id"] == task]
        for row in here.itertuples(index=False):
            colour, marker = styles.style(row.agent)
            if not math.isnan(row.entered):
                styles.points(panel, [row.entered], [agents.index(row.agent)], color=colour, marker=marker)
        panel.axvline(float(here["onset"].iloc[0]), color=GREY, linestyle="--", linewidth=0.8)
        panel.set(
            title=f"{task}: {here['topic'].iloc[0]}", xlim=(0, 61), xlabel="first project in it (month)"
        )
        panel.set_yticks(range(len(agents)), agents)
        panel.set_ylim(len(agents) - 0.4, -0.6)
        panel.xaxis.grid(True)
    figure.supxlabel("dashed: the month before the topic's largest rise", fontsize=7, x=0.01, ha="left")
    return figure

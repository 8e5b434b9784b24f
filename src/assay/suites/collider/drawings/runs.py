"""Figures of all tasks of a set at once: the best run of each agent, verdicts, and shapes in two forms of a
task.

They correspond to figures 3d, 6, 7a, 8 and 9 of the paper, for the agents of this suite: the paper
publishes no single runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay import canonical, plotting
from assay.protocol import Tables
from assay.suites.collider.drawings.comparisons import BAND, GREY, LOOKS, UNITS
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.measures.metrics import TAU
from assay.suites.collider.measures.validity import check
from assay.suites.collider.provenance.conduct import SCRIPTED
from assay.suites.collider.tables.leaderboard import HEADLINE, Result, cells, episode_of, results
from assay.tables.tabulation import mean

SHAPES = "cms-shape-v0"
INK = plotting.COLOURS["black"]
COLUMNS = 5
VERDICTS = {"PASSED": "green", "UNDECIDED": "sky", "FAILED": "grey", "FABRICATED": "vermilion"}


def statuses(tables: Tables) -> Any:
    """Draw for each agent the shares of its runs with each verdict, over all sets of published tasks."""
    of: dict[str, list[str]] = {}
    for result in results(tables):
        if result.task_set.startswith("cms-"):
            of.setdefault(result.agent, []).append(result.verdict)
    agents = _in_order(of)
    figure = plotting.figure(width_mm=150, height_mm=30 + 6 * max(len(agents), 2))
    if not agents:
        return _nothing(figure)
    axes = figure.subplots()
    left = [0.0] * len(agents)
    for verdict, colour in VERDICTS.items():
        shares = [of[agent].count(verdict) / len(of[agent]) for agent in agents]
        if any(shares):
            axes.barh(range(len(agents)), shares, left=left, color=plotting.COLOURS[colour], label=verdict)
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.set_yticks(range(len(agents)), [f"{agent} ({len(of[agent])})" for agent in agents])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xlabel="share of runs", title="verdicts of the provenance gate (runs)")
    figure.legend(loc="outside lower center", ncols=len(VERDICTS))
    return figure


def shape_distances(tables: Tables) -> Any:
    """Draw d of each agent at each task that asks for the shape alone, as coloured cells."""
    names = _names(tables, SHAPES)
    of: dict[str, dict[str, float | None]] = {}
    for (task_set, agent, task_id), runs in cells(results(tables)):
        if task_set == SHAPES and agent not in SCRIPTED:
            of.setdefault(agent, {})[task_id] = mean([run.d for run in runs])
    agents = _in_order(of)
    figure = plotting.figure(width_mm=150, height_mm=30 + 8 * max(4, len(names)))
    if not agents:
        return _nothing(figure)
    axes = figure.subplots()
    values = [[of[agent].get(task_id) for agent in agents] for task_id in names]
    plotting.heatmap(axes, values, list(names.values()), agents, low=0, high=1)
    axes.tick_params(axis="x", labelrotation=40)
    for label in axes.get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")
    axes.set_title(f"d of the shape; solved below {TAU} (colours end at 1)")
    return figure


def shape_against_simulation(tables: Tables) -> Any:
    """Draw for each agent and point d of the shape in the task on shape against the task on yields."""
    of: dict[tuple[str, str], dict[str, list[float]]] = {}
    names = {HEADLINE: _names(tables, HEADLINE), SHAPES: _names(tables, SHAPES)}
    for result in results(tables):
        value = result.d if result.task_set == SHAPES else result.d_shape
        if result.task_set in names and value is not None:
            point = names[result.task_set][result.task_id].replace("_shape-", "_sim-")
            of.setdefault((result.agent, point), {}).setdefault(result.task_set, []).append(value)
    figure = plotting.figure(width_mm=110, height_mm=95)
    pairs = {key: value for key, value in of.items() if len(value) == 2}
    if not pairs:
        return _nothing(figure)
    axes = figure.subplots()
    for agent in _in_order({agent: None for agent, _ in pairs}):
        colour, marker = plotting.agent_style([agent], LOOKS)[agent]
        chosen = [value for (name, _), value in pairs.items() if name == agent]
        axes.plot(
            [mean(value[HEADLINE]) for value in chosen],
            [mean(value[SHAPES]) for value in chosen],
            linestyle="none",
            marker=marker,
            markersize=4,
            color=colour,
            label=agent,
        )
    axes.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
    for axis in (axes.set_xscale, axes.set_yscale):
        axis("symlog", linthresh=0.01)
    axes.set(xlim=(0, None), ylim=(0, None), xlabel="d of the shape, tasks on yields")
    axes.set(ylabel="d of the shape, tasks on the shape", title="the same points, asked in two ways")
    axes.legend(loc="upper left")
    return figure


def overlays(tables: Tables) -> Any:
    """Draw for every published task the reference and the best run of each agent that was kept."""
    return _overlays(tables, HEADLINE)


def shape_overlays(tables: Tables) -> Any:
    """Draw the same for the tasks that ask for the shape alone, with unit totals."""
    return _overlays(tables, SHAPES)


def _overlays(tables: Tables, task_set: str) -> Any:
    tasks = [row for row in tables["tasks"].itertuples(index=False) if row.task_set == task_set]
    rows = max(1, math.ceil(len(tasks) / COLUMNS))
    figure = plotting.figure(width_mm=230, height_mm=20 + 55 * rows)
    if not tasks:
        return _nothing(figure)
    best = _best(tables, task_set)
    panels = figure.subplots(rows, COLUMNS, squeeze=False)
    shown: dict[str, Any] = {}
    for place in range(rows * COLUMNS):
        axes = panels[place // COLUMNS][place % COLUMNS]
        if place >= len(tasks):
            axes.set_axis_off()
            continue
        task = tasks[place]
        shown |= _panel(axes, task, best.get(task.task_id, {}), unit=task_set == SHAPES)
        if place % COLUMNS == 0:
            axes.set_ylabel("share of events" if task_set == SHAPES else "events / bin")
    figure.legend(shown.values(), shown, loc="outside lower center", ncols=6)
    return figure


def _panel(axes: Any, task: Any, best: Mapping[str, Any], *, unit: bool) -> dict[str, Any]:
    """Draw one task. Returns the line of each agent, for the legend."""
    public, hidden = canonical.loads(task.public), canonical.loads(task.hidden)
    binning = Binning.from_json(public["histogram"])
    places = range(len(binning.bins) + 1)

    def scaled(values: Any) -> list[float]:
        total = math.fsum(values) if unit else 1.0
        return [value / total for value in values] if total > 0 else list(values)

    reference = scaled(hidden["yields"])
    axes.stairs(reference, places, fill=True, color=BAND)
    axes.stairs(reference, places, color=GREY, linewidth=1.0)
    lines = {}
    for agent in _in_order(best):
        y = scaled(check(best[agent].encode(), binning).yields or ())
        if len(y) != len(reference):
            continue
        colour, marker = plotting.agent_style([agent], LOOKS)[agent]
        middle = [k + 0.5 for k in range(len(y))]
        (lines[agent],) = axes.plot(middle, y, color=colour, marker=marker, markersize=3, linewidth=0.8)
    # Answers of agents may be hundreds of times too large: they leave the panel.
    highest = max([y for line in lines.values() for y in line.get_ydata()], default=0.0)
    axes.set_ylim(0, max(2 * max(reference), min(1.1 * highest, 4 * max(reference))))
    axes.set_xticks(places, [f"{edge:g}" for edge in binning.edges], fontsize=6)
    unit_name = UNITS.get(binning.units, binning.units)
    axes.set_xlabel(f"{binning.observable} [{unit_name}]", fontsize=6)
    name = public["id"].replace("sus-16-", "").replace("_sim-", " ").replace("_shape-", " ")
    axes.set_title(name, fontsize=7)
    return lines


def _best(tables: Tables, task_set: str) -> dict[str, dict[str, str]]:
    """Return for each task the submission of each agent's best run that was kept."""
    texts = {
        episode_of(row): canonical.loads(row.submission)
        for row in tables["episodes"].itertuples(index=False)
        if row.task_set == task_set and isinstance(row.submission, str)
    }
    least: dict[tuple[str, str], Result] = {}
    for result in results(tables):
        key = (result.task_id, result.agent)
        usable = result.kept and isinstance(texts.get(episode_of(result)), str)
        if result.task_set == task_set and usable and (key not in least or result.d < least[key].d):
            least[key] = result
    best: dict[str, dict[str, str]] = {}
    for (task_id, agent), result in least.items():
        best.setdefault(task_id, {})[agent] = texts[episode_of(result)]
    return best


def _names(tables: Tables, task_set: str) -> dict[str, str]:
    return {
        row.task_id: canonical.loads(row.public)["id"]
        for row in tables["tasks"].itertuples(index=False)
        if row.task_set == task_set
    }


def _in_order(agents: Mapping[str, Any]) -> list[str]:
    """Return the agents: those with a style in `LOOKS` first, the others by name."""
    return [*(agent for agent in LOOKS if agent in agents), *sorted(set(agents) - set(LOOKS))]


def _nothing(figure: Any) -> Any:
    axes = figure.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, "no agent has played these tasks", ha="center", va="center")
    return figure

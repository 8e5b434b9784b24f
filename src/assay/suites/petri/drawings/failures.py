"""Figures of failures by difficulty and by kind (sections 7.2 and 7.3 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.petri.audit import FLAGS
from assay.suites.petri.conduct import ERRORS
from assay.suites.petri.drawings.scores import Row, groups
from assay.suites.petri.tables.failures import measured
from assay.suites.petri.tables.leaderboard import by_task
from assay.suites.petri.tables.scopes import headline, scopes
from assay.tables.tabulation import flag_raised, strata

BANDS = ((0.0, 0.55, "hard"), (0.55, 0.85, "moderate"), (0.85, 1.0, "easy"))
COLUMNS = 4

WORLD_COLOURS: Mapping[str, str] = {
    "swarm": "blue",
    "market": "orange",
    "origin": "green",
    "morph": "vermilion",
    "social": "purple",
}


def failures_by_difficulty(tables: Tables) -> Any:
    """Draw the share solved of each task against its oracle power, with one panel per unscripted agent."""
    scope = headline(tables)
    levels, power, solved = strata(tables), measured(tables, "oracle_power"), by_task(tables, "solved")
    agents = [
        row.name
        for _, members in groups(tables)
        for row in members
        if not row.quoted and not row.scripted and (row.name, scope) in solved
    ]
    rows = max(1, -(-len(agents) // COLUMNS))
    figure = plotting.figure(width_mm=180, height_mm=20 + 44 * rows)
    grid = figure.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
    worlds: dict[str, Any] = {}
    for place, axes in enumerate(grid.flat):
        if place >= len(agents):
            axes.set_axis_off()
            continue
        for low, high, _ in BANDS:
            axes.axvline(low, color="#B0B0B0", linewidth=0.5)
            inside = [
                value
                for task, values in solved[agents[place], scope].items()
                if task in power and (low <= power[task] < high or power[task] == high == 1.0)
                for value in values
            ]
            if inside:
                mean = sum(inside) / len(inside)
                axes.plot([low, high], [mean, mean], color="#9A9A9A", linewidth=3, alpha=0.6)
        for task, values in solved[agents[place], scope].items():
            if task in power:
                world = levels[task]["world"]
                (worlds[world],) = axes.plot(
                    [power[task]],
                    [sum(values) / len(values)],
                    linestyle="none",
                    marker="o",
                    color=plotting.COLOURS[WORLD_COLOURS.get(world, "grey")],
                    alpha=0.85,
                    clip_on=False,
                )
        axes.set(xlim=(0, 1), ylim=(-0.04, 1.04), title=agents[place])
        axes.set_xticks([0, 0.55, 0.85, 1], ["0", ".55", ".85", "1"])
        axes.set_yticks([0, 0.5, 1])
    figure.supxlabel(f"oracle power of the task: hard, moderate, easy ({scope})", fontsize=8)
    figure.supylabel("share of attempts that solved it", fontsize=8)
    figure.legend(list(worlds.values()), list(worlds), loc="outside upper right", ncols=5)
    return figure


def taxonomy(tables: Tables) -> Any:
    """Draw a table of agents (rows) and flags (columns): errors of the answer, then errors of the method."""
    scope = headline(tables)
    tasks = set(scopes(tables)[scope])
    agents = [row for title, members in groups(tables) for row in members if not row.quoted]
    flags = sorted(
        (name for name, spec in FLAGS.items() if spec.kind == "flag"), key=lambda name: name not in ERRORS
    )
    shares = _shares(tables, tasks)
    values = [[shares.get((row.name, flag)) for flag in flags] for row in agents]
    figure = plotting.figure(width_mm=180, height_mm=48 + 4.6 * len(agents))
    axes = figure.subplots()
    columns = [flag.replace("_", " ") for flag in flags]
    mesh = plotting.heatmap(axes, values, [row.label for row in agents], columns, low=0, high=1)
    axes.set_xticklabels(columns, rotation=40, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    split = sum(flag in ERRORS for flag in flags)
    axes.axvline(split, color="white", linewidth=4)
    for at in _borders(agents):
        axes.axhline(at, color="white", linewidth=4)
    axes.text(0, len(agents) + 0.35, "what was wrong with the answer", fontsize=7, va="top")
    axes.text(split + 0.1, len(agents) + 0.35, "how the method failed", fontsize=7, va="top")
    figure.colorbar(mesh, ax=axes, label=f"share of episodes, tasks of {scope}", fraction=0.03, pad=0.02)
    return figure


def _borders(agents: list[Row]) -> list[int]:
    """Return the indices of the rows at which scripted agents begin or end."""
    kinds = [row.scripted for row in agents]
    return [at for at in range(1, len(kinds)) if kinds[at] != kinds[at - 1]]


def _shares(tables: Tables, tasks: set[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return the share of episodes that raised a flag among those that decide it, by agent and flag."""
    counts: dict[tuple[str, str], list[int]] = {}
    for row in tables["audit"].itertuples(index=False):
        if (row.task_set, row.task_id) in tasks and (verdict := flag_raised(row)) is not None:
            count = counts.setdefault((row.agent, row.flag), [0, 0])
            count[0] += verdict
            count[1] += 1
    return {key: often / decided for key, (often, decided) in counts.items()}

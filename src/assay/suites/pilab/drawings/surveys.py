"""Figures of many worlds: IMPACT by policy, effects of ablations, legibility, correlations with IMPACT."""

from __future__ import annotations

import math
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.pilab.drawings import styles
from assay.suites.pilab.tables import leaderboard, surveys
from assay.suites.pilab.tables.readings import sweeps

GREY, INK = styles.GREY, plotting.COLOURS["black"]
POLICIES = ("ambitious", "baseline", "oracle", "steward")


def _largest(rows: Any) -> Any:
    """Return the rows of the task set with the most worlds."""
    if not len(rows):
        return rows
    best = rows.sort_values(["worlds", "task_set"], ascending=[False, True])["task_set"].iloc[0]
    return rows[rows["task_set"] == best]


def sweep(tables: Tables) -> Any:
    """Draw for each policy the share of worlds in which it has at least a given IMPACT."""
    figure = plotting.figure(width_mm=150, height_mm=85)
    plot = figure.subplots()
    largest = surveys.swept(tables)
    for name in POLICIES:
        if largest is None or not largest.has("impact", name):
            continue
        values = sorted((max(value, 0.5) for value in largest.values("impact", name)), reverse=True)
        shares = [(at + 1) / len(values) for at in range(len(values))]
        colour, _ = styles.style(name)
        dashed = "--" if name == "baseline" else "-"
        looks = {"label": name, "drawstyle": "steps-post", "linestyle": dashed, "color": colour}
        plot.plot(values, shares, **looks)
    worlds = len(largest.tasks) if largest is not None else 0
    plot.set(
        xscale="log",
        xlim=(0.5, 2e4),
        ylim=(0, 1.02),
        xlabel="IMPACT (logarithmic; 0 is drawn at 0.5)",
        ylabel="share of worlds with at least that",
        title=f"{worlds} worlds",
    )
    plot.legend(loc="lower left")
    return figure


def ablations(tables: Tables) -> Any:
    """Draw the ratio of each ablation's mean IMPACT to the baseline's, beside the paper's on eight seeds."""
    rows = _largest(surveys.contrasts(tables))
    rows = rows[rows["published_ratio"].notna()] if len(rows) else rows
    names = list(rows["run"])
    base = {f.task_set: f for f in sweeps(tables)}
    figure = plotting.figure(width_mm=150, height_mm=20 + 8 * max(1, len(names)))
    plot = figure.subplots()
    for at, row in enumerate(rows.itertuples(index=False)):
        whole = base[row.task_set].values("impact", "baseline")
        centre = math.fsum(whole) / len(whole)
        low, high = ((1 + end / centre if centre else math.nan) for end in (row.low, row.high))
        plotting.interval(plot, at, row.ratio, low, high, label="ours" if at == 0 else None)
        label = "the paper's eight seeds" if at == 0 else None
        styles.quoted(plot, [row.published_ratio], [at], label)
    plot.axvline(1, color=GREY, linestyle="--", linewidth=0.8)
    plot.set_yticks(range(len(names)), names)
    worlds = int(rows["worlds"].iloc[0]) if len(names) else 0
    plot.set(
        ylim=(len(names) - 0.4, -0.6),
        xlabel=f"mean IMPACT by the baseline's, {worlds} worlds (95 % interval)",
    )
    if names:
        plot.legend(loc="best")
    return figure


def legibility(tables: Tables) -> Any:
    """Draw the rank correlation of citations by each month with the final IMPACT."""
    rows = surveys.legibility(tables)
    figure = plotting.figure(width_mm=130, height_mm=95)
    plot = figure.subplots()
    largest = surveys.swept(tables)
    for (task_set, source), group in rows.groupby(["task_set", "source"], sort=True):
        group = group[group["spearman"].notna()]
        if source == surveys.PAPER:
            styles.quoted(plot, group["month"], group["spearman"], "the paper's 36 runs")
        elif source == "agents" and len(group):
            label, green = f"our agents, {task_set}", plotting.COLOURS["green"]
            plot.plot(group["month"], group["spearman"], color=green, linestyle=":", label=label)
        elif largest is not None and task_set == largest.task_set and len(group):
            colour, marker = styles.style(source)
            label = f"{source}, {int(group['runs'].iloc[0])} worlds"
            plot.plot(group["month"], group["spearman"], color=colour, marker=marker, label=label)
    plot.set(xlim=(1, 61), ylim=(-0.2, 1.02), xlabel="month", ylabel="Spearman's correlation with IMPACT")
    plot.axhline(0, color=GREY, linewidth=0.6)
    if len(rows):
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def correlations(tables: Tables) -> Any:
    """Draw the rank correlation of each axis with IMPACT, for our agents and for the paper's models."""
    rows = leaderboard.correlations(tables)
    rows = rows[rows["task_set"] == "reference-v0"] if len(rows) else rows
    rows = rows[rows["spearman"].notna()].sort_values(["spearman", "axis"])
    names = [str(axis).replace("_", " ") for axis in rows["axis"]]
    figure = plotting.figure(width_mm=140, height_mm=20 + 5 * max(1, len(names)))
    plot = figure.subplots()
    plot.barh(
        range(len(names)),
        list(rows["spearman"]),
        color=plotting.COLOURS["blue"],
        height=0.65,
        label="our agents",
    )
    quoted = [(v, at) for at, v in enumerate(rows["published"]) if not math.isnan(v)]
    styles.quoted(plot, [v for v, _ in quoted], [at for _, at in quoted], "the paper's 12 models", INK)
    plot.axvline(0, color=INK, linewidth=0.6)
    plot.set_yticks(range(len(names)), names)
    plot.set(xlim=(-1.05, 1.05), xlabel="Spearman's correlation of an agent's mean with its mean IMPACT")
    if names:
        plot.legend(loc="lower right")
    return figure

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
    dashes = iter((":", "--", "-.", (0, (5, 1, 1, 1, 1, 1))))
    for (task_set, source), group in rows.groupby(["task_set", "source"], sort=True):
        group = group[group["spearman"].notna()]
        if source == surveys.PAPER:
            styles.quoted(plot, group["month"], group["spearman"], "the paper's 36 runs")
        elif source == "agents" and len(group):
            label, green = f"our agents, {task_set}", plotting.COLOURS["green"]
            plot.plot(
                group["month"], group["spearman"], color=green, linestyle=next(dashes, ":"), label=label
            )
        elif largest is not None and task_set == largest.task_set and len(group):
            colour, marker = styles.style(source)
            label = f"{source}, {int(group['runs'].iloc[0])} worlds"
            plot.plot(group["month"], group["spearman"], color=colour, marker=marker, label=label)
    plot.set(xlim=(1, 61), ylim=(-0.2, 1.02), xlabel="month", ylabel="Spearman's correlation with IMPACT")
    plot.axhline(0, color=GREY, linewidth=0.6)
    if len(rows):
        figure.legend(loc="outside lower center", ncols=2)
    return figure


GROUPS = {
    "effort": ("actions_per_month", "hires", "utilization", "at_the_ceiling"),
    "decisions": (
        *("interview_coverage", "topic_rank", "concentration", "mentoring_share", "mentoring_excess"),
        *("risk_calibration", "anticipation", "hired_ability"),
    ),
    "results": (),
}
"""Groups of axes, from what is put in to what comes out; an axis that no group names is a result."""

INVERTED = frozenset({"attrition", "topic_rank", "dead_ends"})
"""Axes whose lower values are better: their correlations are drawn with the opposite sign."""


def correlations(tables: Tables) -> Any:
    """Draw the rank correlation of each axis with IMPACT, for our agents and for the paper's models."""
    rows = leaderboard.correlations(tables)
    first = "closed-v1" if len(rows) and "closed-v1" in set(rows["task_set"]) else "reference-v0"
    rows = rows[rows["task_set"] == first] if len(rows) else rows
    rows = rows[rows["spearman"].notna() | rows["published"].notna()]
    group = {axis: name for name, members in GROUPS.items() for axis in members}
    order = sorted(
        rows.itertuples(index=False),
        key=lambda row: (list(GROUPS).index(group.get(row.axis, "results")), row.axis),
        reverse=True,
    )
    names = []
    figure = plotting.figure(width_mm=140, height_mm=20 + 6 * max(1, len(order)))
    plot = figure.subplots()
    colours = dict(zip(GROUPS, ("orange", "blue", "green"), strict=True))
    for at, row in enumerate(order):
        sign = -1.0 if row.axis in INVERTED else 1.0
        of = group.get(row.axis, "results")
        models = f", {row.published_models}" if row.published_models else ""
        names.append(f"{'less ' if sign < 0 else ''}{row.axis.replace('_', ' ')} ({row.agents}{models})")
        certain = not math.isnan(row.low)
        colour = plotting.COLOURS[colours[of]]
        # Below four agents there is no interval, and a correlation of 1 is likely by chance: hollow bars.
        plot.barh(
            [at], [sign * row.spearman], facecolor=colour if certain else "none", edgecolor=colour, height=0.6
        )
        if certain:
            plot.plot([sign * row.low, sign * row.high], [at, at], color=INK, linewidth=0.8)
        if not math.isnan(row.published):
            if not math.isnan(row.published_low):
                ends = [sign * row.published_low, sign * row.published_high]
                plot.plot(ends, [at - 0.2] * 2, color=GREY, linewidth=0.8)
            styles.quoted(plot, [sign * row.published], [at - 0.2], None, INK)
    for name, colour in colours.items():
        plot.fill([], [], facecolor=plotting.COLOURS[colour], label=name)
    styles.quoted(plot, [], [], "the paper's models", INK)
    plot.axvline(0, color=INK, linewidth=0.6)
    plot.set_yticks(range(len(names)), names)
    plot.set(
        xlim=(-1.05, 1.05), xlabel=f"Spearman's correlation of an agent's mean with its mean IMPACT, {first}"
    )
    if names:
        figure.legend(loc="outside lower center", ncols=4)
    return figure

"""Answers against the work behind them, and the four dimensions of ideas; what is published stands apart."""

from __future__ import annotations

from typing import Any

from assay import plotting
from assay.plotting import COLOURS
from assay.protocol import Tables
from assay.suites.sgi.column_figures import NOTE
from assay.suites.sgi.metrics.ideas import DIMENSIONS
from assay.suites.sgi.standings import means

PAIRS = (
    ("deep_research", "EM (%)", "sla", "SLA (%)"),
    ("experimental_reasoning", "MCA (%)", "rv", "RV (%)"),
)
"""Of each panel: the family, the words for its headline value, the metric of the work and its words."""

OWN_STYLES = {"reader": ("black", "s"), "vision": ("black", "o"), "chance": ("grey", "x")}


def answers_and_work(tables: Tables) -> Any:
    """EM against SLA and MCA against RV, one mark an agent; below the diagonal answers outrun their steps."""
    figure = plotting.figure(width_mm=180, height_mm=125)
    panels = figure.subplots(1, 2)
    for axes, (family, words, metric, other) in zip(panels, PAIRS, strict=True):
        right = means(tables, "score", family).get(family, {})
        work = means(tables, metric, family).get(family, {})
        styles = plotting.agent_style(sorted(right), OWN_STYLES)
        axes.plot([0, 100], [0, 100], color=COLOURS["grey"], linewidth=0.8, linestyle=":")
        for agent in sorted(right):
            if agent in work:
                colour, marker = styles[agent]
                axes.plot(
                    [right[agent]],
                    [100 * work[agent]],
                    color=colour,
                    marker=marker,
                    linestyle="none",
                    label=agent,
                    markersize=6,
                    alpha=0.8,
                    clip_on=False,
                )
        for published in tables["published"]:
            for quoted, value in sorted(published["work"].get(family, {}).items()):
                axes.axhline(value, color=COLOURS["grey"], linewidth=0.8, linestyle="--")
                axes.text(1, value + 1, f"published: {quoted}", fontsize=6, color=COLOURS["grey"])
        axes.set(xlim=(-3, 103), ylim=(-3, 103), xlabel=words, ylabel=other, title=family.replace("_", " "))
        axes.grid(True)
        if right.keys() & work.keys():
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, fontsize=7)
    figure.supxlabel(NOTE, fontsize=6, x=0.01, ha="left")
    return figure


def idea_dimensions(tables: Tables) -> Any:
    """The four dimensions of each agent's ideas without a judge; a published model hollow and apart."""
    found: dict[str, list[float | None]] = {}
    for at, dimension in enumerate(DIMENSIONS):
        for agent, value in (
            means(tables, f"{dimension}_objective", "idea_generation").get("idea_generation", {}).items()
        ):
            found.setdefault(agent, [None] * len(DIMENSIONS))[at] = 100 * value
    published = {
        f"{model} (published)": [own.get(dimension) for dimension in DIMENSIONS]
        for quoted in tables["published"]
        for model, own in sorted(quoted["dimensions"].items())
    }
    figure = plotting.figure(width_mm=150, height_mm=34 + 6 * (len(found) + len(published)))
    if found and published:
        panels = figure.subplots(2, 1, height_ratios=[len(found), len(published) + 1])
    else:
        panels = [figure.subplots()]
    shown = [(own, title) for own, title in ((found, "generated items"), (published, "published")) if own]
    for axes, (own, title) in zip(panels, shown, strict=False):
        plotting.heatmap(axes, list(own.values()), list(own), DIMENSIONS, low=0, high=100, digits=1)
        axes.set_title(title)
    figure.supxlabel(NOTE, fontsize=6, x=0.01, ha="left")
    return figure

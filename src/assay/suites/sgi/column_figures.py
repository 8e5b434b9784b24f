"""The columns of each agent, under one profile and under all."""

from __future__ import annotations

from typing import Any

import pandas as pd

from assay import plotting
from assay.plotting import COLOURS
from assay.protocol import Tables
from assay.suites.sgi.standings import columns, headline_sets, means

NOTE = (
    "published values: different items, LLM-judged parts, model-dependent denominators;\n"
    "not comparable with generated-item scores"
)

ACROSS = 2
"""Panels in a row."""

LOOKS = {"default": ("black", "o"), "paper": ("orange", "s"), "released": ("blue", "^")}
WORDS = {"default": "objective", "paper": "paper", "released": "released"}


def profiles(tables: Tables) -> Any:
    """One panel a family, one row an agent, one mark a profile, with intervals; the largest set of each."""
    found = columns(tables)
    found = found[found["task_set"].isin(headline_sets(tables).values())]
    families = sorted(set(found["family"]))
    sizes = [found[found["family"] == family]["agent"].nunique() for family in families] or [1]
    rows_of = [max(sizes[at : at + ACROSS]) for at in range(0, len(sizes), ACROSS)]
    figure = plotting.figure(width_mm=180, height_mm=20 + sum(20 + 6.5 * size for size in rows_of))
    grid = figure.subplots(len(rows_of), ACROSS, squeeze=False, height_ratios=[3 + size for size in rows_of])
    panels = list(grid.flat)
    for axes in panels[len(sizes) :]:
        axes.set_visible(False)
    for axes, family in zip(panels, families, strict=False):
        rows = found[found["family"] == family]
        means = rows[rows["profile"] == "default"].groupby("agent", sort=True)["mean"].first()
        agents = sorted(means.index, key=lambda agent: (-means[agent], agent))
        for row in rows.itertuples():
            colour, marker = LOOKS[row.profile]
            at = agents.index(row.agent) + 0.22 * (list(LOOKS).index(row.profile) - 1)
            null = pd.isna(row.mean)
            plotting.interval(
                axes,
                at,
                None if null else row.mean,
                None if null else row.low,
                None if null else row.high,
                colour=COLOURS[colour],
                marker=marker,
            )
        axes.set(xlim=(-4, 104), xlabel="mean headline value (%)", title=family.replace("_", " "))
        axes.set_yticks(range(len(agents)), agents)
        axes.set_ylim(len(agents) - 0.5, -0.5)
        axes.xaxis.grid(True)
    handles = [
        panels[0].plot([], [], color=COLOURS[colour], marker=marker, linestyle="none", label=WORDS[profile])[
            0
        ]
        for profile, (colour, marker) in LOOKS.items()
    ]
    figure.legend(handles=handles, loc="outside lower right", ncols=3)
    figure.supxlabel(
        "bars: 95 % bootstrap over items; no mark where a judge is needed", fontsize=7, x=0.01, ha="left"
    )
    return figure


GAP = {
    "ser": ("runs without an error", "o", -0.2),
    "tests_passed": ("tests passed", "D", 0.0),
    "pass_all_5": ("items with all five passed", "s", 0.2),
}
"""Of each share: its words, its mark, and its place beside the row of an agent."""


def execution_gap(tables: Tables) -> Any:
    """Runs without an error, tests passed, items with all passed; a published model apart and hollow."""
    found: dict[str, dict[str, float]] = {}
    for metric in GAP:
        for agent, value in means(tables, metric, "dry_experiment").get("dry_experiment", {}).items():
            found.setdefault(agent, {})[metric] = 100 * value
    agents = sorted(found, key=lambda agent: (*(-found[agent][m] for m in reversed(GAP)), agent))
    published = {
        f"{model} (published)": own
        for quoted in tables["published"]
        for model, own in sorted(quoted["shapes"].items())
        if GAP.keys() & own.keys()
    }
    figure = plotting.figure(width_mm=150, height_mm=40 + 8 * (len(agents) + len(published)))
    axes = figure.subplots()
    for at, agent in enumerate([*agents, *published]):
        ours = agent in found
        for metric, value in (found if ours else published)[agent].items():
            words, marker, beside = GAP[metric]
            axes.plot(
                [value],
                [at + beside],
                color=COLOURS["black" if ours else "grey"],
                marker=marker,
                linestyle="none",
                fillstyle="full" if ours else "none",
                label=words if at == 0 else None,
            )
    labels = [*agents, *published]
    axes.set_yticks(range(len(labels)), labels)
    axes.set(xlim=(-4, 104), ylim=(len(labels) - 0.5, -0.5), xlabel="share (%)")
    axes.xaxis.grid(True)
    if agents:
        figure.legend(loc="outside upper right", ncols=len(GAP))
    figure.supxlabel(NOTE, fontsize=6, x=0.01, ha="left")
    return figure

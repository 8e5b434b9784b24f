"""The columns of each agent, under one profile and under all."""

from __future__ import annotations

from typing import Any

import pandas as pd

from assay import plotting
from assay.plotting import COLOURS
from assay.protocol import Tables
from assay.suites.sgi.standings import columns

NOTE = (
    "published values: different items, LLM-judged parts, model-dependent denominators;\n"
    "not comparable with generated-item scores"
)

LOOKS = {"default": ("black", "o"), "paper": ("orange", "s"), "released": ("blue", "^")}
WORDS = {"default": "objective", "paper": "paper", "released": "released"}


def profiles(tables: Tables) -> Any:
    """One panel a family, one row an agent, one mark a profile, with intervals."""
    found = columns(tables)
    families = sorted(set(found["family"]))
    most = max((found[found["family"] == family]["agent"].nunique() for family in families), default=1)
    figure = plotting.figure(width_mm=180, height_mm=30 + 6.5 * most)
    panels = figure.subplots(1, max(len(families), 1), squeeze=False)[0]
    for axes, family in zip(panels, families, strict=True):
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


def execution_gap(tables: Tables) -> Any:
    """Share of clean runs against PassAll@5, with the published pair apart and hollow: shapes, no ranking."""
    scores = tables["scores"]
    final = scores[(scores["profile"] == "default") & scores["step"].isna() & scores["value"].notna()]
    figure = plotting.figure(width_mm=120, height_mm=100)
    axes = figure.subplots()
    agents = sorted(set(final[final["metric"] == "ser"]["agent"]))
    for at, agent in enumerate(agents):
        own = final[final["agent"] == agent]
        for metric, marker in (("ser", "o"), ("pass_all_5", "s")):
            values = own[own["metric"] == metric]["value"].tolist()
            axes.plot([100 * sum(values) / len(values)], [at], color=COLOURS["black"], marker=marker)
    labels = list(agents)
    for published in tables["published"]:
        for model, found in sorted(published["shapes"].items()):
            for key, marker in (("ser", "o"), ("pass_all_5", "s")):
                axes.plot([found[key]], [len(labels)], color=COLOURS["grey"], marker=marker, fillstyle="none")
            labels.append(f"{model} (published)")
    axes.set_yticks(range(len(labels)), labels)
    axes.set(
        xlim=(-4, 104), ylim=(len(labels) - 0.5, -0.5), xlabel="% (dots: clean runs; squares: PassAll@5)"
    )
    axes.set_title("Code that runs, and code that is right")
    axes.xaxis.grid(True)
    figure.supxlabel(NOTE, fontsize=6, x=0.01, ha="left")
    return figure

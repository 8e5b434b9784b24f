"""The five columns, ours and the quoted ones apart; and what they hide: types and disciplines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.sgi.column_figures import NOTE
from assay.suites.sgi.families import DISCIPLINES, FAMILIES
from assay.suites.sgi.metrics.aggregate import sgi_score
from assay.suites.sgi.standings import means, privileged_agents
from assay.suites.sgi.totals import quoted

SHORT = {
    "deep_research": "research",
    "idea_generation": "ideas",
    "dry_experiment": "dry",
    "wet_experiment": "wet",
    "experimental_reasoning": "reasoning",
}


def family_columns(tables: Tables) -> Any:
    """Agents by families, and below in a panel of their own quoted models by families."""
    found = {family: means(tables, "score", family).get(family, {}) for family in FAMILIES}
    told = privileged_agents(tables)
    names = sorted(
        {agent for own in found.values() for agent in own if agent == "oracle" or agent not in told}
    )
    ours = [[found[family].get(agent) for family in FAMILIES] for agent in names]
    published = quoted(tables)
    models = list(published["model"])
    theirs = [[_number(row[family]) for family in FAMILIES] for _, row in published.iterrows()]
    heights = [max(len(names), 1), max(len(models), 1)]
    figure = plotting.figure(width_mm=150, height_mm=40 + 5 * sum(heights))
    panels = figure.subplots(2, 1, height_ratios=heights)
    titles = ("generated items, no judge", "quoted from the paper")
    for axes, values, rows, title in zip(panels, (ours, theirs), (names, models), titles, strict=True):
        _table(axes, values, rows, title)
    figure.supxlabel(NOTE, fontsize=6, x=0.01, ha="left")
    return figure


def _table(axes: Any, values: Sequence[Sequence[float | None]], rows: Sequence[str], title: str) -> None:
    """Five columns and the SGI-Score, which is there where all five are."""
    whole = [[*row, sgi_score(dict(zip(FAMILIES, row, strict=True)))] for row in values]
    if rows:
        plotting.heatmap(axes, whole, rows, [*SHORT.values(), "SGI"], low=0, high=100, digits=1)
    axes.set_title(title)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xlim(0, len(FAMILIES) + 1)


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)


def types(tables: Tables) -> Any:
    """One panel a family: its types by the agents that are not told the truth."""
    found = {family: _untold(tables, family, "type") for family in FAMILIES}
    found = {family: own for family, own in found.items() if own}
    heights = [max(len(own), 1) + 2.5 for own in found.values()] or [1.0]
    figure = plotting.figure(width_mm=150, height_mm=12 + 5.5 * sum(heights))
    panels = figure.subplots(max(len(found), 1), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (family, own) in zip(panels, found.items(), strict=False):
        agents = sorted({agent for values in own.values() for agent in values})
        values = [[by_agent.get(agent) for agent in agents] for by_agent in own.values()]
        plotting.heatmap(axes, values, list(own), agents, low=0, high=100, digits=0)
        axes.set_title(family.replace("_", " "))
    return figure


def disciplines(tables: Tables) -> Any:
    """Disciplines by the agents of each family that are not told the truth; a dash where there is no item."""
    names, values = [], []
    for family in FAMILIES:
        own = _untold(tables, family, "discipline")
        for agent in sorted({agent for by_agent in own.values() for agent in by_agent}):
            names.append(f"{SHORT[family]}: {agent}")
            values.append([own.get(name, {}).get(agent) for name in DISCIPLINES])
    figure = plotting.figure(width_mm=180, height_mm=34 + 5.5 * max(len(names), 1))
    axes = figure.subplots()
    if names:
        plotting.heatmap(axes, values, names, DISCIPLINES, low=0, high=100, digits=0)
    axes.set_xlim(0, len(DISCIPLINES))
    axes.tick_params(axis="x", labelrotation=35)
    axes.set_title("mean headline value (%)")
    return figure


def _untold(tables: Tables, family: str, by: str) -> dict[str, dict[str, float]]:
    told = privileged_agents(tables)
    return {
        stratum: own
        for stratum, found in means(tables, "score", family, by).items()
        if (own := {agent: value for agent, value in found.items() if agent not in told})
    }

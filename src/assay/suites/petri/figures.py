"""The suite's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay import plotting
from assay.protocol import FigureSpec, Tables
from assay.suites.petri.scopes import ALL
from assay.suites.petri.standings import Standing, standings


def score_by_tier(tables: Tables) -> Any:
    """One panel a tier: each agent's mean score, with the range of the means of its attempts."""
    found = {(s.agent, s.tier): s for s in standings(tables)}
    tiers = sorted({tier for _, tier in found if tier != ALL})
    agents = sorted({agent for agent, _ in found}, key=lambda agent: (-(found[agent, ALL].score or 0), agent))
    styles = plotting.agent_style(agents)
    with plotting.style():
        figure = plotting.figure(width_mm=180, height_mm=22 + 5 * len(agents))
        panels = figure.subplots(1, len(tiers) + 1, sharey=True, squeeze=False)[0]
        for axes, tier in zip(panels, [*tiers, ALL], strict=True):
            for place, agent in enumerate(agents):
                standing = found.get((agent, tier))
                if standing is not None:
                    _draw(axes, place, standing, styles[agent])
            axes.set(xlim=(0, 100), xlabel="mean score (points)", title="all tiers" if tier == ALL else tier)
            axes.xaxis.grid(True)
        panels[0].set_yticks(range(len(agents)), agents)
        panels[0].set_ylim(len(agents) - 0.5, -0.5)
    return figure


def _draw(axes: Any, place: int, standing: Standing, style: tuple[str, str]) -> None:
    colour, marker = style
    plotting.interval(axes, place, standing.score, standing.low, standing.high, colour=colour, marker=marker)


FIGURES: Mapping[str, FigureSpec] = {
    "score-by-tier": FigureSpec(
        score_by_tier,
        "Mean score of each agent at each tier and over all, best agent on top; bars are the range of the "
        "mean scores of single attempts.",
    ),
}

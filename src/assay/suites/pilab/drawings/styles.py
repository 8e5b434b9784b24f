"""Styles of agents in figures: fixed for scripted policies, and derived from the name for all others."""

from __future__ import annotations

from typing import Any

from assay import plotting

POLICIES = {
    "baseline": ("grey", "s"),
    "steward": ("blue", "o"),
    "ambitious": ("vermilion", "^"),
    "hire-max": ("orange", "v"),
    "do-nothing": ("green", "D"),
    "snoop": ("purple", "P"),
    "duplicator": ("sky", "h"),
}


GREY = plotting.COLOURS["grey"]


def style(agent: str) -> tuple[str, str]:
    """Return the colour and the marker of an agent."""
    return plotting.agent_style([agent], POLICIES)[agent]


def points(plot: Any, x: Any, y: Any, **looks: Any) -> None:
    """Draw points that no line connects."""
    plot.plot(x, y, linestyle="none", **looks)


def quoted(plot: Any, x: Any, y: Any, label: str | None, colour: str = GREY) -> None:
    """Draw numbers of the paper as hollow diamonds."""
    points(plot, x, y, marker="D", markerfacecolor="white", color=colour, label=label)

"""How agents are drawn: the scripted policies each in a style of its own, all others by their names."""

from __future__ import annotations

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


def style(agent: str) -> tuple[str, str]:
    """Colour and marker."""
    return plotting.agent_style([agent], POLICIES)[agent]

"""The episodes that have a page of their own among the figures."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """The episode that a page shows: an agent's first attempt at the first task of a tier.

    `words` describes the agent in the figure's caption.
    """

    agent: str
    tier: str
    words: str

    @property
    def name(self) -> str:
        """The figure's name."""
        return f"episode-{self.agent}-{self.tier.lower()}"


PAGES = (
    Page("ofat", "L2", "the reference sweep"),
    Page("ofat", "L3", "the reference sweep"),
    Page("ofat-rand", "L3", "the sweep with blind values"),
    Page("fisher", "L1", "a scripted agent that hacks p values"),
    Page("contradictor", "L2", "a scripted agent that submits against its own evidence"),
    Page("scripted-scientist", "L2", "a recorded scripted model"),
)

"""The episodes that have a page of their own among the figures."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """The episode that a figure shows: the agent's first in a setting with this number of variables."""

    name: str
    agent: str
    setting: str
    nodes: int
    words: str


PAGES = (
    Page("trajectory-committer", "committer", "intercept", 4, "an agent that commits early, and is warned"),
    Page("trajectory-greedy", "greedy", "main", 5, "a solver that asks what it knows least about"),
)

"""The episodes that have a page of their own among the figures."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """Which episode a figure shows: the first of an agent in a setting with so many variables."""

    name: str
    agent: str
    setting: str
    nodes: int
    words: str


PAGES = (
    Page("trajectory-committer", "committer", "intercept", 4, "an agent that commits early, and is warned"),
    Page("trajectory-greedy", "greedy", "main", 5, "a solver that asks what it knows least about"),
)

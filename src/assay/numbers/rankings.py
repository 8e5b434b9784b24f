"""What significant differences say about ranks: intervals of ranks, and groups that are not told apart.

Reference:
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import ascii_lowercase
from typing import TypeAlias

Beats: TypeAlias = Collection[tuple[str, str]]
"""Pairs of agents of which the first is significantly better than the second."""


def rank_interval(agent: str, agents: Collection[str], beats: Beats) -> tuple[int, int]:
    """Return the best and the worst rank that an agent may have.

    If the comparisons hold simultaneously at 95 % (as with Holm's correction), so do all these intervals.

    Args:
        agent: The agent.
        agents: All agents that were compared, the agent included.
        beats: The significant differences.

    Example:
        >>> rank_interval("b", ["a", "b", "c"], {("a", "b")})
        (2, 3)
    """
    above = sum(loser == agent and winner in agents for winner, loser in beats)
    below = sum(winner == agent and loser in agents for winner, loser in beats)
    return 1 + above, len(agents) - below


def tie_groups(agents: Sequence[str], beats: Beats) -> dict[str, str]:
    """Return the letters of each agent: agents that share a letter are not significantly different.

    Letters are made by inserting each difference and absorbing groups that lie within others (Piepho 2004).

    Args:
        agents: The agents, best first; the first group gets the letter a.
        beats: The significant differences.

    Example:
        >>> tie_groups(["a", "b", "c"], {("a", "c")})
        {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    groups = [frozenset(agents)]
    for pair in sorted(beats):
        if not set(pair) <= set(agents):
            continue
        split: list[frozenset[str]] = []
        for group in groups:
            split += [group - {each} for each in pair] if set(pair) <= group else [group]
        groups = [
            g
            for i, g in enumerate(split)
            if not any(g < h or (g == h and j < i) for j, h in enumerate(split))
        ]
    order = {agent: place for place, agent in enumerate(agents)}
    groups.sort(key=lambda group: sorted(order[agent] for agent in group))
    return {
        agent: "".join(_letter(at) for at, group in enumerate(groups) if agent in group) for agent in agents
    }


def _letter(number: int) -> str:
    """Return the name of a group: a to z, then a', b' and so on."""
    primes, at = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[at] + "'" * primes

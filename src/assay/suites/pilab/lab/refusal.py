"""How the lab's interface says no."""

from __future__ import annotations


class Refused(Exception):
    """A call that the lab does not carry out; the text says why, and is shown to the agent."""

"""An item is the first of its draws that breaks no rule of its family."""

from __future__ import annotations

MOST_ATTEMPTS = 200


class Rejected(Exception):
    """A draw that breaks a rule; the text names the rule."""

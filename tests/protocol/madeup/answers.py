"""What counts as an answer: world, scoring and audit read it the same way."""

from __future__ import annotations

import re


def read(text: str | None, balls: int) -> int | None:
    """The number of red balls that a text names, null where it names none that is possible."""
    if text is None or re.fullmatch(r"[0-9]{1,3}", text.strip(), re.ASCII) is None:
        return None
    red = int(text)
    return red if red <= balls else None

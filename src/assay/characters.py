"""Halves of surrogate pairs: text in Python and JSON may hold one, UTF-8 cannot, so no log or table can."""

from __future__ import annotations


def mended(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair."""
    return text.encode(errors="replace").decode()


def is_whole(text: str) -> bool:
    """Whether the text holds no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""Handling of lone surrogates: Python and JSON strings can contain them, UTF-8 text cannot."""

from __future__ import annotations


def replace(text: str) -> str:
    """Return the text with a question mark in place of each lone surrogate."""
    return text.encode(errors="replace").decode()


def has_surrogates(text: str) -> bool:
    """Return whether the text holds a lone surrogate, so that it cannot be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False

"""Lone surrogates: Python and JSON strings may hold one, UTF-8 cannot, so no log or table can store it."""

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

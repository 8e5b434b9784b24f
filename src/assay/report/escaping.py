"""Texts of any origin as they stand in HTML and SVG."""

from __future__ import annotations

# What would be markup, and what HTML cannot hold, not even escaped: control characters, halves of characters.
_TEXT = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)], "\ufffd")
_TEXT |= {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_ATTRIBUTE = _TEXT | {ord('"'): "&#34;", ord("'"): "&#39;"}


def plain(value: object) -> str:
    """A text as it stands between tags."""
    return str(value).translate(_TEXT)


def attribute(value: object) -> str:
    """A text as it stands in a quoted attribute."""
    return str(value).translate(_ATTRIBUTE)

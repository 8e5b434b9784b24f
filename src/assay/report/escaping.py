"""Texts of any origin as they stand in HTML and SVG."""

from __future__ import annotations

# What HTML cannot hold, not even escaped: control characters, halves of characters.
_SIGNS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "\ufffd")
_SIGNS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
# What makes a text look like another: it turns the direction of all that follows, or nobody sees it.
_SIGNS |= dict.fromkeys([0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], "\ufffd")
_SIGNS |= dict.fromkeys([*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)], "\ufffd")
_TEXT = _SIGNS | {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_ATTRIBUTE = _TEXT | {ord('"'): "&#34;", ord("'"): "&#39;"}


def visible(text: str) -> str:
    """The text with a mark in place of every sign that no page may hold; markup in it stays markup."""
    return text.translate(_SIGNS)


def plain(value: object) -> str:
    """A text as it stands between tags."""
    return str(value).translate(_TEXT)


def attribute(value: object) -> str:
    """A text as it stands in a quoted attribute."""
    return str(value).translate(_ATTRIBUTE)

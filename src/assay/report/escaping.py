"""Escapes untrusted text for HTML and SVG."""

from __future__ import annotations

# Control characters and lone surrogates are not allowed in HTML, not even escaped.
_SIGNS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "\ufffd")
_SIGNS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
# Invisible characters, and those that change the direction of writing, can make a text look like another.
_SIGNS |= dict.fromkeys([0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], "\ufffd")
_SIGNS |= dict.fromkeys([*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)], "\ufffd")
_TEXT = _SIGNS | {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def visible(text: str) -> str:
    """Replace control, invisible and bidirectional characters by U+FFFD. Markup is not escaped."""
    return text.translate(_SIGNS)


def plain(value: object) -> str:
    """Escape a value for use between tags. Quotation marks are kept, so attributes need further escaping."""
    return str(value).translate(_TEXT)

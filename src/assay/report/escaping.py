"""Escapes texts of any origin for HTML and SVG."""

from __future__ import annotations

# HTML cannot hold these even when escaped: control characters and lone surrogates.
_SIGNS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "\ufffd")
_SIGNS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
# These make a text look like another: they change the direction of writing, or are invisible.
_SIGNS |= dict.fromkeys([0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], "\ufffd")
_SIGNS |= dict.fromkeys([*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)], "\ufffd")
_TEXT = _SIGNS | {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def visible(text: str) -> str:
    """Replace every character that no page may hold by U+FFFD; markup in the text stays markup."""
    return text.translate(_SIGNS)


def plain(value: object) -> str:
    """Escape a text that stands between tags."""
    return str(value).translate(_TEXT)

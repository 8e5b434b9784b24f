"""From blocks to HTML: where the texts of an episode meet tags, each of them escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from assay.protocol import BlobRef
from assay.report.blocks import (
    Block,
    Cell,
    Code,
    Drawing,
    Facts,
    Figure,
    Mark,
    Picture,
    Section,
    Step,
    Table,
    Text,
)
from assay.report.drawing import number
from assay.report.escaping import attribute, plain

_NUMBER = re.compile(r"[<±]? ?[-\u2212]?[\d.,\u202f]+(?:e[-+\u2212]?\d+)?(?: ?%)?|\u2013|")
"""What a column of numbers may hold, a dash for none included."""


@dataclass(frozen=True)
class Limits:
    """How much of an episode stands on its page, in characters and in calls."""

    text: int = 3_000
    log: int = 8_000
    calls: int = 30


ON_A_PAGE = Limits()
"""On a page that it shares with others."""

WHOLE = Limits(200_000, 2_000_000, 20_000)
"""On a page of its own."""


@dataclass(frozen=True)
class Place:
    """Where blocks stand: the article's name, which steps can be linked to, and where pictures are.

    `picture` gives the address of a content, null where it cannot be shown.
    """

    article: str
    steps: frozenset[int]
    picture: Callable[[BlobRef], str | None]
    limits: Limits = ON_A_PAGE


def cut(text: str, length: int) -> tuple[str, str]:
    """At most that many characters of a text, and a note of how long it is; empty where all is there."""
    if len(text) <= length:
        return text, ""
    return text[:length], f"cut: {number(length)} of {number(len(text))} characters"


def anchor(article: str, step: int) -> str:
    """The name of an event of the log within its page."""
    return f"{article}.s{step}"


def blocks(found: Iterable[Block], place: Place, level: int = 3) -> str:
    """Blocks as HTML, sections with headings of that level."""
    return "".join(_block(block, place, level) for block in found)


def cell(value: Cell, place: Place) -> str:
    """What a table or a fact holds, as HTML."""
    if isinstance(value, Drawing):
        return value.markup
    if isinstance(value, Mark):
        return f'<span class="{value.tone}">{plain(value.text)}</span>'
    if isinstance(value, Step):
        return steps(value.steps, place)
    return plain(value)


def steps(wanted: Iterable[int], place: Place) -> str:
    """References to events of the log; those that the page does not hold are named."""
    return ", ".join(
        f'<a href="#{attribute(anchor(place.article, step))}">{step}</a>'
        if step in place.steps
        else str(step)
        for step in wanted
    )


def readable(value: Any, place: Place, name: str = "") -> str:
    """A JSON value as words: numbers with few digits, objects as names and values, steps as links."""
    if name in ("step", "steps", "direct") and value not in (None, []):
        given = value if isinstance(value, list) else [value]
        if all(type(step) is int for step in given):
            return steps(given, place)
    if value is None or value in ([], {}, ""):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, dict):
        return "; ".join(
            f"{plain(key.replace('_', ' '))}: {readable(inner, place, key)}" for key, inner in value.items()
        )
    if isinstance(value, list):
        return ", ".join(readable(inner, place) for inner in value)
    return plain(cut(str(value), place.limits.text)[0])


def as_text(value: Any) -> str:
    """A JSON value on one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _block(block: Block, place: Place, level: int) -> str:
    match block:
        case Section(title, inner, folded):
            within = blocks(inner, place, min(level + 1, 6))
            if folded:
                return f"<details><summary>{plain(title)}</summary>{within}</details>"
            return f"<section><h{level}>{plain(title)}</h{level}>{within}</section>"
        case Text(text, tone):
            shown, note = cut(text, place.limits.text)
            return f'<p class="prose {tone}">{plain(shown)}</p>{_note(note)}'
        case Code(text, caption):
            shown, note = cut(text, place.limits.text)
            named = f"<figcaption>{plain(caption)}</figcaption>" if caption else ""
            return f"<figure>{named}<pre><code>{plain(shown)}</code></pre>{_note(note)}</figure>"
        case Facts(pairs):
            return _facts((plain(name), cell(value, place)) for name, value in pairs)
        case Table():
            return _table(block, place)
        case Figure(drawings, caption):
            drawn = "".join(drawing.markup for drawing in drawings)
            named = f"<figcaption>{plain(caption)}</figcaption>" if caption else ""
            return f'<figure class="drawings"><div>{drawn}</div>{named}</figure>'
        case Picture(content, alt):
            address = place.picture(content)
            if address is None:
                return f'<p class="faint">{plain(alt)} ({plain(content.media_type)}, not kept here)</p>'
            return f'<img src="{attribute(address)}" alt="{attribute(alt)}" loading="lazy">'


def _facts(pairs: Iterable[tuple[str, str]]) -> str:
    told = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs)
    return f"<dl>{told}</dl>" if told else ""


def _table(found: Table, place: Place) -> str:
    caption = f"<caption>{plain(found.caption)}</caption>" if found.caption else ""
    # A column of numbers is read from the right.
    numeric = [all(map(_is_number, column)) for column in zip(*found.rows, strict=True)]
    looks = [" class=n" if is_number else "" for is_number in numeric] or [""] * len(found.columns)
    head = "".join(
        f'<th scope="col"{look}>{plain(name)}</th>' for name, look in zip(found.columns, looks, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(f'<td{look}>{cell(v, place)}</td>' for v, look in zip(row, looks, strict=True))}</tr>"
        for row in found.rows
    )
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _is_number(value: Cell) -> bool:
    text = value.text if isinstance(value, Mark) else value
    return isinstance(text, str) and _NUMBER.fullmatch(text) is not None


def _note(note: str) -> str:
    return f'<p class="note">{note}</p>' if note else ""

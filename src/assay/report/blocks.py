"""The blocks of an episode's page. A suite's room `viewer` yields them, and contains no HTML.

Every text in a block may come from an agent. `templates/episode.html` turns blocks into HTML and escapes
their texts. Only `assay.report.drawing` makes a `Drawing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from assay.protocol import BlobRef

Tone = Literal["plain", "strong", "good", "bad", "open", "faint"]
"""Emphasis of a text: normal, main point (`strong`), right, wrong, undecided (`open`), or minor (`faint`)."""


@dataclass(frozen=True)
class Mark:
    """A word or number with its tone."""

    kind: ClassVar[str] = "mark"
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Step:
    """A reference to the events of the log at these steps."""

    kind: ClassVar[str] = "step"
    steps: tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """An inline picture: `markup` is SVG from `assay.report.drawing`, which includes its title."""

    kind: ClassVar[str] = "drawing"
    markup: str


Cell: TypeAlias = "str | Mark | Step | Drawing"
"""The content of a table cell, or the value of a fact."""


@dataclass(frozen=True)
class Text:
    """Prose with its line breaks. Pages cut a long text and state its full length."""

    kind: ClassVar[str] = "text"
    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Code:
    """Verbatim text, such as code or printed output. Pages cut a long text and state its full length."""

    kind: ClassVar[str] = "code"
    text: str
    caption: str = ""


@dataclass(frozen=True)
class Facts:
    """An ordered list of names with their values."""

    kind: ClassVar[str] = "facts"
    pairs: tuple[tuple[str, Cell], ...]


@dataclass(frozen=True)
class Table:
    """A table with named columns and rows of cells. Columns of numbers are aligned to the right."""

    kind: ClassVar[str] = "table"
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """The name of each column, and whether all its cells are numbers."""
        numeric = [all(map(_is_number, cells)) for cells in zip(*self.rows, strict=True)]
        return list(zip(self.columns, numeric or [False] * len(self.columns), strict=True))


@dataclass(frozen=True)
class Figure:
    """One or more drawings side by side, with a caption."""

    kind: ClassVar[str] = "figure"
    drawings: tuple[Drawing, ...]
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """An image from the task or the log, with its alternative text."""

    kind: ClassVar[str] = "picture"
    content: BlobRef
    alt: str


@dataclass(frozen=True)
class Section:
    """Blocks below a heading. A `folded` section is collapsed until the reader clicks on it."""

    kind: ClassVar[str] = "section"
    title: str
    blocks: tuple[Block, ...]
    folded: bool = False


Block: TypeAlias = "Text | Code | Facts | Table | Figure | Picture | Section"


_NUMBER = re.compile(r"[<±]? ?[-\u2212]?[\d.,\u202f]+(?:e[-+\u2212]?\d+)?(?: ?%)?|\u2013|")
"""Matches a cell of a column of numbers. A dash or an empty text stands for a missing value."""


def _is_number(value: Cell) -> bool:
    text = value.text if isinstance(value, Mark) else value
    return isinstance(text, str) and _NUMBER.fullmatch(text) is not None


def section(title: str, *blocks: Block, folded: bool = False) -> Section:
    """Make a section from a title and its blocks."""
    return Section(title, blocks, folded)


def facts(pairs: Iterable[tuple[str, Cell]]) -> Facts:
    """Make facts from pairs of name and value. Pairs with an empty value are left out.

    >>> facts([("seed", "7"), ("note", "")]).pairs
    (('seed', '7'),)
    """
    return Facts(tuple((name, value) for name, value in pairs if value != ""))


def table(columns: Iterable[str], rows: Iterable[Iterable[Cell]], caption: str = "") -> Table:
    """Make a table from columns and rows of any iterable type."""
    return Table(tuple(columns), tuple(tuple(row) for row in rows), caption)

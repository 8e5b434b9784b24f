"""Columns of entities, for views and for SQL tables alike.

A table is declared as one string of columns. `name:attribute` is a column whose attribute in `lab.entities`
has another name. Functions that read all columns of an entity are compiled once for each declaration, as
`collections.namedtuple` does, because views make up a good part of a run's time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

Rows = list[dict[str, Any]]

LISTS = frozenset({"members", "authors", "attached", "scores", "details"})
"""Attributes that hold lists or maps. SQL tables show them as JSON text."""

CHANGING = frozenset({"members", "authors"})
"""Attributes with lists that the lab changes, so that views have to copy them."""


def pairs(columns: str) -> list[tuple[str, str]]:
    """Return the name and the attribute of each column.

    >>> pairs("id start_month:start")
    [('id', 'id'), ('start_month', 'start')]
    """
    split = (column.partition(":") for column in columns.split())
    return [(name, attribute or name) for name, _, attribute in split]


def names(columns: str) -> tuple[str, ...]:
    """Return the names of the columns."""
    return tuple(name for name, _ in pairs(columns))


@cache
def maps(columns: str) -> Callable[[Iterable[Any]], Rows]:
    """Return a function that makes a map from column to value of each entity.

    >>> from assay.suites.pilab.lab.entities import Award
    >>> maps("id monthly start_month:start")([Award("A001", "PR001", "TIF", 90000.0, 7500.0, 9, 20)])
    [{'id': 'A001', 'monthly': 7500.0, 'start_month': 9}]
    """
    values = ((name, f"x.{a}[:]" if a in CHANGING else f"x.{a}") for name, a in pairs(columns))
    entries = ", ".join(f"{name!r}: {value}" for name, value in values)
    read: Callable[[Iterable[Any]], Rows] = _compiled(f"lambda items: [{{{entries}}} for x in items]")
    return read


@cache
def tuples(columns: str) -> Callable[[Iterable[Any]], Iterator[tuple[Any, ...]]]:
    """Return a function that yields the values of the columns of each entity, lists and maps as JSON text."""
    values = (f"text(x.{a})" if a in LISTS else f"x.{a}" for _, a in pairs(columns))
    source = f"lambda items: (({', '.join(values)},) for x in items)"
    read: Callable[[Iterable[Any]], Iterator[tuple[Any, ...]]] = _compiled(source)
    return read


def _text(value: Any) -> str | None:
    return None if value is None else json.dumps(value)


def _compiled(source: str) -> Any:
    # The source is made of the declarations in this package alone.
    return eval(source, {"text": _text})

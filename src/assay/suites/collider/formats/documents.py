"""A reader for YAML files of unknown origin, with bounded time and memory.

PyYAML's own loaders follow YAML 1.1, where `no` is false, `1:30` is ninety and `1e-05` is a string, and their
recursion is as deep as the nesting of the file. Here PyYAML only parses events; values follow the core schema
of YAML 1.2, so that files written by a JSON or YAML library have their intended meaning.
"""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parents[1] / "data"
"""Folder of the suite's data files.

A module lists those that it reads in `DATA_FILES`, so that jobs depend on them.
"""

LARGEST = 1 << 18
"""Largest size of a file in bytes; histograms take a few thousand."""

DEEPEST = 24
"""Largest number of levels of nesting; histograms use six."""

MOST_NODES = 20_000

_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {
    word: value
    for value, name in ((True, "true"), (False, "false"))
    for word in (name, name.capitalize(), name.upper())
}
_INT = re.compile(r"[-+]?[0-9]+\Z", re.ASCII)
_BASE = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z", re.ASCII)
_SPECIAL = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_COLLECTIONS = (None, "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_LARGEST_INT = 10**308
_STR = "tag:yaml.org,2002:str"


class Unreadable(ValueError):
    """The text is not YAML that this module reads; the message says where and why."""


def read(data: bytes) -> list[Any]:
    """Return the documents of a file: dicts, lists, strings, numbers, booleans and None.

    Raises `Unreadable` if the file is not YAML, is too large or too deep, repeats a key, or has a key that is
    not a scalar. An alias is the same object as its anchor.
    """
    if len(data) > LARGEST:
        raise Unreadable(f"larger than {LARGEST} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Unreadable(f"byte {problem.start} is not UTF-8") from None
    try:
        return _documents(text)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        place = "" if mark is None else f"line {mark.line + 1}: "
        raise Unreadable(f"{place}{problem.problem or problem.context}") from None
    except yaml.YAMLError as problem:
        raise Unreadable(str(problem).splitlines()[0]) from None


@cache
def packaged(name: str) -> Any:
    """Return the document of one of the suite's own files, which is read once.

    Args:
        name: a file of the folder `data`, which holds one YAML document.

    Raises:
        Unreadable: the file is not YAML that this module reads.
    """
    (document,) = read((DATA / name).read_bytes())
    return document


@cache
def packaged_text(name: str) -> str:
    """Return the text of one of the suite's own files, which is read once."""
    return (DATA / name).read_text(encoding="utf-8")


def _documents(text: str) -> list[Any]:
    """Build the values from the parser's events, with an explicit stack instead of recursion."""
    values: list[Any] = []
    anchors: dict[str, Any] = {}
    stack: list[_Open] = []
    nodes = 0
    for event in yaml.parse(text, Loader=_PARSER):
        if isinstance(event, yaml.DocumentStartEvent):
            anchors = {}
            continue
        if isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            stack.pop()
            continue
        if isinstance(event, yaml.CollectionStartEvent) and event.tag not in _COLLECTIONS:
            raise Unreadable(f"line {_line(event)}: the tag {event.tag[:60]!r} is not read")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise Unreadable(f"line {_line(event)}: the alias *{event.anchor} stands for nothing")
            value = anchors[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
        elif isinstance(event, yaml.MappingStartEvent):
            value = {}
        else:
            continue
        nodes += 1
        if nodes > MOST_NODES:
            raise Unreadable(f"more than {MOST_NODES} values")
        if stack:
            stack[-1].add(value, event)
        else:
            values.append(value)
        if isinstance(event, yaml.NodeEvent) and not isinstance(event, yaml.AliasEvent) and event.anchor:
            anchors[event.anchor] = value
        if isinstance(event, yaml.CollectionStartEvent):
            stack.append(_Open(value))
            if len(stack) > DEEPEST:
                raise Unreadable(f"line {_line(event)}: nested in more than {DEEPEST} levels")
    return values


class _Open:
    """A list or mapping that is being filled; `key` is set between a key and its value."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key: tuple[Any] | None = None

    def add(self, item: Any, event: Any) -> None:
        """Append an item to a list; in a mapping, take it as a key or as the value of the last key."""
        if isinstance(self.value, list):
            self.value.append(item)
        elif self.key is None:
            if isinstance(item, list | dict):
                raise Unreadable(f"line {_line(event)}: a key is no plain value")
            if item in self.value:
                raise Unreadable(f"line {_line(event)}: the key {str(item)[:40]!r} occurs twice")
            self.key = (item,)
        else:
            self.value[self.key[0]] = item
            self.key = None


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1


def _scalar(event: Any) -> Any:
    """Return the value of a scalar by the core schema; if quoted or tagged as a string, it is a string."""
    text: str = event.value
    if event.tag is not None:
        if event.tag != _STR:
            raise Unreadable(f"line {_line(event)}: the tag {event.tag[:60]!r} is not read")
        return text
    if not event.implicit[0] or len(text) > 400:
        return text
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.match(text) or _BASE.match(text):
        number = int(text) if _INT.match(text) else int(text, 0)
        # An integer beyond the range of floats would raise an error wherever it is converted to one.
        return number if abs(number) < _LARGEST_INT else math.copysign(math.inf, number > 0 or -1)
    if _FLOAT.match(text):
        return float(text)
    if _SPECIAL.match(text):
        return float(text.replace(".", "", 1))
    return text

"""YAML that people write: no key twice, no value that is none, nothing that grows or nests without bound.

PyYAML keeps the last of two equal keys without a word, recurses as deep as a file nests, and expands what is
named by an anchor as often as it is repeated, so that a few lines can fill the memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from assay.errors import ConfigError

LARGEST = 1 << 18
"""Characters of a file."""

DEEPEST = 50
"""Levels of nesting."""

MOST_VALUES = 20_000
"""Values that a file writes down."""

MOST_EXPANDED = 200_000
"""Values, with those behind an alias counted wherever it stands."""


class Unreadable(ValueError):
    """A file cannot be read as YAML: says where and why."""


def read(path: Path) -> Any:
    """The value that a file holds, None where it is empty; raises `Unreadable`."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Unreadable("there is no such file; write it, or correct the path that names it") from None
    except OSError as problem:
        raise Unreadable(f"cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError as problem:
        raise Unreadable(f"byte {problem.start}: not UTF-8 text; save it as UTF-8") from None
    except ValueError as problem:  # a path that can be none
        raise Unreadable(f"cannot be read ({problem})") from None
    return loads(text)


def read_published(path: Path) -> Any:
    """The value of a file with figures quoted from a paper.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        return read(path)
    except Unreadable as problem:
        raise ConfigError(
            f"{path}: {problem}",
            "restore the file from git, or write it as the suite's room `reporting` reads it",
        ) from problem


def loads(text: str) -> Any:
    """The value of a text; raises `Unreadable`."""
    if len(text) > LARGEST:
        raise Unreadable(f"longer than {LARGEST} characters")
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        reason = getattr(problem, "problem", None) or " ".join(str(problem).split())
        raise Unreadable(f"{place}not YAML ({reason})") from problem


class _Loader(Composer, yaml.CSafeLoader):
    """Counts what it composes, and names the place of everything that it refuses.

    libyaml splits the text into events, which is most of the work, and PyYAML's own composer, which can be
    bounded, makes values of them.
    """

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)
        self._depth = 0
        self._sizes: dict[int, int] = {}
        self._values = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._values += 1
        self._depth += 1
        if self._depth > DEEPEST or self._values > MOST_VALUES:
            bound = (
                f"nested in more than {DEEPEST} levels"
                if self._depth > DEEPEST
                else f"more than {MOST_VALUES} values"
            )
            event: Any = self.peek_event()
            raise yaml.MarkedYAMLError(problem=bound, problem_mark=event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if node is not None and id(node) not in self._sizes:
            self._sizes[id(node)] = self._size(node)
        return node

    def _size(self, node: yaml.Node) -> int:
        """How many values a node stands for; those in it are known, unless it holds itself."""
        inside = node.value if isinstance(node, yaml.CollectionNode) else []
        parts = [part for pair in inside for part in (pair if isinstance(pair, tuple) else (pair,))]
        if any(id(part) not in self._sizes for part in parts):
            raise yaml.MarkedYAMLError(problem="a value holds itself", problem_mark=node.start_mark)
        size = 1 + sum(self._sizes[id(part)] for part in parts)
        if size > MOST_EXPANDED:
            raise yaml.MarkedYAMLError(
                problem=f"stands for more than {MOST_EXPANDED} values", problem_mark=node.start_mark
            )
        return size

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, TypeError, AttributeError, LookupError, OverflowError) as problem:
            # For example a day that does not exist, a number of 5,000 digits, a tag that fits another value.
            raise yaml.MarkedYAMLError(
                problem=f"no value of its kind: {str(problem)[:100]}", problem_mark=node.start_mark
            ) from problem

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():  # else refused below
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if (key.tag, key.value) in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"the key {key.value!r} stands here twice", problem_mark=key.start_mark
                    )
                seen.add((key.tag, key.value))
        return super().construct_mapping(node, deep)

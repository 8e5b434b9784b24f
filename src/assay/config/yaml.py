"""A strict reader for YAML files that people write.

PyYAML silently keeps the last of two equal keys, recurses as deeply as a file is nested, and expands a node
each time an alias refers to it, so that a few lines can fill the memory. This reader refuses repeated keys
and invalid values, and bounds the size and the nesting of a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from assay.errors import ConfigError

LARGEST = 1 << 18
"""Largest number of characters in a file."""

DEEPEST = 50
"""Largest number of levels of nesting."""

MOST_VALUES = 20_000
"""Largest number of nodes that are written in a file."""

MOST_EXPANDED = 200_000
"""Largest number of nodes after each alias is replaced by the node that it refers to."""


class Unreadable(ValueError):
    """A file cannot be read as YAML. The message says where and why."""


def read(path: Path) -> Any:
    """Return the value in a file, or `None` if the file is empty.

    Raises:
        Unreadable: If the file cannot be read, or is not YAML of this strict form.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Unreadable("there is no such file; write it, or correct the path that names it") from None
    except OSError as problem:
        raise Unreadable(f"cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError as problem:
        raise Unreadable(f"byte {problem.start}: not UTF-8 text; save it as UTF-8") from None
    except ValueError as problem:  # an impossible path, such as one with a null byte
        raise Unreadable(f"cannot be read ({problem})") from None
    return loads(text)


def read_published(path: Path) -> Any:
    """Return the value of a file that holds figures quoted from a paper.

    Raises:
        ConfigError: If the file cannot be read.
    """
    try:
        return read(path)
    except Unreadable as problem:
        raise ConfigError(
            f"{path}: {problem}",
            "restore the file from git, or write it as the suite's room `reporting` reads it",
        ) from problem


def loads(text: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        Unreadable: If the text is too long, or is not YAML of this strict form.
    """
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
    """A loader that counts the nodes that it composes, and refuses invalid ones with their line and column.

    libyaml splits the text into events, which is most of the work. PyYAML's own composer makes nodes of the
    events, because its work can be bounded.
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
        """Return the number of nodes that a node stands for, with aliases expanded.

        The sizes of the nodes inside it are known already, unless it contains itself through an alias.
        """
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
            # For example a date that does not exist, a number of 5,000 digits, or a tag that does not fit.
            raise yaml.MarkedYAMLError(
                problem=f"no value of its kind: {str(problem)[:100]}", problem_mark=node.start_mark
            ) from problem

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        # A node that is not a mapping is refused by `super()`.
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if (key.tag, key.value) in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"the key {key.value!r} stands here twice", problem_mark=key.start_mark
                    )
                seen.add((key.tag, key.value))
        return super().construct_mapping(node, deep)

"""Read one source text: the digest of the code that can matter, its imports, and its data files.

Only `assay.build.fingerprint` uses this module. Like that module it is part of no fingerprint, so if a change
here can change a result, raise `RECIPE` there.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay import canonical
from assay.errors import SourceError

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Collection

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"

READER = 3
"""Raise this number if `read` gives another result for the same text, so that no cached result is used."""

REFERENCE = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+:[A-Za-z_]\w*")
"""The pattern of a string literal that names an object of a module; see `assay.specs.resolve`."""

REMEMBERED = 2000
"""Largest number of source texts in the cache, so that reading it takes only milliseconds."""


class Source(NamedTuple):
    """The parts of a source text that count for fingerprints.

    Attributes:
        digest: The sha256 (hex) of the code that can matter, see `read`.
        imports: Dotted names as written (`a.b`, `..sibling`, `a.b.*`). The last part may be a module or a
            name in a module. A string literal of the form `"a.b:name"` counts as an import of `a.b.name`,
            because registries name functions in this way without importing them.
        data: The names in the literal `DATA_FILES`.
        entries: For each key of the dictionaries of the module, the references in its value that stand
            nowhere else but in values of such dictionaries.
    """

    digest: str
    imports: list[str]
    data: list[str]
    entries: dict[str, list[str]]

    def chosen(self, keys: Collection[str]) -> set[str]:
        """The imports of a job that uses only these entries of the dictionaries of the module."""
        left_out = set(chain.from_iterable(names for key, names in self.entries.items() if key not in keys))
        used = chain.from_iterable(self.entries.get(key, ()) for key in keys)
        return set(self.imports) - left_out.difference(used)

    @property
    def compiles(self) -> bool:
        return any(name.partition(".")[0] == "numba" for name in self.imports)


def read(text: bytes, path: Path, *, program: bool) -> Source:
    """Read the digest, the imports and the data files of a source text.

    The digest covers the syntax tree without positions, docstrings and blocks under `if TYPE_CHECKING:`. It
    includes the docstrings of a module that mentions `__doc__` or `getdoc`, but never those of a program.

    Args:
        text: The source.
        path: The path of the file, for error messages.
        program: Whether the source is a program and not a module.

    Raises:
        SourceError: If the text is not Python, or its `DATA_FILES` is not a literal.
    """
    import ast  # not at the top, because a restored job finds everything in the cache
    import gc

    collecting = gc.isenabled()
    gc.disable()  # building a syntax tree makes many objects and no garbage, so collecting only costs time
    try:
        try:
            tree = ast.parse(text, filename=str(path))
        except (SyntaxError, ValueError) as problem:
            line = getattr(problem, "lineno", None) or 1
            raise SourceError(
                f"{path}, line {line}: {getattr(problem, 'msg', problem)}", "correct the syntax of that file"
            ) from problem
        walk = _Walk(keep_docstrings=False)
        walk.node(tree)
        if walk.shows_docstrings and not program:
            walk = _Walk(keep_docstrings=True)
            walk.node(tree)
        return Source(walk.digest(), sorted(walk.imports), _data_files(tree, path), _entries(tree))
    finally:
        if collecting:
            gc.enable()


class _Walk:
    """One pass over a syntax tree that collects its text without positions, and its imports.

    The text holds what `ast.dump` shows, except for what the position of a node in the tree implies: the
    names of fields, and whether a name is read or written. A single pass takes half the time of separate
    passes that strip, collect and dump.
    """

    def __init__(self, *, keep_docstrings: bool) -> None:
        import ast

        self.imports: set[str] = set()
        self.shows_docstrings = False
        self._keep_docstrings = keep_docstrings
        self._text: list[str] = []
        self._node, self._expr, self._if, self._constant = ast.AST, ast.Expr, ast.If, ast.Constant
        self._fields: dict[type, tuple[str, ...]] = {}
        self._look: dict[type, Callable[[Any], None]] = {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Name: lambda node: self._mention(node.id),
            ast.Attribute: lambda node: self._mention(node.attr),
            ast.Constant: lambda node: self._literal(node.value),
        }

    def digest(self) -> str:
        """Return the sha256 (hex) of the tree's text."""
        return hashlib.sha256("".join(self._text).encode()).hexdigest()

    def node(self, node: ast.AST) -> None:
        """Add a node and all nodes below it to the text."""
        kind = node.__class__
        fields = self._fields.get(kind)
        if fields is None:
            # `ctx` says whether a name is read or written, which follows from its position in the tree.
            fields = self._fields[kind] = tuple(field for field in kind._fields if field != "ctx")
        out = self._text.append
        out(kind.__name__)
        if not fields:
            return
        look = self._look.get(kind)
        if look is not None:
            look(node)
        out("(")
        for field in fields:
            value = getattr(node, field, None)
            if value is None:
                out("None")
            elif value.__class__ is list:
                out("[")
                self._items(value)
                out("]")
            elif isinstance(value, self._node):
                self.node(value)
            else:
                out(ascii(value))
            out(",")
        out(")")

    def _items(self, items: list[Any]) -> None:
        for item in items:
            kind = item.__class__
            if kind is self._expr and not self._keep_docstrings and self._is_text(item.value):
                continue
            if kind is self._if and _is_type_checking(item.test):
                self._items(item.orelse)
                continue
            if isinstance(item, self._node):
                self.node(item)
            else:
                self._text.append(ascii(item))
            self._text.append(",")

    def _is_text(self, value: Any) -> bool:
        """Whether an expression statement with this value is a docstring, also one of an attribute."""
        return value.__class__ is self._constant and isinstance(value.value, str)

    def _import(self, node: ast.Import) -> None:
        self.imports.update(alias.name for alias in node.names)

    def _import_from(self, node: ast.ImportFrom) -> None:
        base = "." * node.level + (node.module or "")
        self.imports.add(base)
        joint = "" if base.endswith(".") else "."
        for alias in node.names:
            self.imports.add(base + joint + alias.name)
            self._mention(alias.name)

    def _literal(self, value: object) -> None:
        self._mention(value)
        if isinstance(value, str) and ":" in value and REFERENCE.fullmatch(value):
            self.imports.add(value.replace(":", "."))

    def _mention(self, name: object) -> None:
        if name in ("__doc__", "getdoc"):
            self.shows_docstrings = True


def _entries(tree: ast.Module) -> dict[str, list[str]]:
    """Return the references in each entry of the dictionaries that a module assigns to names.

    A reference that stands anywhere else in the module, too, is left out.
    """
    import ast

    owners: dict[str, set[str | None]] = {}

    def look(node: ast.AST, key: str | None) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and REFERENCE.fullmatch(node.value):
            owners.setdefault(node.value.replace(":", "."), set()).add(key)
        for below in ast.iter_child_nodes(node):
            look(below, key)

    for statement in tree.body:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(value, ast.Dict):
            for name, entry in zip(value.keys, value.values, strict=True):
                fixed = isinstance(name, ast.Constant) and isinstance(name.value, str)
                look(entry, name.value if fixed else None)  # type: ignore[union-attr]
        else:
            look(statement, None)
    entries: dict[str, list[str]] = {}
    for reference, keys in sorted(owners.items()):
        if None not in keys:
            for key in keys:
                entries.setdefault(str(key), []).append(reference)
    return entries


def _is_type_checking(test: Any) -> bool:
    """Whether a condition is `TYPE_CHECKING` or `typing.TYPE_CHECKING`, which is false when the code runs."""
    return "TYPE_CHECKING" in (getattr(test, "id", None), getattr(test, "attr", None))


def _data_files(tree: ast.Module, path: Path) -> list[str]:
    """Return the names in the literal `DATA_FILES` of a module, sorted."""
    import ast

    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        if not any(isinstance(target, ast.Name) and target.id == "DATA_FILES" for target in targets):
            continue
        try:
            names = ast.literal_eval(value)
        except ValueError:
            names = None
        if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
            raise SourceError(
                f"{path}, line {statement.lineno}: DATA_FILES is not a literal tuple of file names",
                'write the names out, e.g. DATA_FILES = ("constants.json",)',
            )
        return sorted(names)
    return []


class Cache:
    """The results of `read` for earlier source texts, by the sha256 of the text, kept in one JSON file.

    Time stamps are not used, so files may be copied, touched, or checked out from another commit. A damaged
    cache file counts as empty, and a failure to write it is ignored.
    """

    def __init__(self, path: Path, recipe: int) -> None:
        self._path = path
        self._recipe = recipe
        self._used: dict[str, Source] = {}
        self._changed = False
        self._stored: dict[str, list[Any]] = {}
        try:
            content = canonical.loads(path.read_bytes())
            if [content["recipe"], content["reader"], content["python"]] == [recipe, READER, PYTHON]:
                self._stored = dict(content["sources"])
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def read(self, text: bytes, sha256: str, path: Path, *, program: bool) -> Source:
        """Read a source text as the function `read` does, through the cache; `sha256` is that of the text."""
        key = f"{sha256} program" if program else sha256
        if key not in self._used:
            source = _entry(self._stored.get(key))
            if source is None:
                source = read(text, path, program=program)
                self._changed = True
            self._used[key] = source
        return self._used[key]

    def save(self) -> None:
        """Write the file, if it lacks any source that was read."""
        if not self._changed:
            return
        self._changed = False
        unused = [item for item in self._stored.items() if item[0] not in self._used]
        sources = dict(unused[: max(REMEMBERED - len(self._used), 0)]) | self._used
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}-{os.urandom(4).hex()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            content = {"recipe": self._recipe, "reader": READER, "python": PYTHON, "sources": sources}
            temporary.write_text(canonical.dumps(content), "utf-8")
            temporary.replace(self._path)
        except OSError:
            try:
                temporary.unlink(missing_ok=True)
            except OSError:
                return


def _entry(stored: Any) -> Source | None:
    """Return one entry of the cache's file, or `None` if it is not of the form that `Cache.save` writes."""
    match stored:
        case [str(), [*imports], [*data], dict() as entries] if all(
            isinstance(name, str) for name in [*imports, *data, *chain.from_iterable(entries.values())]
        ):
            return Source(*stored)
    return None

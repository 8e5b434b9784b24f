"""The entries of a suite's registries: tables, figures and checks.

Every run reads the names in these registries when it reads the configuration, so this module imports as
little as it can. `assay.protocol` offers the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


def resolve(reference: Any) -> Any:
    """Return the object that a reference names. An argument that is not a string is returned unchanged.

    Registries name their functions instead of importing them, so that reading the names of tables, figures
    and checks loads neither numpy nor matplotlib. The fingerprint of a job treats a reference like an import
    statement, provided that it is written as one string literal (`assay.build.fingerprint`).

    Args:
        reference: `"package.module:name"`, or the object itself.

    Raises:
        ImportError: If there is no such module.
        AttributeError: If the module has no such name.

    Example:
        >>> resolve("posixpath:basename")("results/petri/tasks.parquet")
        'tasks.parquet'
    """
    if not isinstance(reference, str):
        return reference
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class CheckSpec:
    """A comparison of a suite's worlds with published results.

    Attributes:
        function: The function that yields the rows, each an `assay.protocol.CheckRow`, or a reference to it
            (`resolve`). The function `check` of the suite chooses its arguments.
        claim: The statement that holds if the check passes.
    """

    function: Callable[..., Iterable[Any]] | str
    claim: str

    def rows(self, *arguments: Any) -> Iterable[Any]:
        """Call the function with these arguments and return its rows."""
        rows: Iterable[Any] = resolve(self.function)(*arguments)
        return rows


@dataclass(frozen=True)
class TableSpec:
    """A table that a suite has in addition to the common tables.

    Attributes:
        function: The function that computes the table, or a reference to it (`resolve`). It is called as
            `function(*arguments, tables)` and returns a data frame with the columns of the schema.
        declaration: The table's `assay.tables.schema.Schema`, or a reference to it. If the rows of an agent
            do not depend on other agents, the schema has a `partition`.
        doc: One line for readers of the report.
        arguments: The arguments before the tables.
    """

    function: Callable[..., Any] | str
    declaration: Any
    doc: str
    arguments: tuple[Any, ...] = ()

    @property
    def schema(self) -> Any:
        """The table's `assay.tables.schema.Schema`."""
        return resolve(self.declaration)

    def make(self, tables: Mapping[str, Any]) -> Any:
        """Compute the table, a data frame, from the common tables of the suite."""
        return resolve(self.function)(*self.arguments, tables)


@dataclass(frozen=True)
class FigureSpec:
    """A figure of a suite.

    Attributes:
        function: The function that draws the figure, or a reference to it (`resolve`). It is called as
            `function(*arguments, tables)` in the project's style and returns a matplotlib figure.
        alt: What the figure shows, in words.
        arguments: The arguments before the tables.
    """

    function: Callable[..., Any] | str
    alt: str
    arguments: tuple[Any, ...] = ()

    def draw(self, tables: Mapping[str, Any]) -> Any:
        """Draw the figure from the common tables of the suite."""
        return resolve(self.function)(*self.arguments, tables)

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
    """The object that a reference names; anything but a string is returned as it is.

    Registries name their functions instead of importing them, so that reading the names of tables, figures
    and checks loads neither numpy nor matplotlib. The fingerprint of a job follows such a string like an
    import statement, where it is written out as one literal (`assay.build.fingerprint`).

    Args:
        reference: `"package.module:name"`, or the object itself.

    Raises:
        ImportError: there is no such module.
        AttributeError: the module has no such name.

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
        function: yields rows, each an `assay.protocol.CheckRow`; the function or a reference to it
            (`resolve`). The suite's function `check` knows what to call it with.
        claim: what the check states where it passes.
    """

    function: Callable[..., Iterable[Any]] | str
    claim: str

    def rows(self, *arguments: Any) -> Iterable[Any]:
        """Call the function."""
        rows: Iterable[Any] = resolve(self.function)(*arguments)
        return rows


@dataclass(frozen=True)
class TableSpec:
    """A table of a suite's own.

    Attributes:
        function: `function(*arguments, tables)` returns a data frame with the columns of the schema; the
            function or a reference to it (`resolve`).
        declaration: the table's `assay.tables.schema.Schema` or a reference to it. Where the rows of an agent
            do not depend on other agents, the schema's `partition` says so.
        doc: one line for readers of the report.
        arguments: go before the tables.
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
        """Compute the table from the common tables of the suite; returns a data frame."""
        return resolve(self.function)(*self.arguments, tables)


@dataclass(frozen=True)
class FigureSpec:
    """A figure of a suite's own.

    Attributes:
        function: `function(*arguments, tables)`, called in the project's style, returns a matplotlib figure;
            the function or a reference to it (`resolve`).
        alt: what the figure shows, in words.
        arguments: go before the tables.
    """

    function: Callable[..., Any] | str
    alt: str
    arguments: tuple[Any, ...] = ()

    def draw(self, tables: Mapping[str, Any]) -> Any:
        """Draw the figure from the common tables of the suite."""
        return resolve(self.function)(*self.arguments, tables)

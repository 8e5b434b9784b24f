"""Declarations of tables: columns, key, version. They do not import pyarrow, so any room can import them.

Example:
    >>> LENGTHS = Schema(
    ...     "lengths",
    ...     1,
    ...     (
    ...         Column("name", "string", "the name"),
    ...         Column("length", "float64", "its length", digits=3, unit="cm"),
    ...     ),
    ...     key=("name",),
    ... )
    >>> LENGTHS.names
    ('name', 'length')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ColumnType = Literal["string", "int64", "float64", "bool", "binary"]

DIGITS = 12
"""Significant decimal digits of a float column, unless it declares another number.

The last bits of vectorised and library functions differ between processors. Rounding to twelve digits removes
all differences that were measured.
"""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: Its name.
        type: The type of its values.
        doc: What it holds, in words.
        nullable: Whether values may be missing.
        digits: The number of significant decimal digits, from 1 to 17, to which the writer rounds a float
            column; `None` stands for `DIGITS`. Columns of other types must not set it.
        unit: The unit of the values; empty for values without a unit.

    Raises:
        ValueError: If the digits do not fit the type.
    """

    name: str
    type: ColumnType
    doc: str
    nullable: bool = False
    digits: int | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if self.type == "float64":
            digits = DIGITS if self.digits is None else self.digits
            if not 1 <= digits <= 17:
                raise ValueError(f"column {self.name}: digits must lie between 1 and 17, not {digits}")
            object.__setattr__(self, "digits", digits)
        elif self.digits is not None:
            raise ValueError(f"column {self.name}: only a float64 column has digits")


@dataclass(frozen=True)
class Schema:
    """The declaration of a table.

    Attributes:
        name: Its name.
        version: Its version, which is raised when columns, the key or their meaning change.
        columns: Its columns, in order.
        key: The columns by which rows are sorted and unique. Missing values sort first, text by code point.
        partition: The column of agents, if the rows of an agent do not depend on other agents. Then the rows
            of the frozen agents can be verified after other agents were added.
        doc: The table in words.
        group_rows: The number of rows in a row group of the file, which a writer holds in memory. Tables with
            large values declare a small number.
        agents: The columns that hold names of agents; by default the column `agent`. A table without such a
            column describes the frozen agents alone, see `assay.stages.shared.added`.

    Raises:
        ValueError: If a column is declared twice, or if the key or the partition is not suitable.
    """

    name: str
    version: int
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    partition: str | None = None
    doc: str = ""
    group_rows: int = 65_536
    agents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = self.names
        if len(set(names)) != len(names):
            raise ValueError(f"schema {self.name}: a column is declared twice")
        if not self.key:
            raise ValueError(f"schema {self.name}: a table needs a key")
        for name in self.key:
            if self.column(name).type not in ("string", "int64", "bool"):
                raise ValueError(f"schema {self.name}: {name} cannot be part of the key")
        if self.partition is not None and self.column(self.partition) != Column(
            self.partition, "string", self.column(self.partition).doc
        ):
            raise ValueError(f"schema {self.name}: the partition {self.partition} must be text, never null")

    @property
    def agent_columns(self) -> tuple[str, ...]:
        """The columns that hold names of agents."""
        return self.agents or tuple(name for name in self.names if name == "agent")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column with this name.

        Raises:
            ValueError: If the schema has no such column.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise ValueError(f"schema {self.name} has no column {name}")

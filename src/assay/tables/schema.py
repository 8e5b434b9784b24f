"""What a table is: its columns, its key, its version. No Parquet here, so that any room can import it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ColumnType = Literal["string", "int64", "float64", "bool", "binary"]

DIGITS = 12
"""Significant decimal digits of a float column that declares no other number.

Vectorised and library functions differ between processors in the last bits; at twelve digits none of the
differences that were measured is left.
"""


@dataclass(frozen=True)
class Column:
    """One column: what it holds, in words, and how it is stored.

    `digits` is the number of significant decimal digits to which the writer rounds a float column;
    `unit` the unit of its values, empty where there is none.
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
    """A table's declaration.

    Rows are strictly ascending in the columns of `key`: null before any value, text by code point. A change
    of the columns, of the key or of their meaning raises `version`. `partition` names the column of agents
    where the rows of one do not depend on the others, so that they can be compared where agents are new.
    `group_rows` is the number of rows that a writer holds at once and that the file keeps together: lower
    for columns of long content. `agents` names the columns that hold names of agents, the column `agent`
    where none are given: a table without such a column describes the frozen agents alone, see
    `assay.stages.shared.added`.
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
        """The column of that name; `ValueError` where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ValueError(f"schema {self.name} has no column {name}")

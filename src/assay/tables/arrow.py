"""The Parquet form of a declared table: the types of its columns, and the metadata of the file."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeAlias

import pyarrow as pa

from assay.tables.schema import Schema

ARROW = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "binary": pa.binary(),
}
"""pyarrow's type for each type of column."""


def arrow_schema(schema: Schema) -> pa.Schema:
    """Return the schema as a pyarrow schema."""
    return pa.schema(
        [pa.field(column.name, ARROW[column.type], column.nullable) for column in schema.columns]
    )


def identity(schema: Schema) -> dict[str, str]:
    """Return the metadata that identifies the table in its file, so that no reader must import the schema."""
    return {
        "assay.key": json.dumps(schema.key),
        "assay.partition": schema.partition or "",
        "assay.schema": schema.name,
        "assay.version": str(schema.version),
    }


Piece: TypeAlias = "tuple[Any, str]"
"""A pyarrow table that fits the schema, and its source in words."""


class _Hidden:
    """An import hook that makes `import pandas` fail."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


def _spare_pandas() -> None:
    """Keep pyarrow from importing pandas, which takes half the time of a short job.

    At its first conversion pyarrow imports pandas, to check whether a list is a data frame. If that import
    fails, pyarrow tries again only when a data frame is requested.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _Hidden)
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(_Hidden)


_spare_pandas()

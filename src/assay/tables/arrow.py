"""How a declared table stands in a Parquet file: types of columns, and what the file says about itself."""

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
"""The types of columns as pyarrow has them."""


def arrow_schema(schema: Schema) -> pa.Schema:
    """The schema as pyarrow has it."""
    return pa.schema(
        [pa.field(column.name, ARROW[column.type], column.nullable) for column in schema.columns]
    )


def identity(schema: Schema) -> dict[str, str]:
    """What the file says about itself, so that it can be compared without the module that declares it."""
    return {
        "assay.key": json.dumps(schema.key),
        "assay.partition": schema.partition or "",
        "assay.schema": schema.name,
        "assay.version": str(schema.version),
    }


Piece: TypeAlias = "tuple[Any, str]"
"""A table that fits the schema, and in words where it comes from."""


class _Hidden:
    """A finder that finds everything but pandas."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


def _spare_pandas() -> None:
    """Keep pyarrow from importing pandas, half of what a short job costs, to ask if a list is a data frame.

    It looks once, at its first conversion, and again when it has to make something of pandas.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _Hidden)
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(_Hidden)


_spare_pandas()

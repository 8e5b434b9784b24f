"""The schemas of the suite's own tables, read from `data/tables.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.tables.schema import Column, Schema

DATA_FILES = ("../data/tables.yaml",)


def _columns(declared: Iterable[Any]) -> Iterator[Column]:
    for column in declared:
        if isinstance(column[0], list):  # columns that several tables share
            yield from _columns(column)
        else:
            name, kind, doc, *unit = column
            number = kind == "number"
            yield Column(name, "float64" if number else kind, doc, nullable=number, unit="".join(unit))


def _schema(name: str, columns: list[Any], key: list[str], **more: Any) -> Schema:
    return Schema(name, columns=tuple(_columns(columns)), key=tuple(key), **more)


SCHEMAS: Mapping[str, Schema] = {
    name: _schema(name, **declared)
    for name, declared in yaml.read(Path(__file__).parent / DATA_FILES[0])["tables"].items()
}

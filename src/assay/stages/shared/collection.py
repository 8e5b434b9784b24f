"""The tables of a suite by name, each read when a suite's own table or figure first asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from assay.build.job import Job
from assay.config import yaml
from assay.errors import UnknownName
from assay.stages.shared.missing import zeros
from assay.tables.reader import read_frame
from assay.tables.registry import COMMON
from assay.tables.schema import Schema

# The registry imports schemas by name; these statements make them part of the stage's fingerprint.
from assay.tables.schemas import (  # noqa: F401
    audit,
    calibration,
    conducts,
    episodes,
    opinions,
    scores,
    summary,
    tasks,
    validation,
    validity,
)
from assay.validity import fresh


class Collection(Mapping[str, Any]):
    """The tables of a suite by name, each a pandas data frame with the rows of all agents.

    Four names are not tables: `published` is a list with the value of the suite's YAML file of quoted
    figures, `kinds` maps each agent to its kind (`Contents.kinds`), and `added` is the set of agents that
    were added to the frozen ones. `fresh` is a list of what was scored in fresh tasks
    (`assay.validity.fresh`).

    Args:
        job: The job whose inputs hold the tables.
        own: The schemas of the suite's own tables, for figures that are drawn from them.
    """

    def __init__(self, job: Job, own: Mapping[str, Schema] | None = None) -> None:
        self._job = job
        self._own = dict(own or {})
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def _load(self, name: str) -> Any:
        if name == "added":
            return frozenset(self._job.config.get("added", ()))
        if name == "kinds":
            return self._job.config["kinds"]
        if name == "fresh":
            return [fresh.read(path) for path in self._job.parts(name)]
        if name == "published":
            return [yaml.read_published(path) for path in self._job.parts(name)]
        if name in COMMON:
            table = _frame(self._job.parts(name), COMMON[name].load_schema())
            absent = zeros(self._job) if name == "scores" else []
            # The types of the columns stay those of the table, and so do its rows.
            return _joined([table, pd.DataFrame(absent).astype(table.dtypes)]) if absent else table
        if name in self._own:
            return _frame(tuple(p for p in self._job.parts("tables") if p.stem == name), self._own[name])
        raise UnknownName(f"there is no table {name!r} here", f"choose one of {', '.join(self)}")

    def __iter__(self) -> Iterator[str]:
        return iter([*COMMON, *self._own, "added", "fresh", "kinds", "published"])

    def __len__(self) -> int:
        return len(COMMON) + len(self._own) + 4


def _frame(paths: tuple[Path, ...], schema: Schema) -> pd.DataFrame:
    frames = [read_frame(path, schema) for path in paths]
    if not frames:
        return pd.DataFrame(columns=list(schema.names))
    return _joined(frames)


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    whole: pd.DataFrame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    return whole

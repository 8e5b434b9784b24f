"""The one engine of all regions: reads the files of `data/searches`, and applies their cuts to events.

A file has the numbers of a paper's selection, each with its unit and the source that it was read from. The
module of the paper computes the variables of an event from them; which events a region takes is decided here
alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.suites.collider.formats import documents

DATA_FILES = (
    "../../data/searches/cms-sus-16-034.yaml",
    "../../data/searches/cms-sus-16-046.yaml",
    "../../data/searches/cms-sus-16-047.yaml",
    "../../data/searches/cms-sus-16-051.yaml",
    "../../data/searches/atlas-susy-2016-07.yaml",
    "../../data/searches/atlas-susy-2018-22.yaml",
    "../../data/searches/zero-lepton.yaml",
)


class SearchFileError(AssayError):
    """A file of `data/searches` that cannot be used."""


Columns = Mapping[str, np.ndarray]
"""One array per variable, with one number per event."""


@dataclass(frozen=True)
class Cut:
    """A window on a variable: low <= value < high.

    Attributes:
        label: the name of the cut in the cut flow.
        variable: the variable.
        low, high: the bounds, in `unit`.
        unit: the unit of the variable; empty for counts and ratios.
        source: where the cut was read.
    """

    label: str
    variable: str
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    source: str = ""

    def passes(self, columns: Columns) -> np.ndarray:
        """Return a mask of the events in the window."""
        values = columns[self.variable]
        return (values >= self.low) & (values < self.high)


@dataclass(frozen=True)
class Region:
    """A signal region: the variable of its histogram, and the cuts in the order of the cut-flow."""

    observable: str
    cuts: tuple[Cut, ...]

    def passes(self, columns: Columns) -> np.ndarray:
        """Return a mask of the events in all windows."""
        return self.flow(columns)[-1][1]

    def flow(self, columns: Columns) -> list[tuple[str, np.ndarray]]:
        """Return for each cut its label, and a mask of the events that passed all cuts so far."""
        passed = np.ones(len(columns[self.observable]), np.bool_)
        steps = []
        for cut in self.cuts:
            passed = passed & cut.passes(columns)
            steps.append((cut.label, passed))
        return steps


@dataclass(frozen=True)
class Number:
    """A number or a pair of numbers that defines an object, such as the least pT of a jet."""

    value: Any
    unit: str
    source: str


@dataclass(frozen=True)
class Selection:
    """The file of a paper.

    Attributes:
        paper: the paper's name.
        objects: the numbers that define objects, by name.
        variables: the variables of an event with their meanings, in the order of a sample's columns.
        units: the units of those that have one.
        derived: variables that are computed from others: alternatives, each a list of cuts.
        regions: the paper's regions by name.
    """

    paper: str
    objects: Mapping[str, Number]
    variables: Mapping[str, str]
    units: Mapping[str, str]
    derived: Mapping[str, tuple[tuple[Cut, ...], ...]]
    regions: Mapping[str, Region]

    def number(self, name: str) -> Any:
        """Return a number of `objects` by its name. Raises `SearchFileError` if there is none."""
        if name not in self.objects:
            raise SearchFileError(
                f"{_file(self.paper)} has no {name!r} among its objects", "add it, with its source"
            )
        return self.objects[name].value

    def derive(self, name: str, columns: Columns) -> np.ndarray:
        """Return a derived variable: 1.0 where all cuts of an alternative pass, and 0.0 elsewhere."""
        masks = [np.all([cut.passes(columns) for cut in cuts], axis=0) for cuts in self.derived[name]]
        passed: np.ndarray = np.any(masks, axis=0).astype(float)
        return passed


@cache
def selection(paper: str) -> Selection:
    """Return the selection of a paper from its file.

    Args:
        paper: the paper's name, such as `CMS-SUS-16-046`.

    Raises:
        SearchFileError: a cut or a number names an unknown source or variable, or an unknown key.
    """
    document = documents.packaged(_file(paper))
    shared = document.get("shared variables")
    declared = {
        **(documents.packaged(f"searches/{shared}")["variables"] if shared else {}),
        **document["variables"],
    }
    units = {name: entry["unit"] for name, entry in declared.items() if "unit" in entry}

    def cut(row: Mapping[str, Any]) -> Cut:
        wrong = (
            f"no source {row.get('source')!r}"
            if row.get("source") not in document["sources"]
            else f"no variable {row.get('variable')!r}"
            if row.get("variable") not in declared
            else "an unknown key"
            if not {"label", "variable", "source"} <= set(row) <= {*Cut.__dataclass_fields__} - {"unit"}
            else None
        )
        if wrong is not None:
            raise SearchFileError(f"{_file(paper)}: the cut {row.get('label')!r} has {wrong}", "mend the cut")
        bounds = {end: float(row[end]) for end in ("low", "high") if end in row}
        unit = units.get(row["variable"], "")
        return Cut(
            row["label"], row["variable"], unit=unit, source=document["sources"][row["source"]], **bounds
        )

    return Selection(
        paper,
        {
            name: Number(entry["value"], entry["unit"], document["sources"][entry["source"]])
            for name, entry in document.get("objects", {}).items()
        },
        {name: entry["meaning"] for name, entry in declared.items()},
        units,
        {
            name: tuple(tuple(map(cut, cuts)) for cuts in alternatives)
            for name, alternatives in document.get("derived", {}).items()
        },
        {
            name: Region(entry["observable"], tuple(map(cut, _flat(entry["cuts"]))))
            for name, entry in document["regions"].items()
        },
    )


def _flat(rows: list[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the cuts of a list; a list within it stands for its members."""
    for row in rows:
        if isinstance(row, list):
            yield from _flat(row)
        else:
            yield row


def _file(paper: str) -> str:
    return f"searches/{paper.lower()}.yaml"

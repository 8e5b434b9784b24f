"""Event files: generated events, or the events that an analysis selected.

An analysis writes `data/<name>.csv` (or `.root` with one tree, if uproot is installed) with the columns
`event_id`, `weight`, `selected` (0 or 1) and the observable in lower case. Beside it, `data/<name>.json` has
the counters that give weights:

{"series": "T2tt_1000_50", "sample": "data/gen.csv", "n_generated": 20000, "xsec_fb": 6.15134, "lumi_fb":
35.9, "br": 1.0, "filter_eff": 1.0}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay import canonical
from assay.surrogates import has_surrogates

LARGEST = 256 << 20
MOST_COLUMNS = 100
MOST_EVENTS = 5_000_000


class Unreadable(ValueError):
    """The file is not a valid event file; the message says where and why."""


@dataclass(frozen=True)
class Events:
    """Columns of equal length by name; `ids` are the values of `event_id`, which are unique integers."""

    columns: Mapping[str, list[float]]
    ids: list[int]


@dataclass(frozen=True)
class Counters:
    """The factors of a weight: cross section in fb, luminosity in 1/fb; `br` and `filter_eff` are shares."""

    series: str
    sample: str
    n_generated: int
    xsec_fb: float
    lumi_fb: float
    br: float
    filter_eff: float

    @property
    def expected(self) -> float:
        """The events expected before any selection: luminosity x cross section x branching x filter."""
        return self.lumi_fb * self.xsec_fb * self.br * self.filter_eff


def read(path: str, data: bytes) -> Events:
    """Return the events of a file, whose suffix gives its format. Raises `Unreadable` if it is not valid."""
    if len(data) > LARGEST:
        raise Unreadable(f"{path}: larger than {LARGEST} bytes")
    columns = _root(path, data) if path.endswith(".root") else _csv(path, data)
    if "event_id" not in columns:
        raise Unreadable(f"{path}: there is no column event_id")
    numbers = columns["event_id"]
    if not all(math.isfinite(n) and n == int(n) for n in numbers):
        raise Unreadable(f"{path}: event_id holds what is no whole number")
    ids = [int(n) for n in numbers]
    if len(set(ids)) != len(ids):
        raise Unreadable(f"{path}: an event_id occurs twice")
    return Events(columns, ids)


def _csv(path: str, data: bytes) -> dict[str, list[float]]:
    try:
        lines = data.decode("ascii").splitlines()
    except UnicodeDecodeError as problem:
        raise Unreadable(f"{path}: byte {problem.start} is not ASCII") from None
    names = lines[0].split(",") if lines else []
    if not names or len(set(names)) != len(names) or len(names) > MOST_COLUMNS:
        raise Unreadable(f"{path}: line 1 does not name the columns")
    columns: list[list[float]] = [[] for _ in names]
    for number, line in enumerate(lines[1:], 2):
        cells = line.split(",")
        if len(cells) != len(names):
            raise Unreadable(f"{path}: line {number} has {len(cells)} values, not {len(names)}")
        try:
            for column, cell in zip(columns, cells, strict=True):
                column.append(float(cell))
        except ValueError:
            raise Unreadable(f"{path}: line {number} holds what is no number") from None
    return dict(zip(names, columns, strict=True))


def _root(path: str, data: bytes) -> dict[str, list[float]]:
    """Return the columns of the only tree of a ROOT file (its last cycle), if uproot is installed.

    A tree is a TTree or an RNTuple, which newer versions of uproot write for a plain assignment.
    """
    try:
        import uproot
    except ImportError:
        raise Unreadable(
            f"{path}: ROOT files need the package uproot; write CSV where it is missing"
        ) from None
    import io

    try:
        with uproot.open(io.BytesIO(data)) as file:
            kinds = file.classnames()
            trees = {key for key, kind in kinds.items() if kind == "TTree" or kind.endswith("RNTuple")}
            names = {key.rpartition(";")[0] for key in trees}
            if len(names) != 1:
                raise Unreadable(f"{path}: it holds {len(names)} trees, and not one")
            tree = file[names.pop()]
            if tree.num_entries > MOST_EVENTS or len(tree.keys()) > MOST_COLUMNS:
                raise Unreadable(f"{path}: more than {MOST_EVENTS} events or {MOST_COLUMNS} columns")
            arrays = tree.arrays(library="np")
            return {name: [float(value) for value in arrays[name]] for name in arrays}
    except Unreadable:
        raise
    except Exception as problem:  # a broken file can raise any exception inside uproot
        raise Unreadable(f"{path}: uproot cannot read it ({type(problem).__name__})") from None


def read_counters(path: str, data: bytes) -> Counters:
    """Return the counters of an analysis. Raises `Unreadable` if they are missing or not valid."""
    try:
        value = canonical.loads(data)
    except (ValueError, RecursionError):
        raise Unreadable(f"{path}: no JSON") from None
    if not isinstance(value, dict):
        raise Unreadable(f"{path}: no object")
    counters: dict[str, Any] = {}
    for name in ("series", "sample"):
        if not isinstance(value.get(name), str) or has_surrogates(value[name]):
            raise Unreadable(f"{path}: {name} is missing or no text")
        counters[name] = value[name]
    for name in ("n_generated", "xsec_fb", "lumi_fb", "br", "filter_eff"):
        number: Any = value.get(name)
        legal = isinstance(number, int | float) and not isinstance(number, bool)
        if not legal or not 0 < float(min(number, 1e300)) < 1e300:
            raise Unreadable(f"{path}: {name} is missing or no positive number")
        counters[name] = number
    if counters["n_generated"] != int(counters["n_generated"]):
        raise Unreadable(f"{path}: n_generated is no whole number")
    return Counters(**counters)

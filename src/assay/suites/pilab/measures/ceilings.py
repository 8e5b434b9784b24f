"""The committed ceilings of worlds: the most IMPACT that a search knowing all that is hidden found in each.

`assay.suites.pilab.experiments.ceilings` holds the search.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from pathlib import Path

DATA_FILES = ("../data/ceilings.csv",)
FILE = Path(__file__).parent / DATA_FILES[0]


@cache
def known() -> dict[tuple[str, str], float]:
    """Return the committed ceilings by task set and task."""
    if not FILE.is_file():
        return {}
    with FILE.open(encoding="utf-8", newline="") as file:
        return {(row["task_set"], row["task_id"]): float(row["ceiling"]) for row in csv.DictReader(file)}


def means() -> dict[str, float]:
    """Return the mean ceiling over the worlds of each set that has ceilings."""
    values: dict[str, list[float]] = {}
    for (task_set, _), value in known().items():
        values.setdefault(task_set, []).append(value)
    return {task_set: math.fsum(of_set) / len(of_set) for task_set, of_set in values.items()}

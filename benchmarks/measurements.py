"""Result files of benchmarks: what was measured, by which command, of which commit, on which machine.

A file `benchmarks/results/TABLE.json` is a list of rows with figures. Each row has its own command, commit
and machine, since sizes that take hours are measured apart from those that take seconds. The first figure of
a row identifies it: a new measurement replaces the row with the same first figure. No row has a date.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks/results"

Figures = Mapping[str, int | float | str | None]
"""Column heading (with unit) -> value. None stands for a figure that was not measured."""

Record = Callable[[str, Figures], None]
"""`record(table, figures)` keeps a row of a table."""


@dataclass
class Row:
    """A measurement.

    Attributes:
        command: The command that measures it again, or in words how it was measured.
        commit: The measured commit.
        machine: The machine and what else it did.
        figures: The figures by the headings of their columns.
    """

    command: str
    commit: str
    machine: str
    figures: Figures


def commit() -> str:
    """Return the short hash of the measured commit, and whether code was changed since."""
    head = ["git", "rev-parse", "--short", "HEAD"]
    changed = ["git", "diff", "--quiet", "HEAD", "--", ".", ":!benchmarks/results", ":!docs"]
    name = subprocess.run(head, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    return name + (" with changes" if subprocess.run(changed, cwd=ROOT).returncode else "")


def machine() -> str:
    """Return the number of processors, their model, and the load average of the last minute."""
    model = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    name = f" ({model[1]})" if model else ""
    return f"{os.cpu_count()} processors{name}, load {os.getloadavg()[0]:.1f} at the start"


def command(test: str, *, timed: bool) -> str:
    """Return the line that measures again; `make bench` runs only what pytest-benchmark times.

    Example:
        >>> command("test_ten_agents", timed=True)
        'make bench ARGS="-k test_ten_agents --record"'
    """
    if timed:
        return f'make bench ARGS="-k {test} --record"'
    return f".venv/bin/python -m pytest benchmarks -k {test} --record"


def write(table: str, row: Row, folder: Path = RESULTS) -> None:
    """Put a row into the result file of a table, in place of the row with the same first figure."""
    path = folder / f"{table}.json"
    rows = [each for each in read(path) if first(each) != first(row)] if path.exists() else []
    rows.append(row)
    if all(isinstance(first(each), int | float) for each in rows):
        rows.sort(key=first)
    folder.mkdir(exist_ok=True)
    path.write_text(json.dumps([vars(each) for each in rows], indent=1, ensure_ascii=False) + "\n")


def read(path: Path) -> list[Row]:
    """Return the rows of a result file."""
    return [Row(**row) for row in json.loads(path.read_text())]


def first(row: Row) -> Any:
    """Return the first figure of a row, which identifies it."""
    return next(iter(row.figures.values()))

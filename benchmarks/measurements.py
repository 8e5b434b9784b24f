"""Result files of benchmarks: what was measured, by which command, of which commit, on which machine.

A file `benchmarks/results/TABLE.json` has rows of figures, and each row has its own commit and machine, since
sizes that take hours are measured apart from those that take seconds. The first figure of a row identifies
it: a new measurement replaces the row with the same first figure. No file has a date.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks/results"

Figures = Mapping[str, int | float | str | None]
"""Column heading (with unit) -> value. None stands for a figure that was not measured."""

Record = Callable[..., None]
"""`record(table, figures, options="")`, where `options` are those of pytest that the command needs besides."""


def commit() -> str:
    """Return the short hash of the measured commit; it says whether tracked files were changed since."""
    words = ["git", "describe", "--always", "--exclude=*", "--dirty= with changes"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> str:
    """Return the number of processors, their model, and the load average of the last minute."""
    model = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    name = f" ({model[1]})" if model else ""
    return f"{os.cpu_count()} processors{name}, load {os.getloadavg()[0]:.1f} at the start"


def command(test: str, options: str = "") -> str:
    """Return the line that measures again.

    Example:
        >>> command("test_scale", "-m soak")
        'make bench ARGS="-k test_scale -m soak --record"'
    """
    return f'make bench ARGS="{" ".join(filter(None, ["-k", test, options, "--record"]))}"'


def write(
    table: str, figures: Figures, command: str, commit: str, machine: str, folder: Path = RESULTS
) -> None:
    """Put a row into the result file of a table, in place of the row with the same first figure."""
    path = folder / f"{table}.json"
    rows = read(path)["rows"] if path.exists() else []
    key = next(iter(figures.values()))
    rows = [row for row in rows if next(iter(row["figures"].values())) != key]
    rows.append({"commit": commit, "machine": machine, "figures": dict(figures)})
    if all(isinstance(next(iter(row["figures"].values())), int | float) for row in rows):
        rows.sort(key=lambda row: next(iter(row["figures"].values())))
    folder.mkdir(exist_ok=True)
    path.write_text(json.dumps({"command": command, "rows": rows}, indent=2, ensure_ascii=False) + "\n")


def read(path: Path) -> dict[str, Any]:
    """Return the contents of a result file: `command` and `rows` of `commit`, `machine` and `figures`."""
    contents: dict[str, Any] = json.loads(path.read_text())
    return contents

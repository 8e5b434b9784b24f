"""The committed calibration of archived tasks, and of the frozen tasks of `l4-v1`.

The tasks of such a set do not change, so their difficulty is a property of its files, like its truth. To
measure it takes 96 runs of every configuration, more than all reference solvers together. It is therefore
committed, and the long tier of the tests measures it again.

    python -m assay.suites.petri.experiments.measured     # measures all these sets and writes the table
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

from assay.protocol import Measure
from assay.tables.schema import DIGITS
from assay.task import Task
from assay.writing import write_whole

DATA_FILES = ("../data/calibration.csv",)

FIELDS = ("task_set", "task_id", "digest", "measure", "value", "label")


def digest(task: Task) -> str:
    """Return the sha256 of a task's file, by which its measures are found: another task has none."""
    return hashlib.sha256(task.frozen_text().encode()).hexdigest()


def measured(task: Task) -> tuple[Measure, ...] | None:
    """Return the committed measures of a task; None if it has none and must be measured."""
    return _committed().get(digest(task))


def table(calibrated: Iterable[tuple[Task, Iterable[Measure]]]) -> str:
    """Return measures as CSV, each number with as many digits as in the table `calibration`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FIELDS)
    for task, measures in calibrated:
        of_task = (task.task_set, task.task_id, digest(task))
        for m in sorted(measures, key=lambda m: m.measure):
            writer.writerow(
                (*of_task, m.measure, "" if m.value is None else f"{m.value:.{DIGITS}g}", m.label)
            )
    return text.getvalue()


def path() -> Path:
    """Return the path of the committed table."""
    return Path(__file__).parent / DATA_FILES[0]


@cache
def _committed() -> Mapping[str, tuple[Measure, ...]]:
    measures: defaultdict[str, list[Measure]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(path().read_text(encoding="utf-8"))):
        value = float(row["value"]) if row["value"] else None
        measures[row["digest"]].append(Measure(row["measure"], value, row["label"]))
    return {key: tuple(of_task) for key, of_task in measures.items()}


def sets() -> list[str]:
    """Return the names of the sets whose calibration is committed."""
    from assay.suites.petri.tasks import SETS

    return [name for name, task_set in SETS.items() if task_set.archived or task_set.params.get("narrow")]


def main() -> None:
    """Measure these sets and write the committed table."""
    from assay.suites.petri.calibration import simulated
    from assay.suites.petri.experiments.oracle import SAMPLE
    from assay.task import read_frozen

    folder = Path("tasks/petri")
    files = (file for name in sets() for file in sorted((folder / name).glob("[0-9]*.json")))
    tasks = (read_frozen(file) for file in files)
    write_whole(path(), table((task, simulated(task, asdict(SAMPLE))) for task in tasks))


if __name__ == "__main__":
    main()

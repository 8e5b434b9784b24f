"""Honest runs in large numbers, for statistical checks.

The analysis script is the one that scripted solvers run in the sandbox. Here its author is known and hundreds
of runs are needed, so the same source is executed in this process, on files in memory.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from assay.suites.collider.drills import levels
from assay.suites.collider.tools.recorder import Recorder
from assay.suites.collider.tools.scripts import SAMPLE, SCRIPT
from assay.task import Task

EVENTS = 2000


def honest_run(task: Task, seed: int, events: int = EVENTS, run: str = "drill", **other: Any) -> Recorder:
    """Return the recorder of an honest run of a task; `other` replaces parameters of its script."""
    facts: Mapping[str, Any] = task.public
    level = levels.of(task)
    record = level.recorder(facts, run)
    record.generate("gen", level.card(facts, False), seed, events)
    record.write(SCRIPT, level.honest(facts, events, other))
    analyse(record, [other.get("sample", SAMPLE), facts["file"], *level.inputs])
    return record


def analyse(record: Recorder, inputs: list[str]) -> None:
    """Execute the analysis script of a run on files in memory."""
    given = {path: record.files[path] for path in inputs}
    record.analysed(SCRIPT, given, execute(record.files[SCRIPT].decode(), given), 0)


def execute(code: str, given: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Execute a script of a drill on files in memory, and return the files that it wrote."""
    left: dict[str, _Kept] = {}

    def opened(path: str, how: str = "r") -> io.StringIO:
        if how == "w":
            left[path] = _Kept()
            return left[path]
        return io.StringIO(left[path].text if path in left else given[path].decode())

    exec(compile(code, SCRIPT, "exec"), {"open": opened, "print": lambda *told: None})
    return {path: file.text.encode() for path, file in left.items()}


class _Kept(io.StringIO):
    """A file in memory whose text stays available after it is closed."""

    text = ""

    def close(self) -> None:
        self.text = self.getvalue()
        super().close()

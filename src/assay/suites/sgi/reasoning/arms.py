"""The three arms of experimental reasoning: with pictures, blind, and with the figures as tables.

Only the arm `image` is the benchmark. `blind` shows what question and options give away, `table` what
reasoning is worth without perception.
"""

from __future__ import annotations

from typing import Any

from assay.suites.sgi.metrics.reasoning import letter
from assay.task import Task


def lettered(options: list[str]) -> str:
    """The options as they are shown, a line each."""
    return "\n".join(f"{letter(k)}. {option}" for k, option in enumerate(options))


def parts(task: Task) -> tuple[Any, ...]:
    """What is shown of a task: the question, its options, and the pictures or tables of its arm."""
    columns = task.public["columns"]
    table = [task.public["table"]] if "table" in task.public else []
    return (columns["question"], lettered(columns["options"]), *table, *task.blobs)

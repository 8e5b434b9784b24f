"""What a task says of its lab: apart from the generator of tasks, whose change moves no episode."""

from __future__ import annotations

from dataclasses import replace

from assay.suites.pilab.environment.parameters import PUBLISHED, Parameters
from assay.suites.pilab.lab.state import Lab
from assay.task import Task


def lab_of(task: Task) -> Lab:
    """The lab of a task, in its first month."""
    return Lab(task.hidden["lab_seed"], parameters_of(task), task.public["mode"])


def parameters_of(task: Task) -> Parameters:
    """The parameters of a task's world: the published ones, over its own horizon."""
    return replace(PUBLISHED, months=task.public["months"])

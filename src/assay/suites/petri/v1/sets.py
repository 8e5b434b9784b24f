"""The task sets v1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Strict

from assay.config import data
from assay.config.data import CLOSED, Count
from assay.protocol import COMMITTED, TaskSet
from assay.suites.petri.questions.answers import BUDGET

DATA_FILES = ("../data/v1_sets.yaml",)


@dataclass(frozen=True)
class _Entry:
    __pydantic_config__ = CLOSED

    doc: str
    size: Count
    tier: str
    members: Count = 4
    question: str = ""
    budgets: tuple[Count, ...] = (BUDGET,)
    proof: bool = False
    seed: Annotated[int, Strict()] = COMMITTED

    def task_set(self) -> TaskSet:
        params = {"tier": self.tier, "members": self.members, "budgets": list(self.budgets), "held": True}
        if self.proof:
            params["proof"] = True
        if self.question:
            params["question"] = self.question
        return TaskSet(self.size, self.seed, self.doc, params)


_ENTRIES: Mapping[str, _Entry] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, _Entry])

SETS: Mapping[str, TaskSet] = {name: entry.task_set() for name, entry in _ENTRIES.items()}
"""The task sets by name."""

"""A suite's reference algorithm as an agent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import BlobRef, Blobs, Brief, Call, Solver
from assay.task import Task


@dataclass(frozen=True)
class SolverAgent:
    """A solver as an agent. It gets the hidden truth only if it is declared privileged.

    Attributes:
        solver: The solver.
        task: The task.
        blobs: The pictures and files of the task, for a solver that declares `sees`.
    """

    solver: Solver
    task: Task
    blobs: Blobs | None = None

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Play one episode."""
        hidden: Any = self.task.hidden if self.solver.privileged else None
        if self.solver.sees and self.blobs is not None:
            parts: Any = tuple(
                self.blobs.get(part.sha256) if isinstance(part, BlobRef) else part for part in brief.parts
            )
            brief = replace(brief, parts=parts)
        self.solver.act(brief, call, stream, hidden)

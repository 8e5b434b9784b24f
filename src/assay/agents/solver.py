"""A suite's reference algorithm as an agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.protocol import Brief, Call, Solver
from assay.rng import Stream
from assay.task import Task


@dataclass(frozen=True)
class SolverAgent:
    """A solver at the harness; it is told the truth only where it is declared privileged."""

    solver: Solver
    task: Task

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Play one episode."""
        hidden: Any = self.task.hidden if self.solver.privileged else None
        self.solver.act(brief, call, stream, hidden)

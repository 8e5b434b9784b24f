"""A solver that sees gets the contents of its brief, any other their references."""

from __future__ import annotations

from typing import Any

import pytest

from assay.agents.solver import SolverAgent
from assay.episodes.blobs import MemoryBlobs
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result, Solver
from assay.task import Task


@pytest.mark.parametrize("sees", [False, True])
def test_contents_are_given_to_a_solver_that_sees(sees: bool) -> None:
    blobs = MemoryBlobs()
    picture = blobs.put(b"pixels", "image/png")
    found: list[Any] = []

    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        found.extend(brief.parts)

    task = Task("made-up", "set", "task", 1, 1, {}, {}, {}, (picture,))
    brief = Brief("", ("look", picture), (), {})
    SolverAgent(Solver(act, "", sees=sees), task, blobs).act(brief, lambda *_: Result(), Stream(0))
    assert found == ["look", b"pixels" if sees else picture]

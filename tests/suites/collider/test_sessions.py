"""The normalised trace, and prices by list."""

from __future__ import annotations

import pytest
from tests.suites.collider.mocks import mock_task

from assay.agents.solver import SolverAgent
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.suite import suite
from assay.suites.collider.provenance import sessions
from assay.suites.collider.solvers import SOLVERS


def test_a_trace_tells_every_call_and_its_result() -> None:
    collider, blobs, task = suite("collider"), MemoryBlobs(), mock_task()
    materials = materials_for(collider, blobs)
    agent = SolverAgent(SOLVERS["mock-truncated"], task)
    episode = play(collider, task, "mock-truncated", agent, 0, materials)
    lines = list(sessions.trace(episode))
    assert [line["seq"] for line in lines] == list(range(len(lines)))
    assert [line["kind"] for line in lines] == ["tool_call", "tool_result", "usage", "end"]
    assert len({frozenset(line) for line in lines}) == 1
    assert (lines[0]["tool"], lines[0]["args"]["events"], lines[1]["exit_code"]) == ("generate", 2000, 0)
    assert lines[-1]["stdout_head"] == "no_submission"
    assert sessions.usage(episode)["events"] == 2000


@pytest.mark.parametrize(
    ("model", "day", "dollars", "priced"),
    [
        ("gpt-5.4", "2026-05-01", 2.5 * 0.6 + 0.25 * 0.4 + 15, True),
        ("gpt-5.4-mini-2026", "2026-05-01", 0.75 * 0.6 + 0.075 * 0.4 + 4.5, True),
        ("gpt-5.4", "2025-01-01", 0, False),
        ("unheard-of", "2026-05-01", 0, False),
    ],
)
def test_prices_are_of_the_longest_name_and_the_day(
    model: str, day: str, dollars: float, priced: bool
) -> None:
    cost = sessions.price(model, day, 1_000_000, 1_000_000, 400_000)
    assert (cost.dollars, cost.priced) == (pytest.approx(dollars), priced)

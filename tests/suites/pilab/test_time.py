"""The time limit of a block counts tools: slow queries, floods of output, many calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.suites.pilab.episodes import code, play

from assay.episode import Episode
from assay.protocol import Brief, Call, Json
from assay.sandbox.outcome import Outcome
from assay.sessions.replay import Given
from assay.suites.pilab import world

SLOW = (
    "with recursive t(x) as (select 1 union all select x + 1 from t where x < 1000000), "
    "s(a, b) as (select printf('%.*c', 9000, 'a'), printf('%.*c', 4500, 'a') || 'b') select "
    + ", ".join("+".join(["instr(a, b)"] * 8) for _ in range(50))
    + " from t, s order by 1"
)
"""A statement that takes minutes for two million steps of SQLite's machine."""

QUERIES = (
    f"while True:\n    try:\n        query({SLOW!r})\n    except ApiError as error:\n        print(error)"
)
BLOCKS = {
    "queries": QUERIES,
    "queries in spite of interrupts": QUERIES.replace("ApiError", "BaseException"),
    "endless": "while True:\n    pass",
    "output": "while True:\n    print('x' * 1000)",
    "calls": "for n in range(2000):\n    lab.dashboard(); field.news(100000)",
}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> float:
    """Blocks of one second."""
    limits = replace(world.POLICY.limits, wall=1.0)
    monkeypatch.setattr(world, "POLICY", replace(world.POLICY, limits=limits))
    return limits.wall


def outcomes(episode: Episode) -> list[Any]:
    found = [event.parts[0] for event in episode.events if event.kind == "outside"]
    return [value for value in found if isinstance(value, dict)]


def play_block(text: str, task_set: str, **more: Any) -> Episode:
    def plays(brief: Brief, call: Call) -> None:
        code(call, text)

    episode, _ = play(plays, task_set=task_set, **more)
    return episode


@pytest.mark.parametrize("task_set", ["closed-v1", ""])
def test_slow_queries_end_with_their_block(short: float, task_set: str) -> None:
    (outcome,) = outcomes(play_block(QUERIES, task_set))
    assert outcome["status"] == "timeout"


@pytest.mark.full
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_lasts_no_longer_than_its_limit_and_half_a_second(
    short: float, block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds: list[float] = []

    class Timed(world.Box):
        def run(self, code: str, call: Call | None = None) -> Outcome:
            outcome = super().run(code, call)
            seconds.append(outcome.usage.wall)
            return outcome

    monkeypatch.setattr(world, "Box", Timed)
    play_block(BLOCKS[block], "closed-v1")
    assert seconds
    assert max(seconds) <= short + 0.5


def test_a_replay_knows_which_query_was_late(short: float) -> None:
    episode = play_block(QUERIES, "closed-v1")
    late = [event for event in episode.events if event.tool == "query" and event.kind == "code"]
    assert late
    assert not late[-1].ok

    def beyond(run: object, call: object) -> Json:
        raise AssertionError("nothing is left to ask for")

    again = play_block(QUERIES, "closed-v1", outside=Given([e.to_json() for e in episode.events], beyond))
    assert again.events == episode.events

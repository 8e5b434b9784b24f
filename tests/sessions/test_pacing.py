"""Fixed reply times of live sessions: what is delayed, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from assay.protocol import Result, refused
from assay.sessions import pacing
from assay.sessions.pacing import Pace


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each wait; the clock advances by one second at each look."""
    waits: list[float] = []
    clock = iter(range(100))
    monkeypatch.setattr(pacing.time, "sleep", waits.append)
    monkeypatch.setattr(pacing.time, "monotonic", lambda: float(next(clock)))
    return waits


def answer(result: Result) -> Any:
    return lambda tool, arguments: result


def test_a_charged_result_waits_for_the_rest_of_its_time(slept: list[float]) -> None:
    pace = Pace({"probe": 5.0})
    pace.call(answer(Result((1,), charged=1)), "probe", {})
    assert slept == [4.0]
    assert pace.late == 0


def test_a_slow_machine_is_counted(slept: list[float]) -> None:
    pace = Pace({"probe": 0.6})
    pace.call(answer(Result((1,), charged=1)), "probe", {})
    assert slept == [pytest.approx(0.2)], "one second was spent: the result comes at the second multiple"
    assert pace.late == 1


@pytest.mark.parametrize(
    ("tool", "result", "live"),
    [
        ("claim", Result(("noted",)), True),
        ("probe", refused("an error"), True),
        ("probe", Result((1,), charged=1), False),
    ],
)
def test_free_refused_and_repeated_calls_do_not_wait(
    slept: list[float], tool: str, result: Result, live: bool
) -> None:
    assert Pace({"probe": 5.0}).call(answer(result), tool, {}, lambda: live) is result
    assert slept == []

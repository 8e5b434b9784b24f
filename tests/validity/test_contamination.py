"""Public less fresh: Welch's test against known values, its table, its power and false alarms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats

from assay.cli.fresh import share
from assay.numbers import rng
from assay.protocol import Yardstick
from assay.tables.suite_tables import contamination_table
from assay.validity.contamination import CONTAMINATION, _is_suspicious, gap, power
from assay.validity.fresh import Fresh, read

PUBLIC = (80.0, 95.0, 92.5, 100.0, 60.0, 85.0, 97.5, 90.0)
FRESH = (40.0, 70.0, 92.5, 30.0, 55.0, 80.0, 62.5)


def test_the_gap_is_that_of_welch() -> None:
    found = gap(PUBLIC, FRESH)
    expected = stats.ttest_ind(PUBLIC, FRESH, equal_var=False)
    interval = expected.confidence_interval()
    assert found.difference == pytest.approx(87.5 - 430 / 7)
    assert found.p == pytest.approx(expected.pvalue, rel=0.05)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=0.01)
    assert found.suspicious


def test_fewer_points_in_the_public_set_are_not_suspicious() -> None:
    assert gap(FRESH, PUBLIC).p == gap(PUBLIC, FRESH).p
    assert not gap(FRESH, PUBLIC).suspicious


def test_without_any_spread_only_a_difference_counts() -> None:
    assert gap([1.0, 1.0], [1.0, 1.0]).p == 1.0
    assert gap([2.0, 2.0], [1.0, 1.0]).suspicious
    with pytest.raises(ValueError, match="two tasks"):
        gap([1.0], [1.0, 2.0])


def episodes(name: str, mean: float, n: int = 400) -> list[float]:
    stream = rng.stream(0, "episodes", name)
    return [100.0 if stream.uniform() < mean else 30.0 * stream.uniform() for _ in range(n)]


def test_who_knows_the_public_answers_is_flagged() -> None:
    known, unknown = [100.0] * 400, episodes("reader", 0.3)
    assert power(known, unknown, 30, rng.stream(0, "reader")) >= 0.95


def test_the_simulation_decides_as_the_comparison_does() -> None:
    for at in range(60):
        stream = rng.stream(0, "pairs", at)
        sets = [[stream.choice((0.0, 0.5, 0.7, 1.0)) + 0.2 * n for _ in range(5)] for n in (at % 3, 0)]
        assert _is_suspicious(*sets) == gap(*sets).suspicious


def test_honest_agents_are_seldom_flagged() -> None:
    same = episodes("honest", 0.5)
    assert power(same, same, 30, rng.stream(0, "honest")) <= 0.05


ROOT = Path(__file__).resolve().parents[2]

POINTS = Yardstick(1.0, 0.0)
GATED = Yardstick(1.0, 0.0, gate=("verdict", "PASSED"))


def tables(*rows: tuple[str, str, str, float], fresh: tuple[Fresh, ...] = ()) -> dict[str, Any]:
    """The common tables of these agents, sets, tasks and scores; each task whose score is 9 did not pass."""
    episodes = [(agent, name, task, 0, "done") for agent, name, task, _ in rows]
    scores = [(a, name, t, 0, "default", "score", None, min(s, 1.0)) for a, name, t, s in rows]
    flags = [(a, name, t, 0, "verdict", "FAILED" if s == 9 else "PASSED, soft") for a, name, t, s in rows]
    keys = ["agent", "task_set", "task_id", "attempt"]
    return {
        "episodes": pd.DataFrame(episodes, columns=[*keys, "status"]),
        "scores": pd.DataFrame(scores, columns=[*keys, "profile", "metric", "step", "value"]),
        "audit": pd.DataFrame(flags, columns=[*keys, "flag", "label"]),
        "fresh": list(fresh),
    }


def both(
    agent: str, public: tuple[float, ...], hidden: tuple[float, ...]
) -> list[tuple[str, str, str, float]]:
    sets = (("a-v1", public), ("a-v1.private", hidden))
    return [(agent, name, str(at), score) for name, scores in sets for at, score in enumerate(scores)]


def test_who_played_a_public_and_a_private_set_has_a_row() -> None:
    rows = [*both("reader", (1.0, 0.9, 1.0), (0.1, 0.3, 0.2)), ("stranger", "a-v1", "0", 0.5)]
    table = contamination_table(POINTS).make(tables(*rows))
    assert list(table.columns) == list(CONTAMINATION.names)
    (row,) = table.to_dict("records")
    assert (row["agent"], row["task_set"], row["fresh_set"]) == ("reader", "a-v1", "a-v1.private")
    expected = gap([1.0, 0.9, 1.0], [0.1, 0.3, 0.2])
    assert (row["difference"], row["low"], row["p"]) == (expected.difference, expected.low, expected.p)


def test_tasks_that_were_kept_count_as_fresh_and_what_does_not_pass_the_gate_counts_nothing() -> None:
    kept = Fresh("a-v1", 1, 2, {"solver": "reference"}, {"solver": (0.5, 0.25)})
    played = tables(("solver", "a-v1", "0", 9.0), ("solver", "a-v1", "1", 0.5), fresh=(kept,))
    (row,) = contamination_table(GATED).make(played).to_dict("records")
    assert (row["fresh_set"], row["public"], row["fresh"]) == ("a-v1.fresh", 0.25, 0.375)


def test_without_fresh_tasks_there_is_no_row() -> None:
    assert len(contamination_table(POINTS).make(tables(("solver", "a-v1", "0", 0.5)))) == 0


@pytest.mark.parametrize(
    ("suite", "task_set", "size", "knows", "blind", "honest"),
    [
        ("causalab", "main-v1", 50, "able-100", "shortcut-dummy", "exact"),
        ("sgi", "wet-v0", 20, "able-100", "shortcut-dummy", "planner"),
        ("sgi", "research-v0", 12, "able-100", "shortcut-dummy", "able-50"),
    ],
)
def test_public_answers_are_found_at_the_size_of_the_set_and_honest_agents_are_not_accused(
    suite: str, task_set: str, size: int, knows: str, blind: str, honest: str
) -> None:
    fresh = read(ROOT / "config/fresh" / suite / f"{task_set}.json")
    assert fresh.tasks >= 200
    assert share(fresh, suite, knows, blind, size) >= 0.95
    assert share(fresh, suite, honest, honest, size) <= 0.05

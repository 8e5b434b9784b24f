"""Cells of a leaderboard: what is kept, what is left out, and both denominators of Acc."""

from __future__ import annotations

import math

import pandas as pd

from assay.suites.collider.tables import leaderboard


def tables(*runs: tuple[str, int, float, str]) -> dict[str, pd.DataFrame]:
    """Runs as (task, attempt, d, verdict) of one agent."""
    scores, audit = [], []
    for task, attempt, d, verdict in runs:
        identity = {"task_set": "cms-v0", "task_id": task, "agent": "a", "attempt": attempt}
        for metric, value in {"d": d, "solved": float(d < 0.33), "d_shape": None}.items():
            scores.append({**identity, "metric": metric, "value": value})
        audit.append({**identity, "flag": "verdict", "label": verdict})
    return {"scores": pd.DataFrame(scores), "audit": pd.DataFrame(audit)}


def test_fabricated_runs_are_left_out_of_the_mean_and_failed_ones_stay() -> None:
    made = tables(
        ("t1", 0, 0.1, "PASSED"),
        ("t1", 1, 0.3, "PASSED"),
        ("t1", 2, 0.0, "FABRICATED"),
        ("t2", 0, 1.0, "FAILED"),
        ("t3", 0, 0.0, "UNDECIDED"),
    )
    cells = leaderboard.distances(made).set_index("task_id")
    assert cells.loc["t1", "d"] == 0.2
    assert math.isclose(cells.loc["t1", "d_deviation"], math.sqrt(0.02))
    assert math.isclose(cells.loc["t1", "d_any"], 0.4 / 3)
    assert cells.loc["t2", "d"] == 1.0 and math.isnan(cells.loc["t2", "d_deviation"])
    assert math.isnan(cells.loc["t3", "d"])
    (row,) = leaderboard.agents(made).itertuples(index=False)
    assert (row.passed, row.failed, row.undecided, row.fabricated) == (2, 1, 1, 1)
    assert math.isclose(row.acc_kept, 2 / 3)
    assert math.isclose(row.acc, 2 / 5)
    assert (row.d, row.d_median) == (0.6, 0.6)


def test_one_wild_cell_moves_the_mean_and_not_the_median() -> None:
    runs = [(f"t{n}", 0, d, "PASSED") for n, d in enumerate((0.2, 0.4, 1117.0))]
    (row,) = leaderboard.agents(tables(*runs)).itertuples(index=False)
    assert row.d > 300
    assert row.d_median == 0.4

"""Agents against each other: passes, pairs, and what could have been seen."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assay.numbers import rng
from assay.tables.rivals import detectable
from assay.tables.suite_tables import pairs_table, passes_table


def tables(scores: dict[tuple[str, str, int], float | None], told: str = "", tokens: bool = False) -> Any:
    """The common tables of scores by agent, task and attempt; an episode has as many calls as its attempt."""
    keys = [("s-v0", task, agent, attempt) for agent, task, attempt in scores]
    columns = ["task_set", "task_id", "agent", "attempt"]
    found = pd.DataFrame(keys, columns=columns).assign(profile="default", step=float("nan"))
    value = [float("nan") if v is None else v for v in scores.values()]
    episodes = pd.DataFrame(keys, columns=columns).assign(
        privileged=lambda f: f["agent"] == told,
        counters=lambda f: [json.dumps({"calls": n}) for n in f["attempt"]],
        tokens_in=pd.array([10 if tokens else None] * len(keys), dtype="Int64"),
        tokens_out=pd.array([5 if tokens else None] * len(keys), dtype="Int64"),
    )
    return {
        "scores": pd.concat(
            [found.assign(metric="score", value=value), found.assign(metric="solved", value=1.0)]
        ),
        "episodes": episodes,
    }


def test_passes_have_their_range_and_their_cost() -> None:
    found = passes_table().make(
        tables({("a", "1", 0): 10, ("a", "2", 0): 30, ("a", "1", 1): 50, ("a", "2", 1): None}, tokens=True)
    )
    rows = {(None if r.attempt is pd.NA else r.attempt): r for r in found.itertuples(index=False)}
    assert [rows[None].tasks, rows[0].tasks, rows[1].tasks] == [2, 2, 1]
    assert [rows[None].score, rows[0].score, rows[1].score] == [(30 + 30) / 2, 20, 50]
    assert (rows[None].lowest, rows[None].highest) == (20, 50)
    assert (rows[0].lowest, rows[0].highest) == (20, 20)
    assert [rows[None].calls, rows[0].calls, rows[1].calls] == [0.5, 0, 1]
    assert rows[None].tokens == 15 and rows[None].solved == 1


def test_solvers_cost_no_tokens() -> None:
    found = passes_table().make(tables({("a", "1", 0): 10}))
    assert found["tokens"].isna().all()
    empty = passes_table().make(tables({("a", "1", 0): None}))
    assert len(empty) == 0


def test_pairs_are_tested_and_corrected_over_the_set() -> None:
    stream = rng.stream(0, "pairs")
    scores = {
        (agent, str(task), 0): round(shift + 10 * stream.uniform(), 3)
        for agent, shift in (("a", 0), ("b", 6), ("c", 6.5), ("oracle", 50))
        for task in range(12)
    }
    found = pairs_table().make(tables({**scores, ("d", "far", 0): 1.0}, told="oracle"))
    rows = {(r.first, r.second): r for r in found.itertuples(index=False)}
    assert sorted(rows) == [("a", "b"), ("a", "c"), ("b", "c")]  # d shares no task; the oracle was told
    values = {agent: np.array([scores[agent, str(t), 0] for t in range(12)]) for agent in "abc"}
    raw = {pair: stats.wilcoxon(values[pair[0]], values[pair[1]], method="exact").pvalue for pair in rows}
    for pair, row in rows.items():
        difference = values[pair[0]] - values[pair[1]]
        assert row.p == pytest.approx(raw[pair], abs=1e-6) and row.exact
        assert row.margin == pytest.approx(difference.mean())
        assert (row.better, row.worse) == ((difference > 0).sum(), (difference < 0).sum())
        spread = difference.std(ddof=1) / math.sqrt(12)
        assert row.detectable == pytest.approx((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * spread)
    ordered = sorted(raw, key=lambda pair: raw[pair])
    assert rows[ordered[0]].p_holm == pytest.approx(min(1, 3 * raw[ordered[0]]), abs=1e-6)


def test_what_is_called_detectable_is_seen_four_times_in_five() -> None:
    generator = np.random.default_rng(1)
    n, spread = 40, 3.0
    shift = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * spread / math.sqrt(n)
    stated = detectable(list(generator.normal(0, spread, n)))
    assert stated is not None and abs(stated / shift - 1) < 0.35
    seen = [stats.ttest_1samp(generator.normal(shift, spread, n), 0).pvalue < 0.05 for _ in range(2000)]
    assert 0.75 < np.mean(seen) < 0.84
    assert detectable([1.0]) is None

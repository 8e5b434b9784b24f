"""The axes of a run, worked by hand on a record small enough for that, and each at its edges."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import pytest

from assay.suites.pilab.measures import axes
from assay.suites.pilab.measures.axes import AXES, NEXT_MONTH

RECORD: dict[str, Any] = {
    "summary": {
        "months_survived": 4,
        "publications": 3,
        "grants_won": 1,
        "grant_dollars": 90_000.0,
        "projected": 30.0,
        "impact": 120.0,
        "collapsed": False,
    },
    "actions": [[1, "recruit.hire_ra"], [1, NEXT_MONTH], [2, "projects.start"], [2, NEXT_MONTH], [3, "x"]],
    "interviewed_offers": [True, False, True, True],
    "proposals": [{}, {}, {}],
    "people": [
        {"role": "phd", "status": "quit", "ability": 0.5},
        {"role": "phd", "status": "active", "ability": 0.9},
        {"role": "postdoc", "status": "quit", "ability": 0.4},
        {"role": "ra", "status": "quit", "ability": 0.1},
    ],
    "projects": [
        # Rich: more than 18 months of money and two idle hands.
        project
        | {"topic_rank": rank, "topic": topic, "future_hot": future, "hot_at_start": 1.0, "status": status}
        for rank, topic, future, status, project in [
            (1, "a", 3.0, "deadend", {"tier": 3, "runway_at_start": 18.5, "idle_at_start": 2, "started": 5}),
            (4, "a", 1.5, "done", {"tier": 1, "runway_at_start": 18.0, "idle_at_start": 2, "started": 2}),
            (4, "b", 0.0, "deadend", {"tier": 2, "runway_at_start": 30.0, "idle_at_start": 1, "started": 1}),
            (7, "a", 1.5, "active", {"tier": 1, "runway_at_start": None, "idle_at_start": 9, "started": 9}),
        ]
    ],
    "papers": [
        {"boom": 2.5, "citations": 60},
        {"boom": 4.0, "citations": 30},
        {"boom": 1.0, "citations": 10},
    ],
    "months": [
        {"month": 1, "researchers": 2, "attention_used": 98.0, "attention_pool": 100.0, "citations": 0},
        {"month": 2, "researchers": 3, "attention_used": 50.0, "attention_pool": 100.0, "citations": 7},
        {"month": 3, "researchers": 3, "attention_used": 97.9, "attention_pool": 100.0, "citations": 9},
        {"month": 4, "researchers": 1, "attention_used": 30.0, "attention_pool": 50.0, "citations": 9},
    ],
    # Hours, ability, growth, share already known, and a name; the gain is growth * ability * (1 - share).
    "mentoring": [
        [1, [[6.0, 0.5, 1.0, 0.0, "p"], [2.0, 0.9, 0.5, 0.0, "q"], [2.0, 0.2, 1.0, 0.5, "r"]]],
        [2, [[9.0, 0.5, 1.0, 0.0, "p"]]],  # nobody to choose from
        [3, [[0.0, 0.5, 1.0, 0.0, "p"], [0.0, 0.9, 0.5, 0.0, "q"]]],  # no mentoring
        [4, [[1.0, 0.9, 1.0, 0.0, "p"], [3.0, 0.1, 1.0, 0.0, "q"]]],
    ],
}

BY_HAND = {
    "actions_per_month": 3 / 4,
    "conversion": 12 * 3 / 9,
    "interview_coverage": 3 / 4,
    "hit_rate": 1 / 3,
    "dollars_per_proposal": 30_000.0,
    "topic_rank": 4.0,
    "concentration": (9 + 1) / 16,
    "mentoring_share": (0.8 + 0.25) / 2,  # p and q are the better half of three, p of two
    "mentoring_excess": ((0.8 - 2 / 3) + (0.25 - 1 / 2)) / 2,
    "risk_calibration": 3 - 4 / 3,
    "anticipation": (2.0 + 0.5 - 1.0 + 0.5) / 4,
    "attrition": 1 / 2,
    "hired_ability": (0.5 + 0.9 + 0.4) / 3,
    "utilization": (0.98 + 0.5 + 0.979 + 0.6) / 4,
    "at_the_ceiling": 1 / 4,
    "boom_captured": 4.0,
    "top_share": 0.6,
    "projection_share": 0.25,
    "dead_ends": 2.0,
}


@pytest.mark.parametrize("name", AXES)
def test_the_axis_is_what_it_is_by_hand(name: str) -> None:
    assert AXES[name](RECORD) == pytest.approx(BY_HAND[name], rel=1e-12)


def test_a_run_without_anything_has_no_axes() -> None:
    empty: dict[str, Any] = {name: [] for name in RECORD if name != "summary"}
    empty["summary"] = dict.fromkeys(RECORD["summary"], 0)
    found = {name: axis(empty) for name, axis in AXES.items()}
    assert found == dict.fromkeys(AXES) | {"dead_ends": 0.0}


@pytest.mark.parametrize("kept", [[0], [1, 2, 3]])
def test_risk_needs_both_kinds_of_project(kept: list[int]) -> None:
    record = deepcopy(RECORD)
    record["projects"] = [record["projects"][n] for n in kept]
    assert axes.risk_calibration(record) is None


def test_a_month_of_little_mentoring_counts() -> None:
    record = deepcopy(RECORD)
    record["mentoring"] = [[1, [[0.25, 0.9, 1.0, 0.0, "p"], [0.25, 0.1, 1.0, 0.0, "q"]]]]
    assert axes.mentoring_share(record) == 0.5


def test_the_census_at_its_edges() -> None:
    assert axes.hires(RECORD) == 4
    assert axes.archetype(RECORD) == "steady-modest"
    assert axes.census(True, 8, 3, 800.0) == "bankrupt", "whatever it had built before"
    assert [axes.census(False, hired, 3, 0) for hired in (2, 3)] == ["never-built", "steady-modest"]
    assert [axes.census(False, 3, papers, 0) for papers in (2, 3)] == ["never-built", "steady-modest"]
    assert [axes.census(False, 8, 3, impact) for impact in (799.9, 800.0)] == [
        "overbuilt-churn",
        "boom-rider",
    ]


def test_when_a_topic_was_entered_and_what_was_cited_then() -> None:
    assert (axes.entry(RECORD, "a"), axes.entry(RECORD, "b"), axes.entry(RECORD, "c")) == (2, 1, None)
    assert [axes.citations_at(RECORD, month) for month in (0, 1, 2, 3, 4, 99)] == [0, 0, 7, 9, 9, 9]


def test_ranks_and_their_correlation() -> None:
    assert axes.ranks([]) == []
    assert axes.ranks([3.0, 1.0, 3.0, 2.0, 3.0]) == [4.0, 1.0, 4.0, 2.0, 4.0]
    assert axes.ranks([5.0, 5.0, 9.0]) == [1.5, 1.5, 3.0]
    assert axes.spearman([1, 2], [1, 2]) is None
    assert axes.spearman([1, 2, 3], [2, 2, 2]) is None
    assert axes.spearman([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5)
    assert axes.spearman([1, 2, 3, 4], [4, 3, 1, 2]) == pytest.approx(-0.8)


def test_quantiles_between_and_at_values() -> None:
    found = [axes.quantile([4.0, 1.0, 2.0], share) for share in (0, 0.25, 0.5, 0.75, 1)]
    assert found == [1.0, 1.5, 2.0, 3.0, 4.0]
    assert axes.quantile([7.0], 0.3) == 7.0


def test_shares_of_variance() -> None:
    assert axes.variance_shares([[1.0, 1.0], [1.0, 1.0]]) == (0.0, 0.0, 0.0)
    # Rows differ by 3, columns by 1, and one corner by 1 more: sums of squares 12.25, 2.25, 0.25 of 14.75.
    found = axes.variance_shares([[0.0, 1.0], [3.0, 5.0]])
    assert found == pytest.approx((12.25 / 14.75, 2.25 / 14.75, 0.25 / 14.75))
    assert axes.variance_shares([[0.0, 0.25], [0.0, 0.25]]) == pytest.approx((0.0, 1.0, 0.0))  # of little
    assert axes.variance_shares([[1.0, 2.0, 3.0]]) == pytest.approx((0.0, 1.0, 0.0))
    found = axes.variance_shares([[0.0, 1.0, 2.0], [0.0, 1.0, 5.0]])
    assert math.fsum(found) == pytest.approx(1)
    assert found == pytest.approx((1.5 / 17.5, 13.0 / 17.5, 3.0 / 17.5))


def test_the_interval_of_a_rank_correlation() -> None:
    low, high = axes.spearman_interval(0.5, 12)
    assert (low, high) == (pytest.approx(-0.1431, abs=1e-3), pytest.approx(0.8463, abs=1e-3))
    assert axes.spearman_interval(-0.5, 12) == (pytest.approx(-high), pytest.approx(-low))
    assert axes.spearman_interval(0.5, 3) == axes.spearman_interval(1.0, 12) == (None, None)

"""The frontier of score against cost, and the costs that episodes have."""

from __future__ import annotations

from typing import Any

import pytest

from assay.config.models import DatedPrice
from assay.numbers.frontier import shares
from assay.numbers.rng import stream
from assay.stages.shared.costs import Costs


def test_an_agent_that_is_dominated_in_every_task_is_never_on_the_frontier() -> None:
    scores = [[0.9] * 20, [0.5] * 20, [0.5] * 20, [0.2] * 20]
    costs = [[3.0] * 20, [1.0] * 20, [2.0] * 20, [1.0] * 20]
    assert shares(scores, costs, stream(0, "t")) == [1.0, 1.0, 0.0, 0.0]


def test_an_uncertain_lead_is_uncertain() -> None:
    # Equal costs, and scores that are equal on average: each agent leads in about half of the samples.
    first = [1.0, 0.0] * 20
    values = shares([first, first[::-1]], [[1.0] * 40] * 2, stream(0, "t"))
    assert 0.4 < min(values) <= max(values) < 0.65


def test_equal_agents_are_both_on_the_frontier() -> None:
    assert shares([[0.5, 0.7]] * 2, [[1.0, 2.0]] * 2, stream(0, "t")) == [1.0, 1.0]
    assert shares([[]], [[]], stream(0, "t")) == [0.0]


@pytest.mark.parametrize(
    ("price", "tokens", "dollars", "words"),
    [
        ({"tokens_in": 1.0, "tokens_out": 4.0, "date": "2026-01-31"}, (500_000, 250_000), 1.5, "2026-01-31"),
        ({"tokens_in": 1.0, "tokens_out": 4.0, "date": "2026-01-31"}, (None, None), None, "not counted"),
        ({"reason": "it ran at home"}, (1, 1), None, "it ran at home"),
        (None, (1, 1), None, "not known"),
    ],
)
def test_a_row_has_dollars_or_the_reason_why_not(
    price: Any, tokens: tuple[Any, Any], dollars: float | None, words: str
) -> None:
    costs = Costs({} if price is None else {"a": price})
    costs.dollars["set", "a"]["task"] = [costs._charged("a", *tokens)]
    row = costs.row("set", "a")
    assert row["dollars"] == dollars
    assert words in row["cost"]


def test_a_price_has_a_date_or_a_reason() -> None:
    DatedPrice(tokens_in=1.0, tokens_out=2.0, date="2026-01-31")
    DatedPrice(reason="nobody charges")
    for wrong in (
        {"tokens_in": 1.0, "tokens_out": 2.0},
        {"tokens_in": 1.0, "tokens_out": 2.0, "date": "2026-01-31", "reason": "both"},
        {},
    ):
        with pytest.raises(ValueError, match="give tokens_in"):
            DatedPrice(**wrong)

"""How what is logged of an episode becomes a number on an axis."""

from __future__ import annotations

import pytest

from assay.protocol import Evidence
from assay.report.axes import measured, spoken


@pytest.mark.parametrize(
    ("value", "found"), [(0.0, 0.0), (10.0, 0.5), (20.0, 1.0), (25.0, 1.0), (-3.0, 0.0), (None, None)]
)
def test_a_metric_is_cut_to_its_scale(value: float | None, found: float | None) -> None:
    assert measured(Evidence("metric", "efficiency", 0, 20), value, None, "") == found


def test_less_may_be_better() -> None:
    rank = Evidence("metric", "rank", worst=8, best=1)
    assert [measured(rank, value, None, "") for value in (8.0, 4.5, 1.0)] == [0.0, 0.5, 1.0]


def test_a_flag_counts_where_it_is_decided() -> None:
    flag = Evidence("flag", "fabricated")
    assert [measured(flag, None, raised, "") for raised in (False, True, None)] == [1.0, 0.0, None]


def test_a_statement_counts_where_its_label_says_something() -> None:
    said = Evidence("statement", "support", labels=("isolating",), against=("unbacked",))
    assert [measured(said, None, None, label) for label in ("isolating", "unbacked", "measured", "")] == [
        1.0,
        0.0,
        None,
        None,
    ]
    assert spoken([said]) == "support is isolating, not unbacked"

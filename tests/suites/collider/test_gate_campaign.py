"""Error rates of the gate on honest and composed runs: a committed table of 600 verdicts, played again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.collider.mocks import mock_task

from assay.suites.collider.drills import campaign
from assay.suites.collider.drills.campaign import HONEST, Row
from assay.suites.collider.measures.metrics import TAU

TABLE = Path(__file__).parent / "gate.csv"

ROWS = campaign.read(TABLE.read_text())
ALL_HONEST = [row for row in ROWS if row.conduct == HONEST]
ALL_FORGED = [row for row in ROWS if row.conduct != HONEST]


def played(honest: int, forged: int) -> list[Row]:
    return list(campaign.played([mock_task(n) for n in range(6)], honest, forged))


def test_the_table_holds_the_promised_error_rates() -> None:
    assert (len(ALL_HONEST), len(ALL_FORGED)) == (200, 400)
    verdicts = [row.verdict for row in ALL_HONEST]
    assert verdicts.count("FABRICATED") == verdicts.count("FAILED") == 0
    assert verdicts.count("UNDECIDED") <= 10
    passed = [row for row in ALL_FORGED if row.verdict == "PASSED"]
    assert len(passed) <= 20
    assert [row for row in passed if float(row.d) < TAU] == []
    # They come near enough to be worth the forgery.
    assert sum(float(row.d) < TAU for row in ALL_FORGED) > 300


def test_the_first_runs_get_their_verdicts_again() -> None:
    assert played(1, 2) == [*ALL_HONEST[:1], *ALL_FORGED[:2]]


@pytest.mark.full
def test_twenty_forgeries_and_ten_honest_runs_get_their_verdicts_again() -> None:
    assert played(10, 20) == [*ALL_HONEST[:10], *ALL_FORGED[:20]]


@pytest.mark.soak
def test_all_runs_get_their_verdicts_again() -> None:
    assert played(200, 400) == ROWS

"""Error rates of the gate on honest and composed runs: committed tables of verdicts, played again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.collider.mocks import task_of

from assay.suites.collider.chain import generation
from assay.suites.collider.drills import campaign
from assay.suites.collider.drills.campaign import HONEST, Row
from assay.suites.collider.measures.metrics import TAU
from assay.suites.collider.problems.sets import SETS
from assay.suites.collider.provenance.rules.hints import NEARER

FOLDER = Path(__file__).parent

needs_chain = pytest.mark.skipif(
    not generation.available(), reason="the chain needs its programs: make setup EXTRAS=collider"
)


def kept(name: str) -> tuple[list[Row], list[Row]]:
    """Return the honest and the forged runs of a committed table."""
    rows = campaign.read((FOLDER / name).read_text())
    return [row for row in rows if row.conduct == HONEST], [row for row in rows if row.conduct != HONEST]


HONEST_RUNS, FORGED = kept("gate.csv")
HONEST_AT_OBJECTS, FORGED_AT_OBJECTS = kept("objects.csv")


def played(honest: int, forged: int, task_set: str = "mock-v0") -> list[Row]:
    tasks = [task_of(task_set, n) for n in range(SETS[task_set].size)]
    return list(campaign.played(tasks, honest, forged))


def test_the_table_holds_the_promised_error_rates() -> None:
    assert (len(HONEST_RUNS), len(FORGED)) == (200, 400)
    verdicts = [row.verdict for row in HONEST_RUNS]
    assert verdicts.count("FABRICATED") == verdicts.count("FAILED") == 0
    assert verdicts.count("UNDECIDED") <= 10
    passed = [row for row in FORGED if row.verdict == "PASSED"]
    assert len(passed) <= 20
    assert [row for row in passed if float(row.d) < TAU] == []
    # They come near enough to be worth the forgery.
    assert sum(float(row.d) < TAU for row in FORGED) > 300


def test_at_the_level_of_objects_no_forgery_gains_more_than_definitions_may() -> None:
    assert len(HONEST_AT_OBJECTS) >= 50 and len(FORGED_AT_OBJECTS) >= 100
    assert {row.verdict for row in HONEST_AT_OBJECTS} == {"PASSED"}
    passed = [row for row in FORGED_AT_OBJECTS if row.verdict == "PASSED"]
    assert len(passed) <= 0.05 * len(FORGED_AT_OBJECTS)
    # Only forgeries of an honest selection pass; the examination bounds what they gain in d.
    bent = {tuple(row.conduct.split(" / ")[:4]) for row in passed}
    assert {(sample, weights, output) for sample, _, weights, output in bent} <= {("own", "told", "events")}
    assert NEARER <= 0.05


def test_the_first_runs_get_their_verdicts_again() -> None:
    assert played(1, 2) == [*HONEST_RUNS[:1], *FORGED[:2]]


@pytest.mark.full
def test_twenty_forgeries_and_ten_honest_runs_get_their_verdicts_again() -> None:
    assert played(10, 20) == [*HONEST_RUNS[:10], *FORGED[:20]]


@pytest.mark.full
@needs_chain
def test_the_first_runs_at_the_level_of_objects_get_their_verdicts_again() -> None:
    assert played(2, 6, "objects-v1") == [*HONEST_AT_OBJECTS[:2], *FORGED_AT_OBJECTS[:6]]


@pytest.mark.soak
def test_all_runs_get_their_verdicts_again() -> None:
    assert played(200, 400) == [*HONEST_RUNS, *FORGED]


@pytest.mark.soak
@needs_chain
def test_all_runs_at_the_level_of_objects_get_their_verdicts_again() -> None:
    counts = len(HONEST_AT_OBJECTS), len(FORGED_AT_OBJECTS)
    assert played(*counts, "objects-v1") == [*HONEST_AT_OBJECTS, *FORGED_AT_OBJECTS]

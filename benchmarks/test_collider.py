"""How fast collider judges: one submission scored, one run through the gate, the toys of the published p
value.
"""

from __future__ import annotations

import pytest

from assay.blobs import MemoryBlobs
from assay.suites.collider import catalogue, drills, scorecard, toys, validity
from assay.suites.collider.gate import examine
from assay.suites.collider.hidden import question_of
from assay.suites.collider.histogram import write
from assay.suites.collider.sets import SETS
from assay.suites.collider.tasks import generate

ENTRIES = {entry.id: entry for entry in (*catalogue.cms(), *catalogue.atlas())}
SMALL, LARGE = "sus-16-034_sim-TChiWZ", "atlas-susy-2016-24_sim-TSlepSlep_SR2-SF-loose_mT2"


@pytest.mark.benchmark(group="one submission")
@pytest.mark.parametrize("name", [SMALL, LARGE])
def test_score(benchmark, name):
    """Validity, every metric and 1,000 bootstrap replicates; 4 and 20 bins. The aim is 5 ms."""
    reference = ENTRIES[name].reference()
    data = write(reference.binning, [1.1 * value for value in reference.yields]).encode()
    card = benchmark(scorecard.score, data, reference)
    assert card.d == pytest.approx(0.1)


@pytest.mark.benchmark(group="one submission")
def test_validity(benchmark):
    reference = ENTRIES[LARGE].reference()
    data = write(reference.binning, list(reference.yields)).encode()
    assert benchmark(validity.check, data, reference.binning).valid


@pytest.mark.benchmark(group="one run")
@pytest.mark.parametrize("events", [2_000, 20_000])
def test_gate(benchmark, events):
    found = SETS["mock-v0"]
    task = generate(found, "mock-v0", 1, found.seed, MemoryBlobs())
    run, question = drills.honest(task, 1, events).finished(), question_of(task)
    assert benchmark(examine, run, question).verdict == "PASSED"


@pytest.mark.benchmark(group="a million toys")
def test_toys(benchmark):
    r = ENTRIES[SMALL].yields
    y = [1.3 * value for value in r]
    assert benchmark.pedantic(toys.p_values, (y, r), rounds=1) is not None

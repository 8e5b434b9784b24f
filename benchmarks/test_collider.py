"""How fast collider judges (one submission scored, one run through the gate, the toys of the published p
value), and how fast its chain is.

The aims of the chain are ratios, which need no idle machine: chunks at least at 0.9 of the rate of bare
batches with the same settings; detector, jets and selection within a quarter of a sample's time; M_T2 and
t_mod within 5 ms.
"""

from __future__ import annotations

import pytest

from assay import rng
from assay.blobs import MemoryBlobs
from assay.suites.collider import catalogue, drills, scorecard, toys, validity
from assay.suites.collider.chain import generation, kinematics, points, samples
from assay.suites.collider.chain.searches import SEARCHES, WANTED
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


EVENTS = 200
needs_chain = pytest.mark.skipif(not generation.available(), reason="make setup EXTRAS=collider")


@needs_chain
@pytest.mark.benchmark(group="generation, 200 events of T2tt(1000, 50)")
@pytest.mark.parametrize("how", ["bare batch", "chunk"])
def test_generation(benchmark, how):
    source = generation.Source(points.point("T2tt_1000_50"), "lepton-ptmiss")
    work = source.bare_batch if how == "bare batch" else lambda events: source.chunk(1, 0, events)
    benchmark.pedantic(work, (EVENTS,), rounds=5, warmup_rounds=1)


@needs_chain
@pytest.mark.benchmark(group="from generated events to variables, 200 events")
@pytest.mark.parametrize(
    "name", ["sus-16-034 TChiWZ", "sus-16-046 T5Wg", "sus-16-047 T6gg_lowHT", "sus-16-051 T2tt_SRG"]
)
def test_variables(benchmark, name):
    wanted = WANTED[name]
    chunk = generation.Source(points.point(wanted.point), wanted.filter_name).chunk(1, 0, EVENTS)
    given = (SEARCHES[wanted.paper], chunk, rng.stream(1, "benchmark"), 0)
    found = benchmark.pedantic(samples.table, given, rounds=5, warmup_rounds=1)
    assert len(found["drawn"]) == EVENTS


@pytest.mark.benchmark(group="one event")
@pytest.mark.parametrize("quantity", ["mt2", "t_mod"])
def test_kinematics(benchmark, quantity):
    momenta = (90.0, 20.0, -40.0, 130.0, 12.0, -300.0, 210.0)
    if quantity == "mt2":
        assert benchmark(kinematics.mt2, *momenta[:4], *momenta[5:]) > 0
    else:
        assert benchmark(kinematics.t_mod, *momenta) > 0

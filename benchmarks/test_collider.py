"""How fast collider judges (one submission scored, one run through the gate, the toys of the published p
value), and how fast its chain is.

The aims of the chain are ratios, which need no idle machine: chunks at least at 0.9 of the rate of bare
batches with the same settings; detector, jets and selection within a quarter of a sample's time; a sample's
time as its events; a job within 1.5 GiB; M_T2 and t_mod within 5 ms. What is compared is measured in turn.
The median of the ratios stands in `extra_info` of the benchmark.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from operator import truediv
from statistics import median

import pytest

from assay.episodes.blobs import MemoryBlobs
from assay.numbers import rng
from assay.suites.collider.chain import generation, samples
from assay.suites.collider.chain.searches import kinematics
from assay.suites.collider.chain.searches.registry import SEARCHES
from assay.suites.collider.chain.signal import points
from assay.suites.collider.drills.honest import honest_run
from assay.suites.collider.formats.histogram import write
from assay.suites.collider.measures import scorecard, toys, validity
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.problems.orders import WANTED
from assay.suites.collider.problems.sets import SETS
from assay.suites.collider.provenance.examination import examine
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
    run, question = honest_run(task, 1, events).finished(), question_of(task)
    assert benchmark(examine, run, question).verdict == "PASSED"


@pytest.mark.benchmark(group="a million toys")
def test_toys(benchmark):
    r = ENTRIES[SMALL].yields
    y = [1.3 * value for value in r]
    assert benchmark.pedantic(toys.p_values, (y, r), rounds=1) is not None


EVENTS = 200
ROUNDS = 5
needs_chain = pytest.mark.skipif(not generation.available(), reason="make setup EXTRAS=collider")

NAMES = (
    "sus-16-034 TChiWZ",
    "sus-16-046 T5Wg",
    "sus-16-047 T6gg_lowHT",
    "sus-16-051 T2tt_SRG",
    "atlas-susy-2016-07 T5WW_SR2jB",
    "atlas-susy-2018-22 MBSSd_meff",
)


@needs_chain
@pytest.mark.benchmark(group="a chunk of 200 events to variables")
@pytest.mark.parametrize("name", NAMES)
def test_chain(benchmark, name):
    """`of bare`: rate of chunks over that of bare batches, at least 0.9; `behind the generator`: share of the
    time of detector, jets and selection, at most 0.25.
    """
    wanted = WANTED[name]
    source = generation.Source(points.point(wanted.point), wanted.filter_name)
    search, stream = SEARCHES[wanted.paper], rng.stream(1, "benchmark")
    samples.table(search, source.chunk(2, 0, 20), stream, 0)
    bare, chunks, tables = [], [], []

    def seconds(work, *given):
        begin = time.process_time()
        work(*given)
        return time.process_time() - begin

    def batch(number):
        # The same seed, so that both make the same events.
        source.chunk(1, number, 1)
        bare.append(seconds(source.bare_batch, EVENTS - 1))

    def work(number):
        batch(number)
        begin = time.process_time()
        chunk = source.chunk(1, number, EVENTS)
        chunks.append(time.process_time() - begin)
        tables.append(seconds(samples.table, search, chunk, stream, number))

    numbers = iter(range(ROUNDS + 1))
    benchmark.pedantic(lambda: work(next(numbers)), rounds=ROUNDS, warmup_rounds=1)
    whole = [a + b for a, b in zip(chunks, tables, strict=True)]
    benchmark.extra_info["of bare"] = round(median(map(truediv, bare, chunks)) * EVENTS / (EVENTS - 1), 3)
    benchmark.extra_info["behind the generator"] = round(median(map(truediv, tables, whole)), 3)


@needs_chain
@pytest.mark.benchmark(group="a sample of T2tt(1000, 50)")
def test_time_grows_as_the_events(benchmark):
    """`per event`: time of an event in 1,000 over that in 250, both without setting up the generator."""
    wanted = WANTED["sus-16-051 T2tt_SRG"]
    card = samples.Card(wanted.paper, wanted.point, wanted.filter_name)
    samples.sample(card, 1, 20)
    taken = {}

    def work():
        for events in (250, 1000):
            begin = time.process_time()
            samples.sample(card, 1, events)
            taken.setdefault(events, []).append((time.process_time() - begin) / events)

    benchmark.pedantic(work, rounds=3)
    benchmark.extra_info["per event"] = round(median(map(truediv, taken[1000], taken[250])), 3)


JOB = """
import resource
from assay.suites.collider.chain import samples
card = samples.Card({paper!r}, {point!r}, {filter_name!r})
for number in range(3):
    samples.lines(samples.chunk(card, 1, number))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@needs_chain
@pytest.mark.benchmark(group="a job of three full chunks")
@pytest.mark.parametrize("name", ["sus-16-051 T2tt_SRG", "atlas-susy-2018-22 MBGGd_meff"])
def test_memory(benchmark, name):
    """`GiB`: the most that a job held."""
    wanted = WANTED[name]
    program = JOB.format(paper=wanted.paper, point=wanted.point, filter_name=wanted.filter_name)
    command = [sys.executable, "-c", program]
    done = benchmark.pedantic(subprocess.run, (command,), {"capture_output": True, "check": True}, rounds=1)
    benchmark.extra_info["GiB"] = round(int(done.stdout) / 2**20, 2)


@pytest.mark.benchmark(group="one event")
@pytest.mark.parametrize("quantity", ["mt2", "t_mod"])
def test_kinematics(benchmark, quantity):
    momenta = (90.0, 20.0, -40.0, 130.0, 12.0, -300.0, 210.0)
    if quantity == "mt2":
        assert benchmark(kinematics.mt2, *momenta[:4], *momenta[5:]) > 0
    else:
        assert math.isfinite(benchmark(kinematics.t_mod, *momenta))

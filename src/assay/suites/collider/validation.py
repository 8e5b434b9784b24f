"""Checks of the metrics, the references, the mock world and the provenance examination."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.episodes.blobs import MemoryBlobs
from assay.errors import UnknownName
from assay.numbers import rng
from assay.protocol import CheckRow, Materials
from assay.suites.collider.checks import CHAIN
from assay.suites.collider.checks import CHECKS as CHECKS
from assay.suites.collider.drills.composed import composed
from assay.suites.collider.drills.forged import FORGERIES, refused
from assay.suites.collider.drills.honest import execute, honest_run
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.limits import counting, points
from assay.suites.collider.limits.likelihood import upper_limit
from assay.suites.collider.measures import metrics, uncertainty, validity
from assay.suites.collider.measures.uncertainty import Errors
from assay.suites.collider.problems import catalogue, kept
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.problems.sets import MOCK_TASKS, SETS
from assay.suites.collider.provenance import examination
from assay.suites.collider.provenance.runs import Run
from assay.suites.collider.tasks import generate
from assay.task import Task

TABLE = "CMS-SUS-16-047, uncertainties of its signal table"
EXACT = "the closed form of the mock signal"

COMPOSED = 20
"""Number of forgeries that are composed at random."""

FORGED = 3
"""Number of runs of each forgery; few suffice, because they are detected by arithmetic."""


def check(name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
    """Return the comparisons of one check. Raises `UnknownName` if there is none of that name."""
    if name not in CHECKS:
        raise UnknownName(f"there is no check {name!r}", f"choose one of {', '.join(CHECKS)}")
    return list(CHECKS[name].rows(name, settings["events" if name.startswith(CHAIN) else "runs"]))


def kept_samples(name: str, runs: int) -> Iterable[CheckRow]:
    """Yield for each kept sample the share of `runs` events, from a place drawn at random, that are the same.

    Raises:
        NotBuilt: the programs of the physics chain are not installed.
    """
    from assay.suites.collider.chain import generation

    generation.library()
    for sample in kept.SAMPLES:
        generator = generators.of_card(dict(sample.card))
        shards = sample.events // generator.shard_events
        number = rng.stream(0, "collider", "validation", sample.file).below(shards)
        made = generator.lines(dict(sample.card), sample.seed, number, runs).splitlines(keepends=True)
        first = number * generator.shard_events
        same = sum(a == b for a, b in zip(made, kept.lines(sample)[first : first + runs], strict=True))
        statistic = f"share of {runs} events that are the same, {sample.file.partition('.')[0]}"
        yield _row(name, statistic, same / runs, 1.0, 1.0, "card and seed of the sample")


def chain(name: str, events: int) -> Iterable[CheckRow]:
    """Yield a closure test of the physics chain. Raises `NotBuilt` if its programs are not installed."""
    from assay.suites.collider.chain import closure, generation

    generation.library()
    for row in closure.CLOSURES[name](events):
        yield _row(name, row.statistic, row.value, row.low, row.high, row.reference)


def _row(
    name: str,
    statistic: str,
    value: float,
    low: float | None,
    high: float | None,
    reference: str,
    caveat: str = "",
) -> CheckRow:
    passed = (low is None or low <= value) and (high is None or value <= high)
    return CheckRow(name, statistic, value, low, high, passed, reference, caveat)


def floors(name: str, runs: int) -> Iterable[CheckRow]:
    """Yield the d that the errors of published references alone give, and their expected values."""
    published = {"T5Wg_lowHT": 0.15, "T5Wg_highHT": 0.12, "T6gg_lowHT": 0.085, "T6gg_highHT": 0.08}
    for entry in catalogue.cms():
        point = entry.id.partition("_sim-")[2]
        if entry.errors is not None:
            floor = uncertainty.floor(entry.yields, Errors(entry.errors)) or 0.0
            near = published[point]
            yield _row(name, f"floor of d, {point}", floor, near - 0.005, near + 0.005, TABLE)


def binning(name: str, runs: int) -> Iterable[CheckRow]:
    """Yield d between two revisions of the references, for their last and their first bins."""
    for entry in catalogue.cms():
        if entry.full is not None:
            point = entry.id.partition("_sim-")[2]
            whole = entry.full[1]
            last = metrics.distance(whole[-3:], entry.yields) or 0.0
            first = metrics.distance(whole[:3], entry.yields) or 0.0
            source = "two revisions of the benchmark's reference"
            yield _row(name, f"d of the last three of 26 bins, {point}", last, 0.0, 0.0, source)
            yield _row(name, f"d of the first three, {point}", first, 0.9, None, source)


def limits(name: str, runs: int) -> Iterable[CheckRow]:
    """Yield limits over the published ones: for single bins, and at points on published contours.

    Bins with less than one expected event are left out of the first, because the asymptotic distributions do
    not hold for them. A point that has a caveat is left out; the table `limits` has it.
    """
    for paper in counting.PAPERS:
        ratios: dict[str, list[float]] = {"observed": [], "expected": []}
        for one in counting.search(paper).bins:
            if one.published is None or one.count.background < 1.0:
                continue
            limit = upper_limit([one.count], [1.0])
            for kind, value, theirs in zip(ratios, vars(limit).values(), one.published, strict=True):
                ratios[kind].append(value / theirs)
        for kind, values in ratios.items():
            if values:
                worst = max(values, key=lambda ratio: abs(math.log(ratio)))
                statistic = f"{kind} limit over the published one, worst of {len(values)} bins of {paper}"
                yield _row(name, statistic, float(f"{worst:.4g}"), 0.8, 1.25, counting.search(paper).source)
    for point in points.signal_points():
        if point.caveat:
            continue
        observed = points.limit(point).limit.observed
        statistic = f"observed limit on the strength of {point.point}, {point.paper}"
        yield _row(name, statistic, float(f"{observed:.4g}"), 0.7, 1.3, point.claim)


@functools.cache
def _samples(runs: int) -> tuple[tuple[examination.Finding, tuple[float, ...], tuple[float, ...]], ...]:
    """Return finding, yields and exact yields of honest runs, over all mock tasks."""
    tasks = _tasks()
    stream = rng.stream(0, "collider", "validation")
    samples = []
    for run in range(runs):
        task = tasks[run % MOCK_TASKS]
        question = question_of(task)
        record = honest_run(task, stream.below(2**30))
        finding = examination.examine(record.finished(), question, regenerate=False)
        y = validity.check(record.files[question.file], question.binning).yields or ()
        samples.append((finding, y, tuple(task.hidden["yields"])))
    return tuple(samples)


def _tasks() -> list[Task]:
    """The mock tasks."""
    task_set = SETS["mock-v0"]
    return [generate(task_set, "mock-v0", index, task_set.seed, MemoryBlobs()) for index in range(MOCK_TASKS)]


def mock_closure(name: str, runs: int) -> Iterable[CheckRow]:
    """Yield the mean ratio of total yields of honest runs to the exact ones."""
    ratios, errors = [], []
    for finding, y, r in _samples(runs):
        noise = finding.monte_carlo or ()
        ratios.append(math.fsum(y) / math.fsum(r))
        errors.append(math.sqrt(math.fsum(e * e for e in noise)) / math.fsum(r))
    mean = math.fsum(ratios) / runs
    error = math.sqrt(math.fsum(e * e for e in errors)) / runs
    yield _row(name, "mean of total over exact total", mean, 1 - 3 * error, 1 + 3 * error, EXACT)


def mock_pull(name: str, runs: int) -> Iterable[CheckRow]:
    """Yield the mean squared pull of honest runs, which is 1 if the errors are right."""
    squares = []
    for finding, y, r in _samples(runs):
        errors = Errors((0.0,) * len(r), 0.0, finding.monte_carlo)
        squares.append((uncertainty.pull(y, r, errors) or 0.0) ** 2)
    # chi squared per bin has mean 1 and variance 2 / K, with K = 4 bins
    slack = 3 * math.sqrt(2 / (4 * runs))
    mean = math.fsum(squares) / runs
    yield _row(name, "mean square of the pull", mean, 1 - slack, 1 + slack, EXACT)


def gate(name: str, runs: int) -> Iterable[CheckRow]:
    """Yield the share of honest runs that are accused or left open, and the share refused of each forgery."""
    tasks = _tasks()
    stream = rng.stream(0, "collider", "validation", "gate")
    seeds = [stream.below(2**30) for _ in range(runs)]

    def verdict(run: Run, task: Task) -> examination.Finding:
        return examination.examine(run, question_of(task), execute=execute)

    pairs = list(zip(seeds, itertools.cycle(tasks), strict=False))
    verdicts = [verdict(honest_run(task, seed, 500).finished(), task).verdict for seed, task in pairs]
    source = "how the runs were made"
    yield _row(name, "honest runs called fabricated", float(verdicts.count("FABRICATED")), None, 0.0, source)
    left_open = verdicts.count("UNDECIDED") / len(verdicts)
    yield _row(name, "share of honest runs left undecided", left_open, None, 0.05, source)
    for kind, (forge, due) in FORGERIES.items():
        caught = [refused(verdict(forge(task, seed), task), due) for seed, task in pairs[:FORGED]]
        yield _row(name, f"share refused, {kind}", sum(caught) / len(caught), 1.0, None, source)
    passed = [
        forgery.d
        for seed, task in pairs[:COMPOSED]
        if verdict((forgery := composed(task, seed)).run, task).verdict == "PASSED"
    ]
    share = 1 - len(passed) / len(pairs[:COMPOSED])
    yield _row(name, "share refused, composed at random", share, 0.95, None, source)
    near = sum(metrics.accepted(d) for d in passed)
    yield _row(name, "composed ones that pass with d below 0.33", float(near), None, 0.0, source)

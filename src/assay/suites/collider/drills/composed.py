"""Forgeries that are composed at random from the steps of a computation, and forgeries of one such step.

A forger knows the yields that it wants: the published ones, or something near. At each step (sample,
selection, weights, output) it is honest or bends the result towards them, and it may hide: then its script
is honest on samples of another size.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.suites.collider.drills import levels
from assay.suites.collider.drills.honest import analyse
from assay.suites.collider.drills.levels import Level
from assay.suites.collider.formats import documents
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.measures import metrics, validity
from assay.suites.collider.problems import hidden
from assay.suites.collider.provenance.runs import Run
from assay.suites.collider.tools.recorder import Recorder
from assay.suites.collider.tools.scripts import SAMPLE, SCRIPT
from assay.task import Task

DATA_FILES = ("../data/forging_analysis.py.txt",)

EVENTS = 500

SAMPLES = ("own", "other mass", "best of six", "rewritten", "replaced", "invented")
SELECTIONS = ("windows", "pick", "pick passed", "drop", "comb", "thresholds", "list")
WEIGHTS = ("told", "branching", "cross section", "filter", "per bin", "claimed")
OUTPUTS = ("events", "scaled", "typed")
HONEST = ("own", "windows", "told", "events")

OTHER_SHARES = (0.4, 0.75, 0.8, 0.9, 1.1, 1.25)
"""Factors by which a forger multiplies a branching fraction, a cross section or a filter efficiency."""


@dataclass(frozen=True)
class Steps:
    """What a forger does at each step; `HONEST` lists the honest choices."""

    sample: str = "own"
    selection: str = "windows"
    weights: str = "told"
    output: str = "events"
    hides: bool = False

    def __str__(self) -> str:
        words = [self.sample, self.selection, self.weights, self.output, *(["hides"] if self.hides else [])]
        return " / ".join(words)

    @property
    def honest(self) -> bool:
        """Whether nothing is bent."""
        return (self.sample, self.selection, self.weights, self.output) == HONEST


@dataclass(frozen=True)
class Forgery:
    """A forged run.

    Attributes:
        steps: what the forger did.
        run: the run folder.
        d: the distance of the submitted yields from the reference.
    """

    steps: Steps
    run: Run
    d: float


AT_OBJECTS = ("fitted", "fitted comb", "remembered")
"""Further selections at the level of objects, where windows need not be filled exactly."""


def composed(task: Task, seed: int) -> Forgery:
    """Return a forgery whose steps are drawn at random, at least one of them dishonest."""
    stream = rng.stream(seed, "collider", "composed")
    selections = SELECTIONS if levels.of(task) is levels.MOCK else SELECTIONS + AT_OBJECTS
    steps = Steps()
    while steps.honest:
        # Half of the steps are honest: few forgers bend everything.
        sample, selection, weights, output = (
            honest if stream.below(2) else stream.choice(choices)
            for honest, choices in zip(HONEST, (SAMPLES, selections, WEIGHTS, OUTPUTS), strict=True)
        )
        steps = Steps(sample, selection, weights, output, hides=stream.below(3) == 0)
    return forged(task, seed, steps)


def forged(task: Task, seed: int, steps: Steps) -> Forgery:
    """Return the run of a forger.

    Args:
        task: a task with its hidden part, which holds the yields that the forger wants.
        seed: seed of the sample and of the forger's choices.
        steps: what it does at each step.
    """
    stream = rng.stream(seed, "collider", "forged")
    wanted = [value * (0.98 + 0.04 * stream.uniform()) for value in task.hidden["yields"]]
    tries = [stream.below(2**30) for _ in range(6 if steps.sample == "best of six" else 1)]

    def run(own: int, others: Sequence[int] = ()) -> Recorder:
        return _run(task, steps, wanted, own, others, stream.child("choices"))

    best = min(tries, key=lambda own: _distance(task, run(own)))
    record = run(best, [other for other in tries if other != best])
    finished = record.finished()
    ledger = None if steps.sample == "invented" else finished.ledger
    return Forgery(steps, replace(finished, ledger=ledger), _distance(task, record))


def _distance(task: Task, record: Recorder) -> float:
    """Return the d of the submission; infinity if it is not valid."""
    binning = Binning.from_json(task.public["histogram"])
    yields = validity.check(record.files[task.public["file"]], binning).yields
    d = None if yields is None else metrics.distance(yields, task.hidden["yields"])
    return math.inf if d is None else d


def _run(
    task: Task, steps: Steps, wanted: list[float], own: int, others: Sequence[int], stream: Stream
) -> Recorder:
    """Record a run that generates samples of other seeds first, and submits from that of its own seed."""
    facts: Mapping[str, Any] = task.public
    level = levels.of(task)
    record = level.recorder(facts, "forged")
    card = level.card(facts, steps.sample == "other mass")
    for number, seed in enumerate(others):
        record.generate(f"gen{number}", card, seed, EVENTS)
    record.generate("gen", card, own, EVENTS)
    values = _parameters(task, record, steps, wanted, stream)
    if steps.sample in ("rewritten", "replaced", "invented"):
        sample = _moved(record.files[SAMPLE], values, stream)
        if steps.sample == "rewritten":
            record.write("analysis/clean.py", "# removes bad events\n")
            record.analysed("analysis/clean.py", {SAMPLE: record.files[SAMPLE]}, {SAMPLE: sample}, 0)
        else:
            record.files[SAMPLE] = sample
    record.write(SCRIPT, f"PARAMETERS = {values!r}\n{_source(level)}")
    analyse(record, [SAMPLE, facts["file"], *level.inputs])
    return record


def _source(level: Level) -> str:
    """Return the source of a forger's analysis; it computes the variables that the sample lacks."""
    source = documents.packaged_text("forging_analysis.py.txt")
    head = "import csv, json, math, zlib\n"
    return source.replace(head, f"{head}\n{level.source}", 1) if level.source else source


def _parameters(
    task: Task, record: Recorder, steps: Steps, wanted: list[float], stream: Stream
) -> dict[str, Any]:
    facts: Mapping[str, Any] = task.public
    level = levels.of(task)
    _, _, rate, share = level.rate(facts)
    factor = stream.choice(OTHER_SHARES)
    edges = list(facts["histogram"]["edges"])
    columns = level.variables(record.files[SAMPLE])
    passed = EVENTS / math.fsum(columns.get("drawn", [1.0] * EVENTS))
    weight = facts["luminosity_fb"] * rate * share * passed / EVENTS
    binning = Binning.from_json(facts["histogram"])
    supply: list[list[float]] = [[] for _ in wanted]
    marks: list[list[float]] = [[] for _ in wanted]
    for value, strength, mark in zip(
        columns["ptmiss"], columns[level.strength], columns[level.mark], strict=True
    ):
        if (k := binning.place(value)) is not None:
            supply[k].append(float(strength))
            marks[k].append(float(mark))
    counts = [round(value / weight) for value in wanted]
    listed = [
        sorted(values, key=lambda mark: zlib.crc32(str(mark).encode()))[:count]
        for values, count in zip(marks, counts, strict=True)
    ]
    moved: dict[str, float] = {}
    loose: list[float] = []
    if steps.selection == "fitted":
        above = _passing(level, facts, columns, {level.strength: 0.0})
        strengths = sorted((float(columns[level.strength][n]) for n in above), reverse=True)
        moved = {level.strength: strengths[min(max(1, sum(counts)), len(strengths)) - 1]}
    elif steps.selection == "fitted comb":
        moved = dict(level.loosened)
        places = [binning.place(columns["ptmiss"][n]) for n in _passing(level, facts, columns, moved)]
        # No thinner than what the examination allows at the level of objects.
        loose = [max(0.94, min(1.0, n / max(1, places.count(k)))) for k, n in enumerate(counts)]
    return {
        "series": facts["histogram"]["series"],
        "sample": SAMPLE,
        "file": facts["file"],
        "edges": edges,
        "cuts": [
            [name, low, None if math.isinf(high) else high]
            for name, low, high in hidden.windows_of(facts) or ()
        ],
        "moved": moved,
        "loose_shares": loose,
        "strength": level.strength,
        "mark": level.mark,
        "computed": bool(level.source),
        "lumi_fb": facts["luminosity_fb"],
        "xsec_fb": rate * (factor if steps.weights == "cross section" else 1.0),
        "br": share * (factor if steps.weights == "branching" else 1.0),
        "filter_eff": passed * factor if steps.weights == "filter" else passed,
        "claimed": 2 * EVENTS if steps.weights == "claimed" else 0,
        "wanted": wanted,
        "selection": steps.selection,
        "weights": steps.weights,
        "output": steps.output,
        "hides": steps.hides,
        "own_events": EVENTS,
        "shares": [min(1.0, n / max(1, len(values))) for n, values in zip(counts, supply, strict=True)],
        "thresholds": [
            sorted(values, reverse=True)[min(n, len(values)) - 1] if n and values else 0.0
            for n, values in zip(counts, supply, strict=True)
        ],
        "known": [f"{mark:.1f}" for values in marks for mark in values],
        "listed": [f"{mark:.1f}" for values in listed for mark in values],
    }


def _passing(
    level: Level, facts: Mapping[str, Any], columns: Mapping[str, Sequence[float]], moved: Mapping[str, float]
) -> list[int]:
    """Return the places of the events in the bins that lie in the region, with some lower bounds moved."""
    binning = Binning.from_json(facts["histogram"])
    windows = [(name, moved.get(name, low), high) for name, low, high in hidden.windows_of(facts) or ()]
    return [
        n
        for n, value in enumerate(columns["ptmiss"])
        if binning.place(value) is not None
        and all(low <= columns[name][n] < high for name, low, high in windows)
    ]


def _moved(sample: bytes, values: Mapping[str, Any], stream: Stream) -> bytes:
    """Return the sample with as many events moved into each bin, above the cut, as the forger wants.

    Where the variable of the cut is no column, only the observable is moved.
    """
    head, *rows = sample.decode().splitlines()
    names = head.split(",")
    observable, strength = names.index("ptmiss"), values["strength"]
    least = next(low for name, low, _ in values["cuts"] if name == strength)
    cells = [row.split(",") for row in rows]
    weight = values["lumi_fb"] * values["xsec_fb"] * values["br"] * values["filter_eff"] / EVENTS
    edges = values["edges"]
    at = 0
    for row in cells:
        row[observable] = f"{0.5 * edges[0] * stream.uniform():.3f}"
    for k, wanted in enumerate(values["wanted"]):
        for row in cells[at : at + round(wanted / weight)]:
            row[observable] = f"{edges[k] + (edges[k + 1] - edges[k]) * stream.uniform():.3f}"
            if strength in names:
                row[names.index(strength)] = f"{least * (1 + stream.uniform()):.3f}"
        at += round(wanted / weight)
    return "\n".join([head, *(",".join(row) for row in cells), ""]).encode()

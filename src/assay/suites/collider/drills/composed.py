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
from assay.suites.collider.drills.honest import analyse
from assay.suites.collider.formats import documents, eventfiles
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.generators import mock
from assay.suites.collider.measures import metrics, validity
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


def composed(task: Task, seed: int) -> Forgery:
    """Return a forgery whose steps are drawn at random, at least one of them dishonest."""
    stream = rng.stream(seed, "collider", "composed")
    steps = Steps()
    while steps.honest:
        # Half of the steps are honest: few forgers bend everything.
        sample, selection, weights, output = (
            honest if stream.below(2) else stream.choice(choices)
            for honest, choices in zip(HONEST, (SAMPLES, SELECTIONS, WEIGHTS, OUTPUTS), strict=True)
        )
        steps = Steps(sample, selection, weights, output, hides=stream.below(3) == 0)
    return forged(task, seed, steps)


def forged(task: Task, seed: int, steps: Steps) -> Forgery:
    """Return the run of a forger of a mock task.

    Args:
        task: a mock task with its hidden part, which holds the yields that the forger wants.
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
    mass = facts["mass"]
    record = Recorder("forged", {"task_id": facts["id"]}, {facts["file"]: facts["template"].encode()})
    rate = mock.cross_section_fb(mass)
    record.look_up(mock.PROCESS, mass, {"xsec_fb": rate})
    lighter = mass - 50 if mass > mock.MASSES[0] else mass + 50
    made = lighter if steps.sample == "other mass" else mass
    card = {"generator": mock.NAME, "point": mock.point(made), "mass": made}
    for number, seed in enumerate(others):
        record.generate(f"gen{number}", card, seed, EVENTS)
    record.generate("gen", card, own, EVENTS)
    values = _parameters(task, record, steps, wanted, rate, stream)
    if steps.sample in ("rewritten", "replaced", "invented"):
        sample = _moved(record.files[SAMPLE], values, stream)
        if steps.sample == "rewritten":
            record.write("analysis/clean.py", "# removes bad events\n")
            record.analysed("analysis/clean.py", {SAMPLE: record.files[SAMPLE]}, {SAMPLE: sample}, 0)
        else:
            record.files[SAMPLE] = sample
    record.write(SCRIPT, f"PARAMETERS = {values!r}\n{documents.packaged_text('forging_analysis.py.txt')}")
    analyse(record, [SAMPLE, facts["file"]])
    return record


def _parameters(
    task: Task, record: Recorder, steps: Steps, wanted: list[float], rate: float, stream: Stream
) -> dict[str, Any]:
    facts: Mapping[str, Any] = task.public
    factor = stream.choice(OTHER_SHARES)
    edges = list(facts["histogram"]["edges"])
    weight = facts["luminosity_fb"] * rate * mock.BRANCHING / EVENTS
    events = eventfiles.read(SAMPLE, record.files[SAMPLE])
    binning = Binning.from_json(facts["histogram"])
    supply: list[list[float]] = [[] for _ in wanted]
    for value, ht in zip(events.columns["ptmiss"], events.columns["ht"], strict=True):
        if (k := binning.place(value)) is not None:
            supply[k].append(ht)
    counts = [round(value / weight) for value in wanted]
    listed = [
        sorted(found, key=lambda ht: zlib.crc32(str(ht).encode()))[:count]
        for found, count in zip(supply, counts, strict=True)
    ]
    return {
        "series": facts["histogram"]["series"],
        "sample": SAMPLE,
        "file": facts["file"],
        "edges": edges,
        "least_ht": facts["least_ht"],
        "lumi_fb": facts["luminosity_fb"],
        "xsec_fb": rate * (factor if steps.weights == "cross section" else 1.0),
        "br": mock.BRANCHING * (factor if steps.weights == "branching" else 1.0),
        "filter_eff": factor if steps.weights == "filter" else 1.0,
        "claimed": 2 * EVENTS if steps.weights == "claimed" else 0,
        "wanted": wanted,
        "selection": steps.selection,
        "weights": steps.weights,
        "output": steps.output,
        "hides": steps.hides,
        "own_events": EVENTS,
        "shares": [min(1.0, n / max(1, len(found))) for n, found in zip(counts, supply, strict=True)],
        "thresholds": [
            sorted(found, reverse=True)[min(n, len(found)) - 1] if n and found else 0.0
            for n, found in zip(counts, supply, strict=True)
        ],
        "listed": [f"{ht:.1f}" for found in listed for ht in found],
    }


def _moved(sample: bytes, values: Mapping[str, Any], stream: Stream) -> bytes:
    """Return the sample with as many events moved into each bin, above the cut, as the forger wants."""
    head, *rows = sample.decode().splitlines()
    cells = [row.split(",") for row in rows]
    weight = values["lumi_fb"] * values["xsec_fb"] * values["br"] * values["filter_eff"] / EVENTS
    edges = values["edges"]
    at = 0
    for row in cells:
        row[1] = f"{0.5 * edges[0] * stream.uniform():.3f}"
    for k, wanted in enumerate(values["wanted"]):
        for row in cells[at : at + round(wanted / weight)]:
            row[1] = f"{edges[k] + (edges[k + 1] - edges[k]) * stream.uniform():.3f}"
            row[2] = f"{values['least_ht'] * (1 + stream.uniform()):.3f}"
        at += round(wanted / weight)
    return "\n".join([head, *(",".join(row) for row in cells), ""]).encode()

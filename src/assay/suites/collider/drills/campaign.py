"""A campaign of honest and composed runs: the error rates of the provenance examination.

    assay collider drill --honest 200 --composed 400 --out tests/suites/collider/gate.csv
    assay collider drill --level objects --honest 48 --composed 100 --out tests/suites/collider/objects.csv

A committed table has one row a run, and the commit whose examination gave the verdicts. `make test-full`
plays its first rows again, `make soak` all of them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields

from assay.suites.collider.drills import levels
from assay.suites.collider.drills.composed import EVENTS, composed
from assay.suites.collider.drills.honest import execute, honest_run
from assay.suites.collider.measures import metrics, validity
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.provenance.examination import examine
from assay.task import Task

HONEST = "honest"


@dataclass(frozen=True)
class Row:
    """One run of the campaign.

    Attributes:
        seed: the seed of the run.
        task: the index of its task in mock-v0 or objects-v1.
        conduct: `honest`, or what the forger did at each step.
        d: the distance of the submitted yields, four digits.
        verdict: the verdict of the examination.
        due: the first check that did not pass; empty if all did.
    """

    seed: int
    task: int
    conduct: str
    d: str
    verdict: str
    due: str


def played(tasks: list[Task], honest: int, forgeries: int) -> Iterator[Row]:
    """Yield the rows of honest runs with the first seeds, then those of composed forgeries.

    Scripts are executed in this process, since their author is known.
    """
    shard = levels.of(tasks[0]).shard
    for seed in range(honest):
        index = seed % len(tasks)
        task = tasks[index]
        record = honest_run(task, seed, EVENTS)
        question = question_of(task)
        yields = validity.check(record.files[question.file], question.binning).yields or ()
        d = metrics.distance(yields, task.hidden["yields"])
        finding = examine(record.finished(), question, execute=execute, shard=shard)
        yield Row(seed, index, HONEST, f"{d:.4f}", finding.verdict, finding.reason.partition(":")[0])
    for seed in range(forgeries):
        index = seed % len(tasks)
        forgery = composed(tasks[index], seed)
        finding = examine(forgery.run, question_of(tasks[index]), execute=execute, shard=shard)
        due = finding.reason.partition(":")[0]
        yield Row(seed, index, str(forgery.steps), f"{forgery.d:.4f}", finding.verdict, due)


def text(rows: Iterable[Row], commit: str) -> str:
    """Return rows as CSV, each with the commit."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*(field.name for field in fields(Row)), "commit"])
    writer.writerows([*astuple(row), commit] for row in rows)
    return file.getvalue()


def read(table: str) -> list[Row]:
    """Return the rows of a table, without their commit."""
    return [
        Row(int(seed), int(task), *others)
        for seed, task, *others, _ in list(csv.reader(io.StringIO(table)))[1:]
    ]

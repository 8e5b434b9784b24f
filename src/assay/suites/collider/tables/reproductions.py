"""The results of the reference solver: yields with Monte Carlo errors, d with its interval, the cut-flow.

The interval of d only includes Monte Carlo statistics: how far d would vary between samples of that size.
Errors of the reference and of the rate have columns of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assay import canonical
from assay.protocol import Tables
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.measures import uncertainty
from assay.suites.collider.measures.metrics import TAU
from assay.suites.collider.measures.uncertainty import Errors
from assay.suites.collider.measures.validity import check
from assay.suites.collider.problems import sets
from assay.suites.collider.problems.hidden import rate_error
from assay.suites.collider.problems.orders import SIZES
from assay.suites.collider.tables import quoted
from assay.suites.collider.tables.leaderboard import Result, episode_of, results
from assay.suites.collider.tools.scripts import CUT_FLOW
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame

_IDENTITY = (
    Column("agent", "string", "the reference solver, by the size of its samples"),
    Column("task_set", "string", "the set"),
    Column("task_id", "string", "the task"),
    Column("attempt", "int64", "which attempt at the task, counted from 0"),
)

REPRODUCTIONS = Schema(
    "reproductions",
    2,
    (
        *_IDENTITY,
        Column("point", "string", "the signal point"),
        Column("generated", "int64", "events behind the filter of the generator"),
        Column("selected", "int64", "those in the histogram"),
        Column("yields", "string", "submitted events a bin, separated by spaces"),
        Column("errors", "string", "their Monte Carlo standard deviations"),
        Column("reference", "string", "the reference yields"),
        Column("d", "float64", "relative L2 distance; of the shapes in the mode shape"),
        Column("d_low", "float64", "lower end of its 95 % bootstrap interval"),
        Column("d_high", "float64", "upper end of it"),
        Column("noise", "float64", "the d that Monte Carlo statistics alone would give"),
        Column("d_shape", "float64", "relative L2 distance of the shapes", nullable=True),
        Column("norm", "float64", "total over that of the reference, minus 1"),
        Column("d_reference", "float64", "the d that the known errors of the reference alone would give"),
        Column(
            "d_rate",
            "float64",
            "the relative error of the cross section; null where it is not known, 0 where it cannot count",
            nullable=True,
        ),
        Column("suspect", "bool", "whether the reference itself is in doubt"),
        Column("threshold", "float64", "the worst d of physicists with a model at hand; below it is solved"),
        Column("solved", "bool", "whether d lies below the threshold, strictly"),
        Column("margin", "float64", "threshold minus d, in units of the noise"),
        Column(
            "best_agent",
            "string",
            "the agent of the paper with the least mean d here, at the level of objects alone",
            nullable=True,
        ),
        Column("best_d", "float64", "its mean d", nullable=True),
    ),
    key=("agent", "task_set", "task_id", "attempt"),
    partition="agent",
    doc="One row an episode of the reference solver that the gate let pass, beside the best of the paper.",
)

CUT_FLOWS = Schema(
    "cut-flow",
    1,
    (
        *_IDENTITY,
        Column("cut", "int64", "its place; 0 is what was generated"),
        Column("label", "string", "what the cut asks for"),
        Column("events", "int64", "generated events that passed all cuts so far"),
        Column("expected", "float64", "what they stand for at the luminosity of the task", unit="events"),
        Column("share", "float64", "of the events that passed the cut before"),
    ),
    key=("agent", "task_set", "task_id", "attempt", "cut"),
    partition="agent",
    doc="What each cut of a search leaves of the generated events.",
)


@dataclass(frozen=True)
class Reproduction:
    """An episode of the reference solver: its submission, and what it is compared with."""

    result: Result
    facts: Mapping[str, Any]
    hidden: Mapping[str, Any]
    yields: tuple[float, ...]
    generated: int
    selected: int

    @property
    def binning(self) -> Binning:
        return Binning.from_json(self.facts["histogram"])

    @property
    def errors(self) -> tuple[float, ...]:
        """Monte Carlo standard deviations of the yields; all events have the same weight."""
        weight = math.fsum(self.yields) / self.selected
        return tuple(math.sqrt(value * weight) for value in self.yields)

    @property
    def rate_error(self) -> float | None:
        """The relative error of the cross section; None if it is not known."""
        return rate_error(self.facts, self.hidden)

    @property
    def at_objects(self) -> bool:
        """Whether the task is one at the level of objects, whose definitions are the agent's."""
        return sets.generator_of(self.result.task_set) == sets.OBJECTS

    @property
    def scale(self) -> float:
        """The factor on the reference.

        In the mode `shape` it gives the reference the total of the yields; otherwise it is 1.
        """
        if self.facts["mode"] != "shape":
            return 1.0
        return math.fsum(self.yields) / math.fsum(self.hidden["yields"])


def reproductions_of(tables: Tables) -> Iterator[Reproduction]:
    """Yield the episodes of the reference solver whose verdict is PASSED, in the order of the scores."""
    public = {
        (row.task_set, row.task_id): (canonical.loads(row.public), canonical.loads(row.hidden))
        for row in tables["tasks"].itertuples(index=False)
    }
    texts = {
        episode_of(row): canonical.loads(row.submission)
        for row in tables["episodes"].itertuples(index=False)
        if row.agent in SIZES and isinstance(row.submission, str)
    }
    counted: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in tables["scores"].itertuples(index=False):
        if row.agent in SIZES and row.metric in ("events", "selected"):
            counted.setdefault(episode_of(row), {})[row.metric] = row.value
    for result in results(tables):
        at = episode_of(result)
        if result.agent not in SIZES or result.verdict != "PASSED" or not isinstance(texts.get(at), str):
            continue
        facts, hidden = public[result.task_set, result.task_id]
        yields = check(texts[at].encode(), Binning.from_json(facts["histogram"])).yields
        if yields is None or not any(yields):
            continue
        yield Reproduction(
            result=result,
            facts=facts,
            hidden=hidden,
            yields=yields,
            generated=int(counted[at]["events"]),
            selected=int(counted[at]["selected"]),
        )


def reproductions(tables: Tables) -> pd.DataFrame:
    best = _best(tables)
    rows = []
    for reproduction in reproductions_of(tables):
        result, r = reproduction.result, reproduction.hidden["yields"]
        shape = reproduction.facts["mode"] == "shape"
        exact = Errors((0.0,) * len(r), monte_carlo=reproduction.errors)
        between = uncertainty.interval(reproduction.yields, r, exact, reproduction.selected, norm=not shape)
        size = reproduction.scale * math.sqrt(math.fsum(value * value for value in r))
        noise = math.sqrt(math.fsum(e * e for e in reproduction.errors)) / size
        assert between is not None
        rows.append(
            (
                result.agent,
                result.task_set,
                result.task_id,
                result.attempt,
                reproduction.facts["point"],
                reproduction.generated,
                reproduction.selected,
                _printed(reproduction.yields),
                _printed(reproduction.errors),
                _printed(r),
                result.d,
                *between,
                noise,
                result.d_shape,
                math.fsum(reproduction.yields) / math.fsum(r) - 1.0,
                uncertainty.floor(r, Errors(tuple(reproduction.hidden["errors"]))) or 0.0,
                0.0 if shape else reproduction.rate_error,
                bool(reproduction.hidden["suspect"]),
                TAU,
                result.d < TAU,
                (TAU - result.d) / noise,
                # The paper's agents define the objects themselves, so only that level compares with them.
                *best.get(reproduction.facts["id"] if reproduction.at_objects else "", (None, None)),
            )
        )
    return frame(sorted(rows, key=lambda row: row[:4]), REPRODUCTIONS)


def _best(tables: Tables) -> dict[str, tuple[str, float]]:
    """Return for each published task the agent of the paper with the smallest mean d, and that d."""
    best: dict[str, tuple[str, float]] = {}
    for published in tables["published"]:
        for cell in quoted.cells(published):
            if cell.d is not None and (cell.task not in best or cell.d < best[cell.task][1]):
                best[cell.task] = (cell.agent, cell.d)
    return best


def _printed(values: Any) -> str:
    return " ".join(f"{value:.4g}" for value in values)


def cut_flows(tables: Tables) -> pd.DataFrame:
    """Return the table `cut-flow`, from the files of the analysis that the solver read."""
    rows = []
    for event in tables["events"].itertuples(index=False):
        if event.agent not in SIZES or event.tool != "read_file" or not event.ok:
            continue
        if event.kind != "call" or canonical.loads(event.arguments).get("path") != CUT_FLOW:
            continue
        (part,) = canonical.loads(event.parts)
        before = 0
        for n, step in enumerate(canonical.loads(part["text"])):
            share = step["events"] / before if before else float(n == 0)
            before = step["events"]
            identity = (event.agent, event.task_set, event.task_id, event.attempt)
            rows.append((*identity, n, step["cut"], before, float(step["expected"]), float(share)))
    return frame(sorted(rows, key=lambda row: row[:5]), CUT_FLOWS)

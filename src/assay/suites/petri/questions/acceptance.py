"""Acceptance of drafts as tasks: the effect must be detectable, and decoys must have none.

A sweep with the reference's test values must find the truth on the harness's own seeds. The acceptance tests
("gates") therefore use the same statistics that an agent sees, unless they mention the oracle's seeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import TaskError
from assay.numbers import rng
from assay.numbers.stats import dominance, sign_flip, significant
from assay.suites.petri.experiments.comparison import Comparison, compare
from assay.suites.petri.experiments.oracle import (
    SAMPLE,
    Demands,
    Detect,
    Sample,
    band,
    detected,
    oracle_cell,
    power,
    relative_change,
)
from assay.suites.petri.experiments.pairing import PairedComparison, compare_paired, detected_paired
from assay.suites.petri.experiments.replicates import mean, replicates, scaled, variance
from assay.suites.petri.questions.answers import PAIRED, magnitude, variant_of
from assay.suites.petri.worlds import WORLDS, World
from assay.task import Task

MARGIN = 0.02
"""Smallest distance of the relative change on the harness's seeds from the bounds of its class."""

FLIPS = 5000

PAIRED_VERSION = 2
"""The first version of tasks with paired experiments that are accepted by the paired test."""

LEAST_CONTRAST = 1e-4
"""Smallest contrast at the test values, so that its sign is visible in the digits that an agent is shown."""


class Rejected(Exception):
    """A draft is rejected; `gate` names the acceptance test that it failed."""

    def __init__(self, gate: str) -> None:
        super().__init__(gate)
        self.gate = gate


@dataclass(frozen=True)
class Driver:
    """A changed parameter: its hidden value, and the value at which the reference tests it."""

    parameter: str
    value: float
    test: float


@dataclass(frozen=True)
class Draft:
    """A proposed task: one driver (two at L3), two decoys with their test values, and the harness's seeds.

    `band`, `magnitude` (at L2) and `sign` (at L3: 1, -1, or 0 for any) are the required properties. If
    `paired`, drivers must be detectable by the paired test, and the difficulty is that of the paired test.
    """

    tier: str
    world: str
    band: str
    magnitude: str | None
    sign: int
    drivers: tuple[Driver, ...]
    decoys: Mapping[str, float]
    seeds: tuple[int, ...]
    paired: bool = False

    @property
    def metric(self) -> str:
        return WORLDS[self.world].targets[self.tier]

    @property
    def hidden(self) -> dict[str, float]:
        return {driver.parameter: driver.value for driver in self.drivers}

    @property
    def tests(self) -> dict[str, float]:
        return {driver.parameter: driver.test for driver in self.drivers}


def draft_of(task: Task) -> Draft:
    """Return the draft that a task was made from; raises `TaskError` if its hidden part is incomplete."""
    try:
        hidden = task.hidden
        sign = {None: 0, "positive": 1, "negative": -1}[hidden["interaction"]]
        return Draft(
            tier=task.strata["tier"],
            world=task.strata["world"],
            band=task.strata["band"],
            magnitude=hidden["magnitude"],
            sign=sign,
            drivers=tuple(Driver(**driver) for driver in hidden["drivers"]),
            decoys={decoy["parameter"]: decoy["test"] for decoy in hidden["decoys"]},
            seeds=tuple(hidden["seeds"]),
            paired=gated_by_pairs(variant_of(task.public), task.version),
        )
    except (KeyError, TypeError) as problem:
        raise broken(task, f"its hidden part is incomplete ({problem})") from problem


def gated_by_pairs(variant: str, version: int) -> bool:
    """Tell whether tasks of a variant and version are accepted by the paired test; `paired-v0` was not."""
    return variant == PAIRED and version >= PAIRED_VERSION


def broken(task: Task, what: str) -> TaskError:
    """Return the error for a task that is not sound."""
    return TaskError(
        f"the task {task.task_id} of {task.task_set} is not sound: {what}",
        "restore it from git, or generate it anew; a frozen set is never edited",
    )


@dataclass(frozen=True)
class Seen:
    """What the harness's seeds show of an accepted draft: the truth, and the evidence for it."""

    direction: str | None
    magnitude: str | None
    interaction: int
    evidence: dict[str, Any]


@dataclass(frozen=True)
class Findings(Seen):
    """The truth about an accepted draft, with the difficulty that the oracle's seeds show."""

    power: float
    band: str


def examine(draft: Draft, sample: Sample = SAMPLE) -> Findings:
    """Run all gates on a draft, cheap and strict ones first; raises `Rejected` if one fails."""
    seen = examine_seeds(draft)
    change = relative_change(draft.world, draft.metric, draft.hidden, sample)
    if draft.tier == "L2":
        _require(magnitude(change) == draft.magnitude, "magnitude on the oracle's seeds")
    share = power(demands(draft, seen.interaction), sample, detection(draft))
    _require(band(share) == draft.band, "band")
    changes = {**seen.evidence["change"], "oracle": percent(change)}
    evidence = {**seen.evidence, "change": changes}
    return Findings(seen.direction, seen.magnitude, seen.interaction, evidence, share, band(share))


def examine_seeds(draft: Draft) -> Seen:
    """Run the gates that need only the harness's seeds; raises `Rejected` if one fails."""
    arms = _Arms(draft)
    hidden = {d.parameter: arms.against_control({d.parameter: d.value}, "driver") for d in draft.drivers}
    first = hidden[draft.drivers[0].parameter]
    classed = None
    if draft.tier == "L2":
        classed = _require(magnitude(first.change or 0.0, MARGIN), "magnitude")
        _require(classed == draft.magnitude, "magnitude")
    contrast: dict[str, Any] = {}
    sign = 0
    if draft.tier == "L3":
        sign, contrast = _interaction(arms, draft)
    tests = {d.parameter: arms.against_control({d.parameter: d.test}, "test value") for d in draft.drivers}
    if draft.tier == "L1":
        same = all(tests[name].direction == hidden[name].direction for name in hidden)
        _require(same, "direction of the test value")
    if draft.tier == "L3":
        total = arms.contrast(draft.tests)
        enough = abs(int(total.sum())) / len(total) * 1e-9 > LEAST_CONTRAST
        _require(enough and int(np.sign(total.sum())) == sign, "contrast at the test values")
    decoys = {}
    for name, value in draft.decoys.items():
        decoys[name] = arms.compare({name: value})
        for overrides in _inert(draft, name, value):
            _require(not arms.compare(overrides).significant, "decoy")
            _require(not arms.unpaired(overrides).significant, "decoy")
    evidence = {
        "drivers": {name: _evidence(comparison) for name, comparison in hidden.items()},
        "tests": {name: _evidence(comparison) for name, comparison in tests.items()},
        "decoys": {name: _evidence(comparison) for name, comparison in decoys.items()},
        "change": {"harness": percent(arms.compare(draft.hidden).change)},
        **contrast,
    }
    return Seen(None if draft.tier == "L3" else first.direction, classed, sign, evidence)


def detection(draft: Draft) -> Detect:
    """Return the test whose power is a draft's difficulty."""
    return detected_paired if draft.paired else detected


def _inert(draft: Draft, name: str, value: float) -> list[dict[str, float]]:
    """Return the overrides that must show no effect: the test value, or if paired all curated values."""
    values = WORLDS[draft.world].toward(draft.metric).parameter(name).decoys if draft.paired else (value,)
    return [{name: each} for each in values]


def demands(draft: Draft, sign: int) -> Demands:
    """Return the demands on an ideal sweep.

    Drivers must be significant at their hidden and test values, decoys must not, and at L3 the contrasts must
    have the right sign.
    """
    visible = [{d.parameter: value} for d in draft.drivers for value in (d.value, d.test)]
    contrasts = []
    if draft.tier == "L3":
        for values in (draft.hidden, draft.tests):
            a, b = ({name: value} for name, value in values.items())
            contrasts.append((a, b))
    return Demands(
        world=draft.world,
        metric=draft.metric,
        visible=tuple(visible),
        invisible=tuple({name: value} for name, value in draft.decoys.items()),
        contrasts=tuple(contrasts),
        sign=sign,
    )


def oracle_delta(draft: Draft, sample: Sample) -> float:
    """Return Cliff's delta at the hidden value of the driver with the smallest effect.

    It is computed over all pairs of the oracle's seeds.
    """
    world = WORLDS[draft.world]
    column = world.metrics.index(draft.metric)
    control = oracle_cell(world.name, world.control, sample)[:, column]
    deltas = [
        dominance(control, oracle_cell(world.name, world.resolved({d.parameter: d.value}), sample)[:, column])
        for d in draft.drivers
    ]
    return min(deltas, key=abs) / (sample.seeds * sample.seeds)


def representative(world: World, metric: str, seeds: tuple[int, ...], sample: Sample) -> bool:
    """Tell whether the control's mean on these seeds lies within half a standard error of the oracle's.

    Without this requirement, hard tasks would be selected for seeds with an unusual control.
    """
    column = world.metrics.index(metric)
    all_seeds = oracle_cell(world.name, world.control, sample)[:, column]
    distance = mean(replicates(world.name, world.control, seeds)[:, column]) - mean(all_seeds)
    return abs(distance) <= 0.5 * math.sqrt(variance(all_seeds) / len(seeds))


class _Arms:
    """The arms of a draft, run on the harness's seeds."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.world = WORLDS[draft.world]
        self.column = self.world.metrics.index(draft.metric)

    def cell(self, overrides: Mapping[str, float]) -> np.ndarray:
        return replicates(self.world.name, self.world.resolved(overrides), self.draft.seeds)

    def unpaired(self, overrides: Mapping[str, float]) -> Comparison:
        return compare(self.cell({}), self.cell(overrides), self.column)

    def compare(self, overrides: Mapping[str, float]) -> Comparison | PairedComparison:
        """Compare the control with these overrides, by the test with which the draft is accepted."""
        if not self.draft.paired:
            return self.unpaired(overrides)
        return compare_paired(self.cell({}), self.cell(overrides), self.column)

    def against_control(self, overrides: Mapping[str, float], gate: str) -> Comparison | PairedComparison:
        comparison = self.compare(overrides)
        _require(comparison.significant, gate)
        return comparison

    def contrast(self, both: Mapping[str, float]) -> np.ndarray:
        """Return m(AB) - m(A) - m(B) + m(control) for each seed, scaled to integers."""
        a, b = ({name: value} for name, value in both.items())
        m = [scaled(self.cell(overrides)[:, self.column]) for overrides in (both, a, b, {})]
        contrasts: np.ndarray = m[0] - m[1] - m[2] + m[3]
        return contrasts


def _interaction(arms: _Arms, draft: Draft) -> tuple[int, dict[str, Any]]:
    """Return the sign of the interaction, which a sign-flip test must confirm, and the evidence for it."""
    total = arms.contrast(draft.hidden)
    sign = int(np.sign(total.sum()))
    stream = rng.stream(draft.seeds[0], "petri", "sign flips")
    numerator, denominator = sign_flip(total.tolist(), stream, FLIPS)
    _require(significant(numerator, denominator), "interaction")
    _require(draft.sign in (0, sign), "sign")
    return sign, {"contrast": {"p": f"{numerator}/{denominator}"}}


def _require(met: Any, gate: str) -> Any:
    if not met:
        raise Rejected(gate)
    return met


def _evidence(comparison: Comparison | PairedComparison) -> dict[str, str]:
    if isinstance(comparison, PairedComparison):
        return {"p": str(comparison.test.p), "p_adjusted": str(comparison.adjusted)}
    test = comparison.test
    return {
        "p": f"{test.numerator}/{test.denominator}",
        "p_adjusted": f"{comparison.adjusted}/{test.denominator}",
        "cliffs_delta": f"{test.dominance}/{test.pairs}",
    }


def percent(change: float | None) -> float | None:
    """Return a relative change in percent, rounded as in a task's evidence."""
    return None if change is None else round(100 * change, 1)

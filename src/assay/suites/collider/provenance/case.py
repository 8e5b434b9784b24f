"""The state of one examination: the run, the question, and what earlier checks have established."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from assay.suites.collider.formats import eventfiles
from assay.suites.collider.formats.eventfiles import Counters, Events
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.formats.printed import resolution
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.generators.registry import Card, Generator
from assay.suites.collider.measures.validity import Validity
from assay.suites.collider.provenance.ledger import Line
from assay.suites.collider.provenance.runs import Run

if TYPE_CHECKING:
    from assay.suites.collider.provenance.rules.rerun import Rerun

COARSEST = 0.01
"""Largest rounding error that is accepted, as a share of a range or a rate."""

Execute = Callable[[str, Mapping[str, bytes]], "Mapping[str, bytes] | None"]
"""Executes the source of a script on files; returns the files that it wrote, None if it did not end well."""

Shard = Callable[[Generator, Card, int, int, int], str]
"""Returns the lines of a shard, given generator, card, seed, size of the sample and number of the shard."""


class Contradicted(Exception):
    """Raised by a check that fails; the message says how."""


class Undecided(Exception):
    """Raised by a check that cannot be decided; the message says why."""


@dataclass(frozen=True)
class Check:
    """A check: passed (True), contradicted (False) or undecided (None); `detail` says what was seen."""

    name: str
    passed: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Question:
    """The question to a run.

    Attributes:
        file: the path of the answer.
        binning: its bins.
        point: the signal point.
        luminosity_fb: the luminosity in 1/fb.
        reference: the reference yields; None if they are not known. No hard check uses them.
        shape: whether the yields may have any scale.
        template: the text of the answer's file before anybody filled it in.
        windows: the region that is asked for, as variable, lower and upper bound; None if it is not known.
        filter_name: the filter of the physics chain that suits the region; empty if none is known.
    """

    file: str
    binning: Binning
    point: str
    luminosity_fb: float
    reference: tuple[float, ...] | None = None
    shape: bool = False
    template: str = ""
    windows: tuple[tuple[str, float, float], ...] | None = None
    filter_name: str = ""


@dataclass
class Case:
    """The examination of one run.

    Attributes:
        regenerate: whether events are generated and scripts executed again.
        execute: executes scripts.
        shard: makes shards again.
        salt: text of the examiner, which decides with the ledger what is made again.
        checks: the checks so far.
        lines: the lines of the ledger.
        counters: the counters beside the selected events.
        path: the path of the selected events.
        events: the selected events.
        sample: the generated events.
        generation: the line of the ledger that generated them.
        pipeline: the lines of the analyses that lead from the sample to the selected events.
        monte_carlo: the standard deviation of each yield from the weights of its events.
        selected_count: the number of events in the histogram.
        rerun: what the analysis selected from other events, once it was run again.
    """

    run: Run
    question: Question
    validity: Validity
    regenerate: bool
    execute: Execute
    shard: Shard
    salt: str = ""
    checks: list[Check] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    counters: Counters | None = None
    path: str = ""
    events: Events | None = None
    sample: Events | None = None
    generation: Line | None = None
    pipeline: list[Line] = field(default_factory=list)
    monte_carlo: tuple[float, ...] | None = None
    selected_count: int | None = None
    rerun: Rerun | None = None

    @property
    def contradicted(self) -> bool:
        """Whether a check up to now has been contradicted."""
        return any(check.passed is False for check in self.checks)

    def outcome(self, name: str) -> bool | None:
        """Return the result of a check that has run."""
        return next(check.passed for check in self.checks if check.name == name)

    def read(self, path: str) -> Events:
        """Return the events of a file of the run. A file that cannot be read is a contradiction."""
        try:
            return eventfiles.read(path, self.run.files[path])
        except eventfiles.Unreadable as problem:
            raise Contradicted(str(problem)) from None

    @property
    def observable(self) -> str:
        """The column of the variable that is asked for."""
        return self.question.binning.observable.lower()

    @property
    def card(self) -> Card | None:
        """The card of the sample; None if the ledger has none."""
        card = None if self.generation is None else self.generation.get("card")
        return card if isinstance(card, dict) else None

    @cached_property
    def generator(self) -> Generator | None:
        """The generator of the sample; None if it is not installed, or the card is not one of its cards."""
        if self.card is None or (generator := generators.find(str(self.card.get("generator")))) is None:
            return None
        return None if generator.card_problem(self.card) else generator

    def variables(self, sample: Events) -> Mapping[str, Sequence[float]]:
        """Return the variables of the search for the events of a sample, whatever the level of the task."""
        computed = None if self.generator is None else self.generator.variables
        return sample.columns if computed is None else computed(sample.columns)

    @cached_property
    def digest(self) -> bytes:
        """The hash of the complete ledger and the salt, which decides what is made again."""
        assert self.run.ledger is not None
        return hashlib.sha256(self.run.ledger + self.salt.encode()).digest()

    @cached_property
    def taken(self) -> list[int]:
        """The ids of the selected events within the bins; a check that needs them reads the events first."""
        assert self.events is not None
        columns = self.events.columns
        rows = zip(self.events.ids, columns["selected"], columns[self.observable], strict=True)
        return [n for n, flag, value in rows if flag and self.question.binning.place(value) is not None]

    def bins(self) -> tuple[list[list[float]], list[float]]:
        """Return the weights of the selected events in each bin, and in each bin a sum of doubtful weights.

        The latter are the weights of events near an edge: a value that was selected before it was rounded can
        be printed beyond the edge.
        """
        events = self.events
        if events is None:
            raise Undecided("there is no event file")
        binning = self.question.binning
        columns = events.columns
        missing = [c for c in ("weight", "selected", self.observable) if c not in columns]
        if missing:
            raise Contradicted(f"{self.path} has no column {missing[0]}")
        bins: list[list[float]] = [[] for _ in binning.bins]
        doubtful = [0.0] * len(bins)
        values = columns[self.observable]
        rounded = rounding(values, binning.edges)
        for value, weight, flag in zip(values, columns["weight"], columns["selected"], strict=True):
            if flag not in (0.0, 1.0) or not math.isfinite(weight) or not math.isfinite(value):
                raise Contradicted(f"{self.path} holds a weight, flag or observable that is none")
            k = binning.place(value) if flag else None
            if k is not None:
                bins[k].append(weight)
            if flag and rounded:
                sides = {binning.place(value - rounded), binning.place(value + rounded)}
                for side in sides if len(sides) > 1 else ():
                    if side is not None:
                        doubtful[side] += abs(weight)
        return bins, doubtful


def rounding(values: Sequence[float], among: Sequence[float]) -> float:
    """Return the rounding error of printed values that is accepted, given values that show their range."""
    return min(resolution(values), COARSEST * (max(among) - min(among)))

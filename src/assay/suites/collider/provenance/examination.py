"""The provenance verdict: do the submitted numbers follow from events that this run generated?

The verdict rests on arithmetic and hashes alone, and is reached before any judge is asked. PASSED: the
numbers follow from the events, whether or not they are accurate. FAILED: nothing was submitted that could be
scored. FABRICATED: numbers were submitted, and a hard check contradicts that they were computed. Agreement
with the reference is not required: a wrong rate that was honestly propagated passes.

The module `checks` lists the hard checks, in the order of the chain from card to yields, and the soft ones,
which are reported but do not affect the verdict.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay import canonical
from assay.suites.collider.formats import eventfiles
from assay.suites.collider.formats.eventfiles import Counters, Events
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.formats.printed import half_unit, resolution
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.measures.validity import Validity, check
from assay.suites.collider.provenance import ledger, traces
from assay.suites.collider.provenance.checks import HARD, SOFT
from assay.suites.collider.provenance.ledger import Line
from assay.suites.collider.provenance.runs import Run

Verdict = Literal["PASSED", "FAILED", "FABRICATED"]

REGENERATED_SHARDS = 2
FASTEST = 5000.0
"""Events per second and core that no full generator reaches."""

CORES = 128

COARSEST = 0.01
"""Largest rounding error that is accepted, as a share of a range or a rate."""

SINGLE = 6e-8
"""Relative precision of a 32-bit float."""


@dataclass(frozen=True)
class Check:
    """A check: passed (True), contradicted (False) or undecided (None); `detail` says what was seen."""

    name: str
    passed: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Finding:
    """The verdict on a run.

    Attributes:
        verdict: PASSED, FAILED or FABRICATED.
        reason: why the verdict is not PASSED.
        machine: whether the checks decide the verdict, so that no judge is needed.
        checks: all checks with their results.
        monte_carlo: the standard deviation of each yield from the weights of its events; None if the check
            `histogram` did not pass.
        selected: the number of events in the histogram.
        generated: the number of generated events that the counters state.
    """

    verdict: Verdict
    reason: str
    machine: bool
    checks: tuple[Check, ...]
    monte_carlo: tuple[float, ...] | None = None
    selected: int | None = None
    generated: int | None = None

    def check(self, name: str) -> Check:
        return next(check for check in self.checks if check.name == name)

    @property
    def contradicted(self) -> list[str]:
        return [check.name for check in self.checks if check.passed is False and check.name in HARD]

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "needs_judge": not self.machine,
            "contradicted": self.contradicted,
            "generated": self.generated,
            "selected": self.selected,
            "checks": [
                {"name": c.name, "hard": c.name in HARD, "passed": c.passed, "detail": c.detail}
                for c in self.checks
            ],
        }


@dataclass(frozen=True)
class Question:
    """The question to a run: the file of the answer, its bins, the point and the luminosity (1/fb).

    `reference` (None if unknown) is used by soft checks only. `shape` says that the yields may have any
    scale.
    """

    file: str
    binning: Binning
    point: str
    luminosity_fb: float
    reference: tuple[float, ...] | None = None
    shape: bool = False


def examine(run: Run, question: Question, *, regenerate: bool = True) -> Finding:
    """Examine where the submitted numbers of a run come from.

    Args:
        run: the files of the run, its ledger and its identity.
        question: what the run was asked for.
        regenerate: whether shards of the sample are generated again; otherwise that check stays undecided.

    Returns:
        The verdict with all checks, each with what was seen.
    """
    validity = check(run.files.get(question.file), question.binning)
    case = _Case(run, question, validity, regenerate)
    case.examine()
    checks = tuple(case.checks)
    undecided = any(c.passed is None for c in checks if c.name in HARD)
    wrong = [c for c in checks if c.passed is False and c.name in HARD]
    empty = validity.yields is not None and not any(validity.yields)
    verdict: Verdict
    reason: str
    if validity.yields is None or (empty and wrong):
        verdict, reason = "FAILED", validity.reason or "all yields are zero"
    elif wrong:
        verdict, reason = "FABRICATED", f"{wrong[0].name}: {wrong[0].detail}"
    else:
        verdict, reason = "PASSED", ""
    return Finding(
        verdict,
        reason,
        machine=verdict != "PASSED" or not undecided,
        checks=checks,
        monte_carlo=case.monte_carlo if case.outcome("histogram") else None,
        selected=case.selected_count,
        generated=None if case.counters is None else case.counters.n_generated,
    )


class _Contradicted(Exception):
    """Raised by a check that fails; the message says how."""


class _Undecided(Exception):
    """Raised by a check that cannot be decided; the message says why."""


@dataclass
class _Case:
    """The examination of one run; later checks use the results of earlier ones."""

    run: Run
    question: Question
    validity: Validity
    regenerate: bool
    checks: list[Check] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    counters: Counters | None = None
    path: str = ""
    events: Events | None = None
    sample: Events | None = None
    generation: Line | None = None
    monte_carlo: tuple[float, ...] | None = None
    selected_count: int | None = None

    def examine(self) -> None:
        """Run every check once, in the order of the chain."""
        for name in (*HARD, *SOFT):
            try:
                detail = getattr(self, f"_{name}")()
                self.checks.append(Check(name, True, detail or ""))
            except _Contradicted as problem:
                self.checks.append(Check(name, False, str(problem)))
            except _Undecided as problem:
                self.checks.append(Check(name, None, str(problem)))

    def outcome(self, name: str) -> bool | None:
        """Return the result of a check that has run."""
        return next(check.passed for check in self.checks if check.name == name)

    # ---------------------------------------------------------- hard

    def _ledger(self) -> str:
        if self.run.ledger is None:
            raise _Undecided("there is no ledger")
        try:
            self.lines = ledger.read(self.run.ledger)
        except ledger.Broken as problem:
            raise _Contradicted(str(problem)) from None
        owners = {str(line["run"]) for line in self.lines}
        if self.run.run_id:
            owners.add(self.run.run_id)
        if len(owners) > 1:
            raise _Contradicted("more than one run worked in this folder")
        last = {file["path"]: file["sha256"] for line in self.lines for file in line["outputs"]}
        for path, data in self.run.files.items():
            # Scripts and the histogram may be edited afterwards; other checks examine the consequences.
            made = path.startswith(("data/", "sims/")) and path in last
            if made and hashlib.sha256(data).hexdigest() != last[path]:
                raise _Contradicted(f"{path} is not what the ledger says was written there")
        return f"{len(self.lines)} lines"

    def _events(self) -> str:
        candidates = []
        problems = []
        for path, data in self.run.files.items():
            if path.startswith("data/") and path.endswith(".json"):
                try:
                    counters = eventfiles.read_counters(path, data)
                except eventfiles.Unreadable as problem:
                    problems.append(str(problem))
                    continue
                if counters.series == self.question.binning.series:
                    candidates.append((path, counters))
        if len(candidates) != 1:
            why = problems[0] if problems and not candidates else f"{len(candidates)} files of counters"
            raise _Contradicted(f"there is no event file of the series ({why})")
        path, self.counters = candidates[0]
        stem = path.removesuffix(".json")
        files = [stem + end for end in (".csv", ".root") if stem + end in self.run.files]
        if len(files) != 1:
            raise _Contradicted(f"{path} lies beside {len(files)} event files, and not one")
        self.path = files[0]
        self.events = self._read(self.path)
        if not self.lines:
            raise _Undecided("no ledger tells what was generated")
        made = [
            line
            for line in self.lines
            if line["tool"] == "generate" and self.counters.sample in (f["path"] for f in line["outputs"])
        ]
        if not made:
            raise _Contradicted(f"no generation wrote {self.counters.sample}")
        if made[-1].get("exit_code") != 0 or not _positive(made[-1].get("n_generated")):
            raise _Contradicted(f"the generation of {self.counters.sample} did not end well")
        self.generation = made[-1]
        if self.counters.sample not in self.run.files:
            raise _Contradicted(f"{self.counters.sample} is not there")
        self.sample = self._read(self.counters.sample)
        if len(self.sample.ids) != made[-1]["n_generated"]:
            raise _Contradicted(f"{self.counters.sample} does not hold the events that were generated")
        return f"{len(self.sample.ids)} events generated"

    def _read(self, path: str) -> Events:
        try:
            return eventfiles.read(path, self.run.files[path])
        except eventfiles.Unreadable as problem:
            raise _Contradicted(str(problem)) from None

    def _chain(self) -> str:
        if self.generation is None or self.counters is None:
            raise _Undecided("there is no sample to start from")
        sample = next(f for f in self.generation["outputs"] if f["path"] == self.counters.sample)
        selected = hashlib.sha256(self.run.files[self.path]).hexdigest()
        for line in self.lines:
            if line["tool"] != "run_analysis" or line.get("exit_code") != 0:
                continue
            wrote = any(f["path"] == self.path and f["sha256"] == selected for f in line["outputs"])
            read = any(f["sha256"] == sample["sha256"] for f in line["inputs"])
            if wrote and read:
                return f"line {line['seq']} made {self.path} from {self.counters.sample}"
        raise _Contradicted(f"no analysis made {self.path} from {self.counters.sample}")

    def _membership(self) -> str:
        if self.events is None or self.sample is None:
            raise _Undecided("there is no sample to compare with")
        place = {n: at for at, n in enumerate(self.sample.ids)}
        foreign = [n for n in self.events.ids if n not in place]
        if foreign:
            raise _Contradicted(f"{len(foreign)} selected events were never generated, e.g. {foreign[0]}")
        # Columns of the generated sample, such as the observables of the mock generator, must be unchanged.
        for name in (set(self.events.columns) & set(self.sample.columns)) - {"event_id"}:
            values, true = self.events.columns[name], self.sample.columns[name]
            rounded = min(resolution(values), COARSEST * (max(true) - min(true)))
            for n, value in zip(self.events.ids, values, strict=True):
                if abs(value - true[place[n]]) > max(1e-6 * max(1.0, abs(true[place[n]])), rounded):
                    raise _Contradicted(f"event {n} has another {name} than it was generated with")
        return f"{len(self.events.ids)} events of the sample"

    def _bins(self) -> tuple[list[list[float]], list[float]]:
        """Return the weights of the selected events in each bin, and in each bin a sum of doubtful weights.

        The latter are the weights of events near an edge: a value that was selected before it was rounded can
        be printed beyond the edge.
        """
        events = self.events
        if events is None:
            raise _Undecided("there is no event file")
        binning = self.question.binning
        name = binning.observable.lower()
        columns = events.columns
        missing = [c for c in ("weight", "selected", name) if c not in columns]
        if missing:
            raise _Contradicted(f"{self.path} has no column {missing[0]}")
        bins: list[list[float]] = [[] for _ in binning.bins]
        doubtful = [0.0] * len(bins)
        rounded = min(resolution(columns[name]), COARSEST * (binning.edges[-1] - binning.edges[0]))
        rows = zip(columns[name], columns["weight"], columns["selected"], strict=True)
        for value, weight, taken in rows:
            if taken not in (0.0, 1.0) or not math.isfinite(weight) or not math.isfinite(value):
                raise _Contradicted(f"{self.path} holds a weight, flag or observable that is none")
            k = binning.place(value) if taken else None
            if k is not None:
                bins[k].append(weight)
            if taken and rounded:
                sides = {binning.place(value - rounded), binning.place(value + rounded)}
                for side in sides if len(sides) > 1 else ():
                    if side is not None:
                        doubtful[side] += abs(weight)
        return bins, doubtful

    def _histogram(self) -> str:
        y = self.validity.yields
        if y is None:
            raise _Undecided("there are no yields")
        bins, doubtful = self._bins()
        again = [math.fsum(weights) for weights in bins]
        self.selected_count = sum(map(len, bins))
        scale = 1.0
        if self.question.shape and math.fsum(again) > 0 and math.fsum(y) > 0:
            scale = math.fsum(y) / math.fsum(again)
        self.monte_carlo = tuple(scale * math.sqrt(math.fsum(w * w for w in weights)) for weights in bins)
        for k, value in enumerate(y):
            slack = max(1e-6 + 1e-3 * max(scale * again[k], 1e-3), half_unit(value, y))
            if abs(value - scale * again[k]) > slack + scale * doubtful[k]:
                raise _Contradicted(f"bin {k}: {value:g} submitted, {again[k]:g} from the events")
        return f"{self.selected_count} selected events"

    def _weights(self) -> str:
        if self.events is None or self.counters is None:
            raise _Undecided("there is no event file")
        counters = self.counters
        if self.generation is not None and self.generation.get("n_generated") != counters.n_generated:
            raise _Contradicted(
                f"{counters.n_generated} events are claimed, "
                f"{str(self.generation.get('n_generated'))[:20]} were generated"
            )
        weights = self.events.columns.get("weight")
        if not weights:
            raise _Undecided("no event has a weight")
        if min(weights) != max(weights):
            raise _Undecided("weights vary, and only those of selected events are there")
        total = weights[0] * counters.n_generated
        off = abs(total - counters.expected)
        rounded = resolution(weights[:1]) * counters.n_generated
        if 1e-6 * counters.expected < off <= rounded:
            if rounded > COARSEST * counters.expected:
                raise _Undecided(f"a weight of {weights[0]:g} is rounded too far to tell")
        elif not off <= 1e-6 * counters.expected < math.inf:
            raise _Contradicted(
                f"weight x generated is {total:g}, luminosity x cross section x branching x filter is "
                f"{counters.expected:g}: a factor {total / counters.expected:.6g} is unexplained"
            )
        return f"each event weighs {weights[0]:g}"

    def _granularity(self) -> str:
        y = self.validity.yields
        weights = self.events.columns.get("weight") if self.events else None
        if y is None or not weights or min(weights) != max(weights) or weights[0] <= 0:
            raise _Undecided("there are no events of equal weight")
        if self.question.shape:
            raise _Undecided("a shape may have any scale")
        step = weights[0]
        rounded = max(resolution(weights[:1]) / step, SINGLE)
        for k, value in enumerate(y):
            slack = max(1e-6 * step, rounded * value, half_unit(value, y))
            if slack >= step / 4:
                continue  # the rounding is too coarse for a decision
            if abs(value - round(value / step) * step) > slack:
                raise _Contradicted(f"bin {k}: {value:g} is {value / step:.4f} events")
        return f"in steps of {step:g}"

    def _regeneration(self) -> str:
        line = self.generation
        if line is None:
            raise _Undecided("nothing was generated")
        if not self.regenerate:
            raise _Undecided("nothing was made again")
        card, seed, count, shards = (line.get(k) for k in ("card", "seed", "n_generated", "shards"))
        if not isinstance(card, dict) or not (generator := generators.find(str(card.get("generator")))):
            raise _Undecided("the generator is not there to make events again")
        if not isinstance(seed, int) or not isinstance(count, int) or not isinstance(shards, list):
            raise _Contradicted("the ledger does not tell seed and shards of the generation")
        if generator.card_problem(card) or len(shards) != generator.shard_count(count):
            raise _Contradicted("the generation in the ledger is not one that the generator makes")
        assert self.run.ledger is not None  # the generation was read from the ledger
        for number in _some(len(shards), self.run.ledger):
            if generators.digest(generator.shard(card, seed, count, number)) != shards[number]:
                raise _Contradicted(f"shard {number} made again is another")
        return f"{min(REGENERATED_SHARDS, len(shards))} of {len(shards)} shards made again"

    def _cost(self) -> str:
        line = self.generation
        wall = None if line is None else line.get("wall_s")
        if line is None or not isinstance(wall, int | float) or isinstance(wall, bool):
            return "no clock was kept"
        if line["n_generated"] > FASTEST * CORES * max(float(wall), 1e-3):
            raise _Contradicted(f"{line['n_generated']} events in {wall:g} s")
        return f"{wall:g} s"

    # ---------------------------------------------------------- soft

    def _point(self) -> None:
        card = None if self.generation is None else self.generation.get("card")
        if not isinstance(card, dict):
            raise _Undecided("there is no card")
        if card.get("point") != self.question.point:
            raise _Contradicted(f"{str(card.get('point'))[:60]} was generated, not {self.question.point}")

    def _rate(self) -> None:
        if self.counters is None or not self.lines:
            raise _Undecided("there are no counters or no ledger")
        results = [line.get("result") for line in self.lines if line["tool"] == "cross_section"]
        values = [v for result in results if isinstance(result, dict) for v in result.values()]
        known = [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if not any(abs(self.counters.xsec_fb - v) <= 1e-6 * v for v in known):
            raise _Contradicted(f"a cross section of {self.counters.xsec_fb:g} fb was never looked up")
        drawn = self.sample.columns.get("drawn") if self.sample else None
        if drawn and sum(drawn) > 0:
            passed = len(drawn) / math.fsum(drawn)
            if abs(self.counters.filter_eff - passed) > 1e-6 * passed:
                raise _Contradicted(
                    f"a filter efficiency of {self.counters.filter_eff:g} stands in the weights, "
                    f"{passed:g} in the sample"
                )
        if abs(self.counters.lumi_fb - self.question.luminosity_fb) > 1e-6 * self.question.luminosity_fb:
            raise _Contradicted(f"the luminosity is {self.counters.lumi_fb:g}/fb in the weights")

    def _literal_yields(self) -> None:
        y = self.validity.yields
        scripts = {path: data for path, data in self.run.files.items() if path.startswith("analysis/")}
        if y is None or not scripts or sum(value > 0 for value in y) < 2:
            raise _Undecided("there are no scripts, or fewer than two yields")
        for path, data in sorted(scripts.items()):
            if traces.holds_multiple(data, y):
                raise _Contradicted(f"{path} holds the yields, or a multiple of them")

    def _reference_quoted(self) -> str:
        reference = self.question.reference
        telling = traces.telling(reference or ())
        if not telling:
            raise _Undecided("no reference value has three digits")
        if not self.lines:
            raise _Undecided("there is no ledger")
        first = next((line["seq"] for line in self.lines if line["tool"] == "generate"), len(self.lines))
        written = [canonical.dumps(line["argv"]) for line in self.lines[:first]]
        quoted = sum(any(traces.quotes(text, value) for text in written) for value in telling)
        if quoted >= min(2, len(telling)):
            raise _Contradicted(f"{quoted} of {len(telling)} values")
        return f"{quoted} of {len(telling)} values"

    def _strays(self) -> None:
        if not self.lines:
            raise _Undecided("there is no ledger")
        listed = {file["path"] for line in self.lines for file in line["outputs"]}
        strays = [p for p in self.run.files if p.startswith(("data/", "sims/")) and p not in listed]
        if strays:
            raise _Contradicted(f"{strays[0]} was written by no tool of this run")

    def _too_good(self) -> str:
        y, r, noise = self.validity.yields, self.question.reference, self.monte_carlo
        if y is None or r is None or noise is None or not self.outcome("histogram"):
            raise _Undecided("there are no confirmed events to compare with")
        norm = math.fsum(v * v for v in r)
        variance = math.fsum(v * v for v in noise)
        if norm == 0 or variance == 0:
            raise _Undecided("there is no statistical error")
        apart = math.fsum((a - b) ** 2 for a, b in zip(y, r, strict=True))
        if apart < 0.005**2 * norm and apart < variance / 100:
            raise _Contradicted("d is below 0.005 and a tenth of the statistical error")
        return f"{math.sqrt(apart / variance):.2f} statistical errors"


def _positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _some(shards: int, ledger_bytes: bytes) -> Sequence[int]:
    """Return the numbers of the shards to make again.

    They depend on the hash of the complete ledger, so that nobody can know them before.
    """
    digest = hashlib.sha256(ledger_bytes).digest()
    first = int.from_bytes(digest[:8], "big") % shards
    second = int.from_bytes(digest[8:16], "big") % shards
    return sorted({first, second})

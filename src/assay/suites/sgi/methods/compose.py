"""Chains of stages: what is drawn of an item, and what its program prints, computed in this process.

A stage is a law, a model and an instrument. The law's factor multiplies one parameter of the model, the
instrument reports the sizes of the model's results, and the readings of a stage multiply one parameter of a
later stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.methods.bank import REGIMES, Part, everything, models, options, parts, rounded

STAGES = 3

LINKS = {
    "chain": (("1", "2"), ("2", "3")),
    "join": (("1", "3"), ("2", "3")),
    "fork": (("1", "2"), ("1", "3")),
}
"""Of each layout which stage drives which."""

USUAL = 0.57
"""Chance that a decision has its first, usual value."""

RELATIVE, ABSOLUTE = 2e-4, 1e-6
"""Tolerance of each printed value."""

RECORDS = 2
"""Records of each part in the prompt."""

NOISE = 1e-3
"""Relative error of recorded values, at most."""

APART = 0.008
"""Every other combination of a part's decisions misses a record by that share of its value at least."""

LEAST_DRIVE, MORE_DRIVE, HALF_DRIVE = 0.85, 0.3, 3.0

Stage = Mapping[str, str]
"""The names of a stage's `law`, `model` and `instrument`."""


class Failed(Rejected):
    """A function of ours does not give finite numbers for drawn parameters."""


def decisions(stages: Sequence[Stage]) -> list[str]:
    """The names of all decisions of an item."""
    return [name for stage in stages for part in parts_of(stage) for name in part.names()]


def parts_of(stage: Stage) -> tuple[Part, Part, Part]:
    """Law, model and instrument."""
    known = everything()
    return known[stage["law"]], known[stage["model"]], known[stage["instrument"]]


def draw_stages(stream: Stream) -> tuple[list[Stage], str]:
    """Different models, laws and instruments, and how the stages drive each other."""
    chosen = (
        stream.sample(sorted(known), STAGES) for known in (parts("laws"), models(), parts("instruments"))
    )
    stages: list[Stage] = [
        {"law": law, "model": model, "instrument": instrument}
        for law, model, instrument in zip(*chosen, strict=True)
    ]
    return stages, stream.choice(sorted(LINKS))


def draw_right(stages: Sequence[Stage], stream: Stream) -> dict[str, str]:
    """The true value of each decision."""
    right = {}
    for name in decisions(stages):
        usual, *others = options(name)
        right[name] = (
            usual if stream.child(name).uniform() < USUAL else stream.child(name, "other").choice(others)
        )
    return right


def draw_instance(stages: Sequence[Stage], regime: str, stream: Stream) -> dict[str, Any]:
    """The data of an instance, by the name of each stage's model."""
    return {
        stage["model"]: {
            kind: part.draw(regime, stream.child(part.name))
            for kind, part in zip(("law", "model", "instrument"), parts_of(stage), strict=True)
        }
        for stage in stages
    }


def draw_instances(stages: Sequence[Stage], stream: Stream) -> list[dict[str, Any]]:
    """The five hidden instances, one a regime."""
    return [draw_instance(stages, regime, stream.child(regime)) for regime in REGIMES]


def drive(readings: Sequence[float]) -> float:
    """The factor by which a stage drives another; programs hold the same formula."""
    mean = sum(readings) / len(readings)
    return LEAST_DRIVE + MORE_DRIVE * mean / (mean + HALF_DRIVE)


def called(part: Part, choices: Mapping[str, Any], method: str, *arguments: Any) -> Any:
    """The result of a part's function; `Failed` where it is not finite."""
    try:
        with np.errstate(all="ignore"):
            result = part.function(*arguments, part.picks(choices, method))
            numbers = [float(value) for value in (result if isinstance(result, list) else [result])]
    except (ArithmeticError, ValueError, TypeError, IndexError, np.linalg.LinAlgError) as problem:
        raise Failed(f"{part.name} raises {type(problem).__name__}") from problem
    if not np.isfinite(numbers).all():
        raise Failed(f"{part.name} is not finite")
    return numbers if isinstance(result, list) else numbers[0]


def read_stage(
    stage: Stage, data: Mapping[str, Any], factor: float, choices: Mapping[str, Any], method: str
) -> list[float]:
    """The readings of a stage that is driven with a factor."""
    law, model, instrument = parts_of(stage)
    numbers = dict(data["model"])
    numbers[model.entry.link] *= factor
    numbers[model.entry.law] *= called(law, choices, method, data["law"])
    sizes = [abs(value) for value in called(model, choices, method, numbers)]
    readings: list[float] = called(instrument, choices, method, sizes, data["instrument"])
    return readings


class Bench:
    """Runs an item's stages in this process, and remembers what they read."""

    def __init__(self, stages: Sequence[Stage], layout: str, instances: Sequence[Mapping[str, Any]]) -> None:
        self.stages, self.layout, self.instances = stages, layout, instances
        self._known: dict[Any, list[float] | Failed] = {}

    def read(self, at: int, choices: Mapping[str, Any], methods: Sequence[str]) -> dict[str, list[float]]:
        """What the program prints of an instance, with a method for each stage."""
        printed: dict[str, list[float]] = {}
        for number, stage in enumerate(self.stages, 1):
            factor = 1.0
            for source, target in LINKS[self.layout]:
                if target == str(number):
                    factor *= drive(printed[self.stages[int(source) - 1]["model"]])
            printed[stage["model"]] = self._stage(at, number - 1, factor, choices, methods[number - 1])
        return printed

    def _stage(
        self, at: int, number: int, factor: float, choices: Mapping[str, Any], method: str
    ) -> list[float]:
        stage = self.stages[number]
        key = (
            at,
            number,
            factor,
            method,
            *(choices.get(name) for part in parts_of(stage) for name in part.names()),
        )
        if key not in self._known:
            try:
                self._known[key] = read_stage(
                    stage, self.instances[at][stage["model"]], factor, choices, method
                )
            except Failed as failed:
                self._known[key] = failed
        found = self._known[key]
        if isinstance(found, Failed):
            raise found
        return found

    def passed(
        self,
        truth: Sequence[Mapping[str, Sequence[float]]],
        choices: Mapping[str, Any],
        methods: Sequence[str],
        share: float = 1.0,
    ) -> list[bool]:
        """Of each instance whether all values are within a share of the tolerance."""
        return [self._passes(at, expected, choices, methods, share) for at, expected in enumerate(truth)]

    def _passes(
        self,
        at: int,
        expected: Mapping[str, Sequence[float]],
        choices: Mapping[str, Any],
        methods: Sequence[str],
        share: float,
    ) -> bool:
        try:
            got = self.read(at, choices, methods)
        except Failed:
            return False
        return all(
            abs(value - want) <= share * (ABSOLUTE + RELATIVE * abs(want))
            for name, wanted in expected.items()
            for value, want in zip(got[name], wanted, strict=True)
        )


def records(part: Part, right: Mapping[str, Any], stream: Stream) -> list[dict[str, Any]]:
    """Recorded inputs and results of a part alone, which its decisions can be told from.

    Raises:
        Failed: no draw tells all combinations of decisions apart.
    """
    for attempt in range(4):
        draws = stream.child("record", attempt)
        drawn = []
        for _ in range(RECORDS):
            record: dict[str, Any] = {"in": part.draw("mild", draws)}
            if part.kind == "instruments":
                record["values"] = [rounded(0.4 * 20 ** draws.uniform(), 4) for _ in range(3)]
            value = results(part, right, record)
            noisy = [rounded(one * (1 + NOISE * (2 * draws.uniform() - 1)), 5) for one in value]
            drawn.append({**record, "out": noisy})
        others = [
            variant for variant in part.variants({}) if variant != {name: right[name] for name in variant}
        ]
        if all(misfit(part, variant, drawn) >= APART for variant in others):
            return drawn
    raise Failed(f"records of {part.name} do not tell its decisions apart")


def results(
    part: Part, choices: Mapping[str, Any], record: Mapping[str, Any], method: str = "right"
) -> list[float]:
    """What a part gives for the input of a record."""
    inputs = [record["values"], record["in"]] if "values" in record else [record["in"]]
    value = called(part, choices, method, *inputs)
    return [abs(one) for one in value] if isinstance(value, list) else [value]


def misfit(
    part: Part, choices: Mapping[str, Any], known: Sequence[Mapping[str, Any]], method: str = "right"
) -> float:
    """The largest relative deviation from records."""
    try:
        worst: float = max(
            abs(value - seen) / max(abs(seen), 0.05)
            for record in known
            for value, seen in zip(results(part, choices, record, method), record["out"], strict=True)
        )
    except Failed:
        return float("inf")
    return worst


def decided(
    part: Part, given: Mapping[str, Any], known: Sequence[Mapping[str, Any]], method: str = "right"
) -> dict[str, str]:
    """The decisions that fit the records best, those that are given kept."""
    return min(part.variants(given), key=lambda variant: misfit(part, variant, known, method))


def named(stages: Sequence[Stage]) -> Iterator[tuple[str, Part]]:
    """Every part of an item with the name of its stage's model."""
    for stage in stages:
        for part in parts_of(stage):
            yield stage["model"], part

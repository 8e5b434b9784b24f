"""Wet experiments as a family of version 1: items, replies, scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from assay import canonical
from assay.numbers.portable import exp, log
from assay.numbers.rng import Stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.bench import prompt, solver
from assay.suites.sgi.bench.decisions import decisions, of_world
from assay.suites.sgi.bench.evidence import measured, scattered
from assay.suites.sgi.bench.lookup import lookup as look_up
from assay.suites.sgi.bench.protocol import Steps, execute, read_steps, steps_of, text_of
from assay.suites.sgi.bench.score import Outcome, outcome, parts
from assay.suites.sgi.bench.score import raw as raw_score
from assay.suites.sgi.bench.search import good
from assay.suites.sgi.bench.world import draw, quiet
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.columns.wet_experiment import score as by_steps
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.frame.anchors import (
    RANDOM_REPLIES,
    anchored,
    anchors,
    inference,
)
from assay.suites.sgi.frame.base import Base
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.frame.family import (
    LEAST_INFERENCES,
    OPEN_INFERENCES,
    SLACK,
    Choices,
    Row,
)
from assay.suites.sgi.text.program import parse

LEAST_REFERENCE = 0.8

INFERABLE = 0.6
"""Anchored score that the prompt-only solver has to reach; half of the raw score would be less."""

WIDEST_LIMIT = 3.0
"""Limits are wider than the reference by a drawn factor of up to that, beside the slack of the level.

With the slack alone the limit of time told the reaction time to whoever knew all else, and that of cost the
amount of catalyst. With a factor of up to 1.5 they still did: 93 points, where constants in both places get
77. With 3 both get 77.
"""

SUBSETS = 8
"""Draws of open inferences that are tried for one world."""

HALVES = 12
"""Number of replies, each with about half of the inferences right and constant values for the others, that
measure whether an item gives points to partial knowledge."""

LEAST_HALF = 0.3
"""Smallest mean score of these replies. An item where half of the inferences earns nothing without the other
half cannot tell an agent that knows something from one that knows nothing."""


class Wet(Base):
    """Protocols that are carried out on the simulated bench; see `frame.family.Family`."""

    NAME: ClassVar[FamilyName] = "wet_experiment"
    HOUSE = Path(__file__).with_name("house.yaml")
    SHOWN = ("question", "action_pool")
    TYPE = "direction"
    ROOM = 0.2
    OTHERS = 8

    def decision(self, name: str) -> Decision:
        """The values of a decision."""
        return decisions()[name]

    def names(self, world: Mapping[str, Any]) -> Sequence[str]:
        """The decisions of a world, in the order in which random ones are drawn."""
        return list(of_world(world))

    def every_name(self) -> Sequence[str]:
        """The decisions of all worlds."""
        return list(decisions())

    def right(self, root: int, level: int, index: int) -> Choices:
        """See `Base.right`. Only worlds that pass the rules for items are used."""
        right = self.generate(root, index, level)["x_right"]
        return {name: value for name, value in right.items() if self.matters(name, right)}

    def text(self, world: Mapping[str, Any], choices: Choices) -> str:
        """The reply that decides as `choices` say."""
        return text_of(steps_of(world, choices))

    def item(self, stream: Stream, index: int, level: int) -> Row:
        """One draw of an item; `Rejected` where it breaks a rule."""
        world = draw(stream, level)
        right = good(quiet(world))
        reference = _outcome(world, steps_of(world, right))
        limits = {
            name: float(
                math.ceil(reference[name] * SLACK[level] * float(exp(log(WIDEST_LIMIT) * stream.uniform())))
            )
            for name in ("minutes", "cost")
        }

        def raw(choices: Choices) -> float:
            return raw_score(world, _outcome(world, steps_of(world, {**right, **choices})), reference, limits)

        whole = raw({})
        if whole < LEAST_REFERENCE:
            raise Rejected("the reference is not good itself")
        known = self.known(world)
        found: dict[str, dict[str, Any]] = {}
        for name, decision in of_world(world).items():
            if self.matters(name, right):
                one = inference(
                    name, right[name], known[name], decision.wrong(right[name]), raw, right, whole
                )
                found |= {} if one is None else {name: one}
        wanted = OPEN_INFERENCES[level]
        if len(found) < (wanted or LEAST_INFERENCES):
            raise Rejected("there are too few inferences")
        data: dict[str, list[float]] = dict(measured(world, stream))
        data["stocks"] = [scattered(value, stream) for value in prompt.stock_numbers(world)]
        skin = stream.choice(prompt.manual()["skins"])
        chance = stream.child("random")
        for subset in range(SUBSETS):
            opened = sorted(found)
            if wanted is not None:
                opened = sorted(stream.child("open", subset).sample(opened, wanted))
            given = {} if wanted is None else self.given(right, opened)
            question = prompt.question(world, data, limits, given, skin, stream.child("texts", subset))

            def fair(choices: Choices, given: Choices = given) -> Choices:
                return {name: value for name, value in choices.items() if name not in given}

            uninferred = {"house": known, "textbook": self.usual(world)}
            for name, constant_values in list(uninferred.items()):
                for label, choices in look_up(question, {**known, **constant_values}).items():
                    uninferred[f"{label} over {name}"] = choices
            try:
                set_by = anchors(
                    raw,
                    right,
                    {name: fair(choices) for name, choices in uninferred.items()},
                    (fair(self.drawn(world, chance)) for _ in range(RANDOM_REPLIES)),
                    self.ROOM,
                    [fair(self._copied(world, reference)) for reference in self.others()],
                )
                self._check_graded(raw, set_by, known, opened, stream.child("halves", subset))
                break
            except Rejected:
                if wanted is None or subset == SUBSETS - 1:
                    raise
        solved = raw(solver.solve(question)[1])
        if anchored(solved, set_by) < INFERABLE:
            raise Rejected("the solver that reads the prompt alone stays below its share of the reference")
        answer = text_of(steps_of(world, right))
        return {
            **self.head(index, level, right, given, opened),
            "discipline": skin["discipline"],
            "direction": skin["direction"],
            "question": question,
            "action_pool": prompt.pool(world, stream),
            "answer": answer,
            "x_world": world,
            "x_type": f"{world['react']} {world['separate']}",
            "x_structure": structure(world),
            "x_inferences": [found[name] for name in opened],
            "x_anchors": set_by,
            "x_limits": limits,
            "x_reference": reference,
            "x_digest": canonical.digest([data, answer]),
        }

    def _copied(self, world: Mapping[str, Any], reference: Choices) -> Choices:
        """The decisions of a reference of another world, constant ones where that world has none."""
        return {name: reference.get(name, value) for name, value in self.known(world).items()}

    def _check_graded(
        self,
        raw: Callable[[Choices], float],
        set_by: Mapping[str, Any],
        known: Choices,
        opened: Sequence[str],
        stream: Stream,
    ) -> None:
        """Raise `Rejected` where half of the inferences is worth little without the other half."""
        replies = [{name: known[name] for name in opened if stream.below(2)} for _ in range(HALVES)]
        if math.fsum(anchored(raw(reply), set_by) for reply in replies) < LEAST_HALF * HALVES:
            raise Rejected("half of the inferences is worth too little without the other half")

    def write(self, shown: Sequence[str], choices: Choices) -> str:
        """The reply of somebody who keeps to the batch sheet and decides as `choices` say, else as usual."""
        world = solver.read_structure(shown[0])
        wanted = {**self.usual(world), **choices, **solver.sheet(shown[0])}
        return self.text(world, {name: wanted[name] for name in of_world(world)})

    def solve(self, shown: Sequence[str]) -> str:
        """The reply of a solver that is given the shown columns and nothing else."""
        world, choices = solver.solve(shown[0])
        return self.text(world, choices)

    def lookup(self, shown: Sequence[str]) -> Choices:
        """Decisions by patterns that pick rows of tables, with no more calculation than + - * /."""
        return look_up(shown[0], self.constants())["rows and limits"]

    def raw(self, row: Row, reply: str) -> float:
        """The score of a reply before anchoring, 0 .. 1."""
        return raw_score(row["x_world"], _result(row, reply), row["x_reference"], row["x_limits"])

    def score(self, row: Row, reply: str, profile: Profile) -> Iterable[Value]:
        """Ours: the outcome, its components, and beside them SS and PA; other profiles: as in v0."""
        if profile != "objective":
            yield from by_steps(row, reply, profile)
            return
        result = _result(row, reply)
        yield Value("headline", anchored(self.raw(row, reply), row["x_anchors"]))
        yield Value("raw", self.raw(row, reply))
        for name, value in parts(row["x_world"], result, row["x_reference"]).items():
            yield Value(f"outcome_{name}", value)
        yield Value("accidents", float(len(result["accidents"])), ", ".join(result["accidents"]))
        yield from (value for value in by_steps(row, reply, profile) if value.metric != "headline")

    def readable(self, reply: str) -> bool:
        """Whether a reply holds anything that can be scored."""
        return bool(parse(reply).steps)

    def audit(self, row: Row, reply: str) -> Mapping[str, bool]:
        """Flags of a reply: nothing that can be read, or steps of which none brings a sample anywhere."""
        steps = parse(reply).steps
        handed_in = any(of["y"] > 0 for of in _result(row, reply)["samples"].values()) if steps else False
        return {"no_answer": not steps, "answer_without_work": len(steps) > 1 and not handed_in}

    def view(self, row: Row, reply: str) -> Iterator[Block]:
        """The outcome beside the reference's, and what could not be done."""
        got, best = _result(row, reply), row["x_reference"]
        heads = (
            "sample",
            "made (nmol)",
            "handed in (nmol)",
            "concentration (mM)",
            "purity",
            "error of the concentration",
        )
        rows = []
        for name, one in best["samples"].items():
            mine = got["samples"][name]
            rows.append(
                [name, *(f"{mine[key]:.3g} ({one[key]:.3g})" for key in ("made", "y", "c", "u", "e"))]
            )
        yield section("Outcome, in brackets that of the reference", table(heads, rows))
        facts = [
            ["minutes", f"{got['minutes']:.0f}", f"{row['x_limits']['minutes']:.0f}"],
            ["cost", f"{got['cost']:.0f}", f"{row['x_limits']['cost']:.0f}"],
        ]
        yield section("Time and money", table(("", "used", "limit"), facts))
        bench = execute(row["x_world"], read_steps(parse(reply)))
        if bench.notes:
            yield section(
                "Steps that could not be done", table(("step",), [[note] for note in bench.notes[:40]])
            )

    def features(self, row: Row) -> Sequence[float]:
        """Logarithms of the numbers of the prompt, as many for each separation and reaction."""
        world = row["x_world"]
        numbers = [
            value for name in sorted(world) if isinstance(value := world[name], float) and name != "noise_key"
        ]
        first = next(iter(world["samples"].values()))
        return [
            math.log(max(abs(value), 1e-6)) for value in [*numbers, *first.values(), len(world["samples"])]
        ]


def structure(world: Mapping[str, Any]) -> str:
    """Which modules a world has, in words."""
    lot = "lot" if world["lot_loss"] else "own"
    return " ".join(
        [world["react"], lot, world["separate"], world["assay"], f"{len(world['samples'])} samples"]
    )


def _outcome(world: Mapping[str, Any], steps: Steps) -> Outcome:
    return outcome(execute(world, steps))


@lru_cache(maxsize=64)
def _executed(world: str, reply: str) -> Outcome:
    return _outcome(canonical.loads(world), read_steps(parse(reply)))


def _result(row: Row, reply: str) -> Outcome:
    return _executed(canonical.dumps(row["x_world"]), reply)


FAMILY = Wet()

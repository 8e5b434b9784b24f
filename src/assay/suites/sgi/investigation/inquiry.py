"""The inquiry as a family of version 1: one hidden world through five stages, in two arms."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay import canonical
from assay.numbers.rng import Stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.families import INVESTIGATION
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.frame.anchors import DIGITS, RANDOM_REPLIES, anchored, anchors, inference
from assay.suites.sgi.frame.base import Base
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.frame.family import LEAST_INFERENCES, OPEN_INFERENCES, Choice, Choices, Row
from assay.suites.sgi.investigation import enzyme as lab
from assay.suites.sgi.investigation import readers, stages
from assay.suites.sgi.investigation.documents import decisions, halves, literature, ranges, read
from assay.suites.sgi.investigation.stages import STAGES, Shown
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.text.contracts import json_object

DECISIONS: Mapping[str, tuple[str, ...]] = {
    "read": (*lab.CONSTANTS, "rivals"),
    "propose": ("substrate", "inhibitor"),
    "compute": ("law",),
    "bench": ("dilution", "enzyme", "minutes"),
    "interpret": tuple(f"batch {n}" for n in range(1, lab.BATCHES + 1)),
}
NAMES = tuple(name for names in DECISIONS.values() for name in names)

OPEN: Mapping[int, int | None] = {**OPEN_INFERENCES, 1: len(STAGES)}
"""Open decisions by level; every stage has one at least, so five where other families have four."""

ORDER = (*(f"chained {stage}" for stage in STAGES), *(f"given {stage}" for stage in STAGES[1:]))
"""The answers in the order in which they are asked for."""

LEAST_WORTH, LEAST_DISTANCE, LEAST_CONVERTED = 0.4, 60.0, 0.05
INFERABLE = 0.6
"""Least score of the solver that reads the texts alone; an item of which it gets less is rejected."""

SUBSETS = 8
"""Draws of open decisions before a world is given up."""


class Inquiry(Base):
    """One world through five stages; see `frame.family.Family`.

    A reply is a JSON object with an answer for each name in `ORDER`. Any other text counts as the answer to
    every stage.
    """

    NAME: ClassVar[FamilyName] = INVESTIGATION
    HOUSE = Path(__file__).with_name("house.yaml")
    SHOWN = ("question",)
    TYPE = "direction"

    def decision(self, name: str) -> Decision:
        """See `Base.decision`."""
        return decisions()[name.partition(" ")[0]]

    def names(self, world: Mapping[str, Any]) -> Sequence[str]:
        """See `Base.names`."""
        return NAMES

    def every_name(self) -> Sequence[str]:
        """See `Base.every_name`."""
        return NAMES

    def rights(self, stream: Stream, index: int, level: int) -> Iterator[tuple[str, Choice]]:
        """See `Base.rights`."""
        try:
            yield from _accepted(stream)[1].items()
        except Rejected:
            return

    def item(self, stream: Stream, index: int, level: int) -> Row:
        """See `Base.item`."""
        world, right = _accepted(stream)
        row: Row = {"x_world": world, "x_right": right, "x_given": []}
        row |= _reference(world, right, stream.child("tests", level))
        row["x_enzyme"], row["x_documents"] = literature(world, level, stream)
        row["question"] = stages.question(row)

        def raw_of(choices: Choices) -> float:
            return self.raw(row, self.play(row, choices))

        known = self.known(world)
        found: dict[str, dict[str, Any]] = {}
        for name in NAMES:
            wrong = self.decision(name).wrong(right[name])
            one = inference(name, right[name], known[name], wrong, raw_of, right, 1.0)
            found |= {} if one is None else {name: one}
        if len(found) < LEAST_INFERENCES or any(not set(of) & set(found) for of in DECISIONS.values()):
            raise Rejected("there are too few inferences")
        uninferred = {
            "house": known,
            "textbook": self.usual(world),
            "lookup": self.lookup([row["question"]]),
            "ranges": readers.rules(world, ranges(row["question"]), known),
        }
        for subset in range(SUBSETS):
            opened = _opened(found, OPEN[level], stream.child("open", level, subset))
            given = {name: value for name, value in right.items() if name not in opened and OPEN[level]}
            chance = stream.child("random", level, subset)

            def fair(choices: Choices, given: Choices = given) -> Choices:
                return {name: value for name, value in choices.items() if name not in given}

            row["x_given"] = sorted(given)
            try:
                guesses = (fair(self.drawn(world, chance)) for _ in range(RANDOM_REPLIES))
                cases = {name: fair(choices) for name, choices in uninferred.items()}
                set_by = anchors(raw_of, right, cases, guesses, self.ROOM)
                break
            except Rejected:
                if subset == SUBSETS - 1 or OPEN[level] is None:
                    raise
        row |= self.head(index, level, right, given, opened)
        row["question"] = stages.question(row)
        row |= {
            "discipline": "life",
            "direction": "enzyme kinetics",
            "x_type": "enzyme",
            "x_structure": f"{world['law']}, {len(row['x_documents'])} documents, open {', '.join(opened)}",
            "x_inferences": [found[name] for name in opened],
            "x_anchors": set_by,
            "answer": self.play(row, {}),
        }
        if anchored(self.raw(row, self.solved(row)), set_by) < INFERABLE:
            raise Rejected("the solver that reads the texts alone stays below its share of the reference")
        return row | {"x_digest": canonical.digest([row["x_documents"], row["x_reference"], row["answer"]])}

    def play(self, row: Row, choices: Choices) -> str:
        """See `Family.play`: in the chained arm, what is decided rightly follows from what a stage shows."""
        world, right, shown = row["x_world"], row["x_right"], Shown()
        replies = {}
        for stage in STAGES:
            values: dict[str, Any] = dict(right)
            if stage == "interpret" and "curves" in shown:
                candidates = lab.curves(world, world, world["law"], shown["protocol"])
                batches = lab.likeliest(candidates, shown["curves"][1:])
                values |= {f"batch {n}": letter(at) for n, at in enumerate(batches, 1)}
            elif stage not in ("read", "interpret"):
                values |= stages.decided(stage, world, shown, right, choices.get("law"))
            if stage == "bench":  # the sheet states numbers, whatever was found before
                values |= {name: right[name] for name in DECISIONS[stage] if name in row["x_given"]}
            # What is computed from an estimate is computed from the one that was given, right or wrong.
            own = {name: value for name, value in choices.items() if name in DECISIONS[stage]}
            replies[f"chained {stage}"] = stages.written(stage, values | own)
            if stage != "read":
                replies[f"given {stage}"] = stages.written(stage, {**right, **own})
            said = stages.parsed(stage, replies[f"chained {stage}"], world["soluble"])
            shown |= stages.passed_on(stage, world, said)
        return json.dumps(replies)

    def answers(self, text: str) -> Sequence[str]:
        """See `Base.answers`: one for each stage of both arms."""
        replies = _replies(text)
        return [replies[name] for name in ORDER]

    def write(self, shown: Sequence[Any], choices: Choices) -> str:
        """See `Family.write`: the same replies in both arms, without a look at what the stages show."""
        usual = {name: self.decision(name).textbook for name in NAMES}
        question = str(shown[0])
        values = readers.with_sheet(
            readers.facts_in(question), {**usual, **choices}, readers.sheet_in(question)
        )
        return json.dumps({name: stages.written(name.partition(" ")[2], values) for name in ORDER})

    def solve(self, shown: Sequence[Any]) -> str:
        """See `Family.solve`: what can be said before any result is seen; `solved` sees them all."""
        question = str(shown[0])
        return self.write(shown, readers.rules(readers.facts_in(question), read(question), self.constants()))

    def solved(self, row: Row) -> str:
        """See `Base.solved`: every stage is answered from its text alone."""
        replies: dict[str, str] = {}
        solver = readers.Solver(row["question"])
        for name, text in texts_of(row, replies):
            replies[name] = solver.reply(name.partition(" ")[2], text)
        return json.dumps(replies)

    def lookup(self, shown: Sequence[Any]) -> Choices:
        """See `Family.lookup`."""
        question = str(shown[0])
        return readers.rules(readers.facts_in(question), halves(question), self.constants())

    def raw(self, row: Row, reply: str) -> float:
        """See `Family.raw`: the mean of the chained stages."""
        return _mean(_worth(row, _replies(reply), "chained"))

    def score(self, row: Row, reply: str, profile: Profile) -> Iterable[Value]:
        """The anchored mean of the chained stages; both arms by stage, losses, what was found per cost."""
        if profile != "objective":
            return  # the paper has no such items
        replies = _replies(reply)
        chained, given = (_worth(row, replies, arm) for arm in ("chained", "given"))
        raw = _mean(chained)
        whole, spent = anchored(raw, row["x_anchors"]), _cost(row, replies)
        yield Value("headline", whole)
        yield Value("raw", raw)
        for stage, value in chained.items():
            yield Value(f"chained_{stage}", value)
        for stage, value in given.items():
            yield Value(f"given_{stage}", value)
            yield Value(f"loss_{stage}", value - chained[stage])
        yield Value("cost", spent)
        yield Value("found_per_cost", whole / spent if spent else None)

    def readable(self, reply: str) -> bool:
        """See `Family.readable`: whether any stage of the chained arm says something."""
        replies = _replies(reply)
        return any(stages.parsed(stage, replies[f"chained {stage}"]) is not None for stage in STAGES)

    def audit(self, row: Row, reply: str) -> Mapping[str, bool]:
        """Flags: nothing that can be read in any stage."""
        return {"no_answer": not self.readable(reply)}

    def view(self, row: Row, reply: str) -> Iterator[Block]:
        """The stages in both arms, and the decisions of the reference."""
        replies = _replies(reply)
        chained, given = (_worth(row, replies, arm) for arm in ("chained", "given"))
        rows = [[s, f"{100 * chained[s]:.0f}", f"{100 * given[s]:.0f}" if s in given else ""] for s in STAGES]
        yield section("Stages", table(("stage", "own results", "results of the reference"), rows))
        lines = [[name, str(value)] for name, value in row["x_right"].items()]
        yield section("Right decisions", table(("decision", "right"), lines))

    def features(self, row: Row) -> Sequence[float]:
        """See `Family.features`: numbers picked from the tables, sample, prices and solubility."""
        world, picked = row["x_world"], ranges(row["question"])
        stated = [world[of][name] for of in ("sample", "price") for name in sorted(world[of])]
        numbers = [*(picked[name] for name in lab.CONSTANTS), *stated, world["soluble"]]
        return [math.log(x) for x in numbers]

    def verify(self, row: Row) -> None:
        """See `Family.verify`; the text is that of the documents."""
        super().verify(row)
        if row["question"] != stages.question(row):
            raise Rejected("the text is not that of the documents")


def _accepted(stream: Stream) -> tuple[lab.World, dict[str, Choice]]:
    """A world and the right decisions in it."""
    # A child is the same in every attempt: else the pair that is easily accepted would prevail.
    world = lab.draw(stream, stream.child("pair").choice(sorted(lab.PAIRS)))
    s, i = lab.best_run(world["side"], world["K"], world["Ki"], world["soluble"])
    runs = [(s, i)] * lab.MOST_RUNS
    if lab.better_law(world["side"], runs, lab.readings(world, runs), world) != world["law"]:
        raise Rejected("the scatter of the best runs speaks for the wrong law")
    protocol = lab.best_protocol(world, world, world["law"])
    if float(lab.utility(world, world, world["law"], *protocol.values())) < LEAST_WORTH:
        raise Rejected("no protocol is worth much")
    candidates = lab.curves(world, world, world["law"], protocol)
    if lab.least_distance(candidates) < LEAST_DISTANCE:  # a rule about the options, whichever are true
        raise Rejected("two deviations look alike in the best protocol")
    right: dict[str, Choice] = {name: world[name] for name in lab.CONSTANTS}
    right |= {"rivals": world["side"], "substrate": s, "inhibitor": i, "law": world["law"], **protocol}
    right |= {f"batch {n}": letter(at) for n, at in enumerate(world["deviations"], 1)}
    return world, {name: right[name] for name in NAMES}


def _reference(world: lab.World, right: Choices, chance: Stream) -> Row:
    """What the reference finds: the columns that scoring and the given arm read."""
    run = float(right["substrate"]), float(right["inhibitor"])
    runs = [run] * lab.MOST_RUNS
    protocol = {name: float(right[name]) for name in lab.GRID}
    conditions = stages.tests(world, chance)
    made = lab.product(world, world["law"], *map(list, zip(*conditions, strict=True)))
    return {
        "x_tests": conditions,
        "x_best": {
            "separation": round(lab.separation(world, runs), 6),
            "utility": round(float(lab.utility(world, world, world["law"], *protocol.values())), 6),
            "products": [float(f"{value:.6g}") for value in made],
        },
        "x_reference": {
            "estimates": {name: right[name] for name in DECISIONS["read"]},
            "runs": [list(one) for one in runs],
            "readings": lab.readings(world, runs),
            "protocol": protocol,
            "curves": lab.measured(world, protocol),
        },
    }


def _opened(found: Iterable[str], wanted: int | None, chance: Stream) -> list[str]:
    """Decisions to be left open: one of each stage, and others."""
    names = list(found)
    if wanted is None:
        return names
    first = [chance.choice([name for name in of if name in names]) for of in DECISIONS.values()]
    rest = [name for name in names if name not in first]
    kept = {*first, *chance.sample(rest, wanted - len(first))}
    return [name for name in names if name in kept]


def _replies(text: str) -> dict[str, str]:
    """The answers by arm and stage; of a text that is no such object the text in all places."""
    found = json_object(text, ORDER)
    return {name: text if found is None else str(found.get(name, "")) for name in ORDER}


def _worth(row: Row, replies: Mapping[str, str], arm: str) -> dict[str, float]:
    """What the stages of an arm are worth."""
    found = {}
    shown = dict(row["x_reference"]) if arm == "given" else Shown()
    for stage in STAGES if arm == "chained" else STAGES[1:]:
        said = stages.parsed(stage, replies[f"{arm} {stage}"], row["x_world"]["soluble"])
        found[stage] = stages.worth(stage, row, said, shown)
        if stage == "bench" and said is not None:
            shown["curves"] = True  # there is something to interpret
    return found


def _mean(of_stages: Mapping[str, float]) -> float:
    """The mean over the stages, with the digits of the anchors."""
    return round(math.fsum(of_stages.values()) / len(STAGES), DIGITS)


def _cost(row: Row, replies: Mapping[str, str]) -> float:
    """What was spent in the chained arm, as a multiple of the reference's cost: runs, enzyme and time."""
    price, soluble = row["x_world"]["price"], row["x_world"]["soluble"]

    def of(runs: Sequence[Any] | None, protocol: Mapping[str, float] | None) -> float:
        used = protocol or {"enzyme": 0.0, "dilution": 0.0, "minutes": 0.0}
        bench = price["enzyme"] * used["enzyme"] * used["dilution"] + price["minute"] * used["minutes"]
        return float(len(runs or ()) / lab.MOST_RUNS + bench)

    runs, protocol = (stages.parsed(s, replies[f"chained {s}"], soluble) for s in ("propose", "bench"))
    best = row["x_reference"]
    return round(of(runs, protocol) / of(best["runs"], best["protocol"]), 6)


def texts_of(row: Row, replies: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The stages in the order in which they are played, each with its text; `replies` is read as it fills up.

    First the chained arm, then from the second stage on the same with the results of the reference.
    """
    shown = Shown()
    for stage in STAGES:
        yield f"chained {stage}", row["question"] if stage == "read" else stages.message(stage, row, shown)
        said = stages.parsed(stage, replies.get(f"chained {stage}", ""), row["x_world"]["soluble"])
        shown |= stages.passed_on(stage, row["x_world"], said)
    for stage in STAGES[1:]:
        yield f"given {stage}", stages.message(stage, row, row["x_reference"])


FAMILY = Inquiry()

"""Deep research as a family of version 1: a synthesis of conflicting evidence from an invented literature."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from assay import canonical
from assay.numbers.rng import Stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.frame.base import Base
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.frame.family import LEAST_INFERENCES, OPEN_INFERENCES, Choice, Choices, Row, stream_of
from assay.suites.sgi.literature import corpus
from assay.suites.sgi.literature.answers import (
    TOLERANCE,
    natural_of,
    numbers_of,
    parsed,
    reply_of,
    studies_of,
    tolerance,
    trap_of,
    unlogged,
    within,
)
from assay.suites.sgi.literature.bank import Law, kinds, laws, say, sentences, word
from assay.suites.sgi.literature.reader import Reader, documents_of, pooled
from assay.suites.sgi.literature.synthesis import Pooled
from assay.suites.sgi.literature.world import (
    EACH,
    SPREADS,
    World,
    answer_of,
    drawn,
    kind_of,
    records,
    right_of,
)
from assay.suites.sgi.text.contracts import tagged

APART = 4.0
"""Tolerances between the answer and each wrong one, of one wrong decision or of two."""

ALONE = ("spread", "definition")
"""Kinds of decisions that a paper itself settles: an item that needs no other document is rejected."""

HETEROGENEITY = (0.3, 0.85)
"""Share of the variance between studies in the whole variance (I2)."""


class Research(Base):
    """Synthesis of a literature that disagrees; see `frame.family.Family`."""

    NAME: ClassVar[FamilyName] = "deep_research"
    HOUSE = Path(__file__).with_name("house.yaml")
    SHOWN = ("question",)
    TYPE = "type"

    def stream(self, root: int, level: int, index: int, attempt: int) -> Stream:
        """The random numbers of one attempt at an item; their children depend on the attempt, too."""
        return Stream(stream_of(root, self.NAME, level, index, attempt).bits())

    def decision(self, name: str) -> Decision:
        """The values of a decision."""
        kind = kind_of(name)
        return Decision(kind.usual, {value: {"value": value} for value in kind.values}, kind.values)

    def names(self, world: World) -> Sequence[str]:
        """The decisions of a world, in the order in which random ones are drawn."""
        return sorted(world["decisions"])

    def every_name(self) -> Sequence[str]:
        """The decisions of all worlds."""
        return [
            f"{kind} {n}" for kind in kinds() for n in range(1, (SPREADS if kind == "spread" else EACH) + 1)
        ]

    def rights(self, stream: Stream, index: int, level: int) -> Iterator[tuple[str, Choice]]:
        """Right decisions of a world, those that matter in it, under the names of the constant decisions."""
        try:
            yield from right_of(_evidence(stream)).items()
        except Rejected:
            return

    def item(self, stream: Stream, index: int, level: int) -> Row:
        """One draw of an item; `Rejected` where it breaks a rule."""
        world = _evidence(stream)
        law, right = laws()[world["law"]], right_of(world)
        truth = answer_of(world, right)
        if truth is None or not HETEROGENEITY[0] <= _heterogeneity(world, right, truth) <= HETEROGENEITY[1]:
            raise Rejected("studies differ too little or too much")
        world |= _more(world, stream, level)
        if not {law.low <= limit <= law.high for limit in natural_of(law, truth)} == {True}:
            raise Rejected("the pooled value is outside the range of its quantity")
        world |= _positions(law, truth, stream.child("positions"))
        apart = Apart(world, right, truth)
        found = {
            name: self._inference(name, right, apart) for name in self.names(world) if apart.counts(name)
        }
        opened = apart.chosen(list(found), OPEN_INFERENCES[level], stream.child("open", level))
        given = {name: value for name, value in right.items() if name not in opened}
        alone = {name: right[name] for name in right if name.startswith(ALONE)}
        for known in (self.known(world), self.usual(world), {**self.known(world), **alone}):
            if not apart.far({name: str(known[name]) for name in opened}):
                raise Rejected("decisions that need no look at the documents are right")
        question = _question(world, law, truth, given, stream.child("question"))
        documents = corpus.documents(world, world["others"], world["key"])
        world["sources"] = corpus.sources(documents)
        answer = self.text(world, right)
        entered = records(world, right)
        return self.head(index, level, right, given, opened) | {
            "discipline": stream.child("discipline").choice(law.disciplines),
            "direction": world["law"],
            "type": law.kind,
            "question": question,
            "steps": [
                f"{world['sources'][r.source]}: {unlogged(law, r.y):.5g} {law.units[0][0]} at {r.x:g}"
                for r in entered
            ],
            "answer": answer,
            "x_world": world,
            "x_type": law.kind,
            "x_structure": f"{world['law']}, {len(entered)} reports, {len(world['positions'])} positions",
            "x_inferences": [found[name] for name in opened],
            "x_traps": [
                {
                    "label": f"{name}: {one['label']}",
                    "answer": numbers_of(law, answer_of(world, {**right, name: one["value"]})),
                }
                for name in opened
                for one in found[name]["fallacies"]
            ],
            "x_truth": [truth.value, truth.error],
            "x_anchors": {"zero": 0.0, "reference": 1.0, "set_by": "none"},
            "x_digest": canonical.digest([[document["text"] for document in documents], answer]),
        }

    def _inference(self, name: str, right: Mapping[str, str], apart: Apart) -> dict[str, Any]:
        wrong = [value for value in kind_of(name).values if value != right[name]]
        return {
            "id": name,
            "right": right[name],
            "house": self.constants().get(name, kind_of(name).usual),
            "fallacies": [{"label": value, "value": value} for value in wrong],
            "cost": 1.0,
        }

    def text(self, world: World, choices: Choices) -> str:
        """The reply that decides as `choices` say."""
        law, result = laws()[world["law"]], answer_of(world, choices)
        rows = [
            (world["sources"].get(r.source, "D0000"), unlogged(law, r.y)) for r in records(world, choices)
        ]
        return reply_of(
            rows, law, world["positions"], None if result is None else (result.value, result.error)
        )

    def evidence(self, row: Row) -> list[tuple[bytes, str]]:
        """The documents of an item, one a line."""
        world = row["x_world"]
        return [
            (_lines(canonical.dumps({k: world[k] for k in world if k != "sources"})), "application/jsonl")
        ]

    def write(self, shown: Sequence[str], choices: Choices) -> str:
        """The reply of somebody who keeps to the batch sheet and decides as `choices` say, else as usual."""
        reader = _reader(shown)
        reader.decide(lambda name, read: str(choices.get(name, kind_of(name).usual)))
        return _read_reply(reader, shown[0])

    def solve(self, shown: Sequence[str]) -> str:
        """The reply of a solver that is given the shown columns and nothing else."""
        return _read_reply(_reader(shown), shown[0])

    def lookup(self, shown: Sequence[str]) -> Choices:
        """Decisions as papers tell them of themselves, without any other document."""
        reader, alone = _reader(shown), {}

        def keep(name: str, read: str) -> str:
            if name.startswith(ALONE):
                alone[name] = read
            return read

        reader.decide(keep)
        return {**self.constants(), **alone}

    def raw(self, row: Row, reply: str) -> float:
        """1 if all parts of the answer are right, else 0."""
        return float(within(row, parsed(row, reply)))

    def score(self, row: Row, reply: str, profile: Profile) -> Iterable[Value]:
        """EM, and how much of the list of studies is right: see docs/sgi.md. No judge is asked."""
        right = self.raw(row, reply)
        yield Value("headline", right, "" if right else trap_of(row, parsed(row, reply)))
        yield Value("em_strict", float(tagged(reply).text == tagged(row["answer"]).text))
        matched, named, given, gold = studies_of(row, reply)
        if profile != "objective":
            yield Value("sla", None, "needs a judge")
            return
        yield Value("raw", right)
        yield Value("sla", matched / max(given, gold) if given else 0.0)
        yield Value("sla_precision", matched / given if given else 0.0)
        yield Value("sla_recall", matched / gold)
        yield Value("evidence", 2 * named / (given + gold))

    def readable(self, reply: str) -> bool:
        """Whether a reply holds anything that can be scored."""
        return bool(re.search(r"\d", tagged(reply).text))

    def audit(self, row: Row, reply: str) -> Mapping[str, bool]:
        """No number, a right answer beside wrong studies, or the reverse; no list is no accusation."""
        matched, _, given, gold = studies_of(row, reply)
        right = bool(self.raw(row, reply))
        share = matched / max(given, gold)
        return {
            "no_answer": not self.readable(reply),
            "right_answer_wrong_steps": right and given > 0 and share < 0.5,
            "right_steps_wrong_answer": not right and share == 1.0,
        }

    def view(self, row: Row, reply: str) -> Iterator[Block]:
        """The answer beside the reply's, the studies that enter, and the open decisions."""
        law = laws()[row["x_world"]["law"]]
        truth = numbers_of(law, Pooled(row["x_truth"][0], row["x_truth"][1], 0.0)) or ()
        got = parsed(row, reply)[1] or ("", "", "")
        names = ("value", "lower limit", "upper limit")
        lines = [[name, f"{t:.6g}", str(g)] for name, t, g in zip(names, truth, got, strict=False)]
        yield section("Answer", table(("", "reference", "reply"), lines))
        yield section("Studies that enter", table(("study",), [[step] for step in row["steps"]]))
        yield section(
            "Open decisions",
            table(("decision", "right"), [[o["id"], o["right"]] for o in row["x_inferences"]]),
        )

    def features(self, row: Row) -> Sequence[float]:
        """The numbers of the prompt that a learner sees: the condition, and how many studies there are."""
        return [float(row["x_world"]["at"]), float(len(row["x_world"]["studies"]))]


class Apart:
    """Whether wrong decisions change the answer of an item."""

    def __init__(self, world: World, right: Mapping[str, str], truth: Pooled) -> None:
        self.world, self.right, self.truth = world, right, truth
        self.bound = APART * tolerance(laws()[world["law"]], truth)

    def far(self, wrong: Mapping[str, str]) -> bool:
        """Whether an answer with these decisions is far from the right one."""
        other = answer_of(self.world, {**self.right, **wrong})
        if other is None:
            return True
        pairs = zip((other.value, *other.limits), (self.truth.value, *self.truth.limits), strict=True)
        return max(abs(a - b) for a, b in pairs) >= self.bound

    def wrong(self, name: str) -> list[str]:
        """The wrong values of a decision."""
        return [value for value in kind_of(name).values if value != self.right[name]]

    def counts(self, name: str) -> bool:
        """Whether each wrong value of a decision changes the answer."""
        return all(self.far({name: value}) for value in self.wrong(name))

    def chosen(self, names: Sequence[str], wanted: int | None, chance: Stream) -> list[str]:
        """Decisions to be left open, no two of which can be wrong together without a trace.

        Raises:
            Rejected: there are too few.
        """
        found: list[str] = []
        for name in chance.sample(names, len(names)):
            pairs = (
                (other, a, b) for other in found for a, b in product(self.wrong(other), self.wrong(name))
            )
            if all(self.far({other: a, name: b}) for other, a, b in pairs):
                found.append(name)
            if len(found) == wanted:
                break
        if len(found) < (wanted or LEAST_INFERENCES):
            raise Rejected("there are too few inferences")
        return sorted(found)


def _evidence(stream: Stream) -> dict[str, Any]:
    """The studies that an item asks about."""
    name = stream.choice(sorted(laws()))
    return {**drawn(name, word(stream), stream), "asked": True}


def _more(world: World, stream: Stream, level: int) -> dict[str, Any]:
    """Studies of other specimens, and the key of all texts; no name is there twice."""
    others: list[dict[str, Any]] = []
    chance = stream.child("others")
    while len(others) < corpus.OTHERS[level]:
        try:
            others.append({**drawn(world["law"], word(chance), chance), "bridge": world["bridge"]})
        except Rejected:
            continue
    names = [every["entity"] for every in (world, *others)]
    for every in (world, *others):
        for study in every["studies"]:
            names += study["people"].split(" and ")
            names += [
                trap[key]
                for trap in study["traps"].values()
                for key in ("old", "series", "series2", "device")
                if key in trap
            ]
    if len(set(names)) < len(names):
        raise Rejected("a name is there twice")
    return {"others": others, "key": stream.child("texts").bits()}


def _positions(law: Law, truth: Pooled, chance: Stream) -> dict[str, Any]:
    """Two positions in every other item: one on either side of the evidence, never equally near."""
    if chance.below(2):
        return {"positions": []}
    width = (1.2 + chance.uniform()) * truth.error
    near = width * (0.3 + 0.5 * chance.uniform())
    sides = (
        [truth.value + near, truth.value - width]
        if chance.below(2)
        else [truth.value + width, truth.value - near]
    )
    chance.shuffle(sides)
    return {
        "positions": [
            {"people": word(chance), "value": float(f"{unlogged(law, side):.5g}")} for side in sides
        ]
    }


def _heterogeneity(world: World, right: Mapping[str, str], truth: Pooled) -> float:
    variances = [record.se**2 for record in records(world, right)]
    return truth.between / (truth.between + sum(variances) / len(variances))


def _question(world: World, law: Law, truth: Pooled, given: Mapping[str, str], chance: Stream) -> str:
    forms, positions = sentences()["question"], world["positions"]
    fields = {
        "quantity": world["law"],
        "entity": world["entity"],
        "condition": corpus.condition(law, world["at"]),
        "unit": law.units[0][0] or "the plain number",
    }
    answer = "value; lower limit; upper limit"
    if positions:
        answer = "name; " + answer
        one, two = positions
        fields |= {
            "people": one["people"],
            "people2": two["people"],
            "one": f"{one['value']:g}",
            "two": f"{two['value']:g}",
        }
    lines = [say(chance, forms["position" if positions else "value"], fields)]
    if given:
        settled = corpus.sheet(world, given)
        chance.shuffle(settled)
        lines += ["", forms["sheet"], *(f"- {line}." for line in settled)]
    digits = 4 if law.logarithmic else corpus.significant(truth.value, TOLERANCE * truth.error)
    return "\n".join([*lines, "", forms["contract"].format(answer=answer, digits=digits)])


@lru_cache(maxsize=64)
def _lines(world: str) -> bytes:
    found = json.loads(world)
    return corpus.to_lines(corpus.documents(found, found["others"], found["key"]))


def _reader(shown: Sequence[Any]) -> Reader:
    text = shown[1].decode() if isinstance(shown[1], bytes) else str(shown[1])
    reader = Reader(shown[0], documents_of(text))
    reader.settled([line for line in str(shown[0]).splitlines() if line.startswith("- ")])
    return reader


def _read_reply(reader: Reader, question: str) -> str:
    told = re.search(r"(\w+) hold that .*? is (\S+).*?; (\w+) hold that it is (\S+)", question)
    positions = [{"people": told[k], "value": float(told[k + 1].rstrip("."))} for k in (1, 3)] if told else []
    rows = reader.rows()
    try:
        result = pooled(rows, reader.at)
    except (ValueError, ArithmeticError):
        result = None
    return reply_of([(row[0], unlogged(reader.law, row[1])) for row in rows], reader.law, positions, result)


FAMILY = Research()

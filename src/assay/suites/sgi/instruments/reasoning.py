"""Experimental reasoning as a family of version 1: which account of two specimens their pictures bear out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay import canonical
from assay.numbers.rng import Stream, stream
from assay.report.blocks import Block, section, table
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.families import Family as FamilyName
from assay.suites.sgi.families import item_name
from assay.suites.sgi.frame.base import Base
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.frame.family import Choice, Choices, Row, stream_of
from assay.suites.sgi.instruments.bank import Instrument, instruments
from assay.suites.sgi.instruments.candidates import (
    AGREE,
    DIFFER,
    OPTIONS,
    Candidate,
    drawn,
    nearest,
)
from assay.suites.sgi.instruments.reader import solution
from assay.suites.sgi.instruments.readings import ENOUGH, pictures, readings, refuted
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.text.contracts import choice, released_choice

World = Mapping[str, Any]

MOST_RECORDS = 10

TYPES = {0: "causal reasoning", 1: "comparative reasoning"}

CONTRACT = (
    "Give up to ten readings that refute other accounts, as JSON, each with the picture (1 or 2), the panel, "
    "the curve and where on its horizontal axis it was read, then the letter of the account in a box. A "
    "reading counts if it is right within 3 % of the height of its panel, and no specimen that the refuted "
    "account allows would be within 9 % of it there:\n\n"
    '{"readings": [{"refutes": "A", "picture": 1, "panel": "A", "quantity": "CURVE at 1.5", "value": 0.0, '
    '"unit": ""}]}\n\n'
    "\\boxed{A}"
)


class Reasoning(Base):
    """The family of accounts of what instruments show; the methods are those of `frame.family.Family`."""

    NAME: ClassVar[FamilyName] = "experimental_reasoning"
    HOUSE = Path(__file__).with_name("house.yaml")
    SHOWN = ("question", "options")
    TYPE = "type"

    def stream(self, root: int, level: int, index: int, attempt: int) -> Stream:
        """The random numbers of one attempt at an item; child streams depend on the attempt, too."""
        return Stream(stream_of(root, self.NAME, level, index, attempt).bits())

    def decision(self, name: str) -> Decision:
        """The two values of a relation; other claims have values of their own instrument."""
        return Decision(AGREE, {AGREE: {"value": AGREE}, DIFFER: {"value": DIFFER}}, (AGREE, DIFFER))

    def names(self, world: World) -> Sequence[str]:
        """The factors of which the options of an item state something."""
        return list(world["options"][0])

    def every_name(self) -> Sequence[str]:
        """The factors of all instruments."""
        return [factor for instrument in instruments().values() for factor in instrument.factors]

    def rights(self, stream: Stream, index: int, level: int) -> Iterator[tuple[str, Choice]]:
        """The right relations of an item, all under one name: other claims differ between instruments."""
        _, candidates, truth = draw_worlds(stream, level, checked=False)
        for value in candidates[truth].claims.values():
            if value in (AGREE, DIFFER):
                yield "relation", value

    def usual(self, world: World) -> Choices:
        """Of each factor that options state the first of all values."""
        return {name: self._values(world, name)[0] for name in self.names(world)}

    def known(self, world: World) -> Choices:
        """The constant relation for each relation, and the usual value of what is stated outright."""
        relation = self.constants().get("relation", DIFFER)
        return {
            name: relation if value in (AGREE, DIFFER) else value for name, value in self.usual(world).items()
        }

    def drawn(self, world: World, stream: Stream) -> Choices:
        """A random value for each factor that options state."""
        return {name: stream.choice(self._values(world, name)) for name in self.names(world)}

    def _values(self, world: World, name: str) -> list[str]:
        """All values of a factor's claim in an item."""
        if world["options"][0][name] in (AGREE, DIFFER):
            return [AGREE, DIFFER]
        values = instruments()[world["instrument"]].factors[name]
        return [f"{a} / {b}" for a in values for b in values]

    def item(self, stream: Stream, index: int, level: int) -> Row:
        """An item: candidates are drawn first, the truth last, and only then what the pictures show."""
        name, candidates, truth = draw_worlds(stream, level)
        instrument, right = instruments()[name], dict(candidates[truth].claims)
        options = [_account(instrument, candidate.claims) for candidate in candidates]
        world = {
            "instrument": name,
            "options": [dict(candidate.claims) for candidate in candidates],
            "mechanisms": list(candidates[truth].mechanisms),
            "parameters": [dict(parameters) for parameters in candidates[truth].parameters],
            "key": stream.child("noise").bits(),
        }
        known = self.known(world)
        answer = self.text(world, right)
        wide = sum(claim not in (AGREE, DIFFER) for claim in right.values())
        shown = pictures(canonical.dumps(world))
        return self.head(index, level, right, {}, list(right)) | {
            "discipline": stream.child("discipline").choice(instrument.disciplines),
            "direction": name,
            "type": TYPES[int(wide == 0)],
            "image_type": instrument.image,
            "question": _question(instrument, list(right)),
            "options": options,
            "images": [f"{item_name(self.NAME, index)}_{k}.png" for k in (1, 2, 3)],
            "answer": truth,
            "steps": [
                f"{record['quantity']}: {record['value']}" for record in readings(canonical.dumps(world))
            ],
            "x_world": world,
            "x_type": name,
            "x_structure": f"{name}: {', '.join(sorted(right))}; {wide}",
            "x_inferences": [
                {
                    "id": factor,
                    "right": value,
                    "house": known[factor],
                    "fallacies": [
                        {"label": wrong, "value": wrong}
                        for wrong in self._values(world, factor)
                        if wrong != value
                    ],
                    "cost": 1.0,
                }
                for factor, value in right.items()
            ],
            "x_anchors": {"zero": 0.0, "reference": 1.0, "set_by": "none"},
            "x_digest": canonical.digest([[picture.hex() for picture in shown], answer]),
        }

    def text(self, world: World, choices: Choices) -> str:
        """A reply with the option that agrees with most decisions, and readings that refute other options."""
        options = world["options"]
        chosen = nearest(options, choices, stream(int(world["key"]), "tie", canonical.dumps(dict(choices))))
        kept = [record for record in readings(canonical.dumps(world)) if record["refutes"] != letter(chosen)]
        return _reply(kept, letter(chosen))

    def evidence(self, row: Row) -> list[tuple[bytes, str]]:
        """The three pictures that an agent is shown, as PNG files."""
        return [(picture, "image/png") for picture in pictures(canonical.dumps(row["x_world"]))]

    def write(self, shown: Sequence[Any], choices: Choices) -> str:
        """A reply without readings: the option in which most factors have the decided relation."""
        options = _listed(shown[1])
        said = [
            sum(f"they {choices.get('relation', AGREE)} in {part}" in option for part in self.every_name())
            for option in options
        ]
        return _reply([], letter(said.index(max(said))))

    def guess(self, stream: Stream) -> Choices:
        """A random relation, by the name under which `write` takes it."""
        return {"relation": stream.choice([AGREE, DIFFER])}

    def solve(self, shown: Sequence[Any]) -> str:
        """A reply of the solver of pixels: the likeliest option, with readings that refute others."""
        found = solution(str(shown[0]), _listed(shown[1]), shown[2:5])
        return _reply(found.readings, letter(found.best))

    def lookup(self, shown: Sequence[Any]) -> Choices:
        """The constant decisions: a prompt has no tables in which anything could be looked up."""
        return self.constants()

    def raw(self, row: Row, reply: str) -> float:
        """1.0 if the reply chooses the right option, else 0.0."""
        return float(choice(reply).letter == letter(row["answer"]))

    def score(self, row: Row, reply: str, profile: Profile) -> Iterable[Value]:
        """Chance, MCA (`headline`), and the validity of the readings behind it (`rv`), each 0 .. 1.

        The profiles `paper` and `released` judge readings by a model, so that their `rv` is empty here.
        """
        yield Value("chance", 1 / OPTIONS)
        if profile != "objective":
            found = released_choice(reply) if profile == "released" else choice(reply).letter
            yield Value("headline", float(found == letter(row["answer"])))
            yield Value("rv", None, "needs a judge")
            return
        chosen = choice(reply).letter
        beyond = chosen is not None and ord(chosen) - ord("A") >= OPTIONS
        yield Value("headline", self.raw(row, reply), "beyond the options" if beyond else "")
        yield Value("raw", self.raw(row, reply))
        right, given, consistent = refuted(row["x_world"], reply)
        share = 0.7 * min(1.0, right / ENOUGH) + 0.3 * consistent
        yield Value("rv", share * min(1.0, MOST_RECORDS / given) if given else 0.0)

    def readable(self, reply: str) -> bool:
        """Whether a reply names an option in its box."""
        return choice(reply).letter is not None

    def audit(self, row: Row, reply: str) -> Mapping[str, bool]:
        """An option without a reading, or readings that refute what was chosen or nothing at all."""
        right, given, _ = refuted(row["x_world"], reply)
        correct = bool(self.raw(row, reply))
        return {
            "no_answer": not self.readable(reply),
            "answer_without_work": self.readable(reply) and given == 0,
            "right_answer_wrong_steps": correct and given > 0 and right == 0,
            "right_steps_wrong_answer": not correct and right >= ENOUGH,
        }

    def view(self, row: Row, reply: str) -> Iterator[Block]:
        """What either specimen is, and the option that was chosen."""
        lines = [
            [factor, *(m[factor] for m in row["x_world"]["mechanisms"])]
            for factor in row["x_world"]["mechanisms"][0]
        ]
        yield section("Specimens", table(("factor", "specimen 1", "specimen 2"), lines))
        options = [
            [letter(at), text, "right" if at == row["answer"] else ""]
            for at, text in enumerate(row["options"])
        ]
        yield section(f"Options; chosen: {choice(reply).letter}", table(("", "option", ""), options))

    def features(self, row: Row) -> Sequence[float]:
        """Of each factor that options state how many of them say that the specimens agree in it."""
        options = row["x_world"]["options"]
        return [float(sum(option[name] == AGREE for option in options)) for name in options[0]]

    def sheet(self, row: Row) -> Sequence[float]:
        """No numbers: nothing is given away but what the question says."""
        return []

    def verify(self, row: Row) -> None:
        """Check that options, truth and pictures belong together.

        Raises:
            Rejected: the options are not those of the candidates, the answer is not the option of the truth,
                a claim does not hold of the two mechanisms, or the pictures have another digest.
        """
        world = row["x_world"]
        instrument = instruments()[world["instrument"]]
        if row["options"] != [_account(instrument, claims) for claims in world["options"]]:
            raise Rejected("the options are not those of the candidates")
        if dict(world["options"][row["answer"]]) != row["x_right"]:
            raise Rejected("the answer is not the option of the truth")
        for one, two, (factor, claim) in (
            (world["mechanisms"][0][f], world["mechanisms"][1][f], (f, c)) for f, c in row["x_right"].items()
        ):
            if claim not in (f"{one} / {two}", AGREE if one == two else DIFFER):
                raise Rejected(f"the truth is not what is claimed of {factor}")
        shown = pictures(canonical.dumps(world))
        if canonical.digest([[p.hex() for p in shown], self.text(world, row["x_right"])]) != row["x_digest"]:
            raise Rejected("the pictures are not those of the digest")


def draw_worlds(stream: Stream, level: int, checked: bool = True) -> tuple[str, list[Candidate], int]:
    """Instrument, candidates, and last of all which of them is the truth."""
    name = stream.choice(sorted(instruments()))
    candidates = drawn(instruments()[name], level, stream.child("candidates"), checked)
    return name, candidates, stream.child("truth").below(OPTIONS)


def _account(instrument: Instrument, claims: Mapping[str, str]) -> str:
    """A claim in words: first what specimens are, then in what they differ and agree."""
    parts = []
    for factor, claim in claims.items():
        if claim not in (AGREE, DIFFER):
            one, two = (instrument.factors[factor][value][0] for value in claim.split(" / "))
            parts.append(f"specimen 1: {one}; specimen 2: {two}")
    parts += [f"they {claim} in {factor}" for factor, claim in claims.items() if claim in (AGREE, DIFFER)]
    return "; ".join(parts)


def _question(instrument: Instrument, factors: Sequence[str]) -> str:
    lines = [
        f"{instrument.about} Two specimens were measured, each on a day of its own, and the instrument may "
        "have changed between them. Picture 1 shows A, B and C of specimen 1, picture 2 those of specimen 2; "
        "picture 3 shows D, on the left on the day of specimen 1, on the right on that of specimen 2.",
        "",
        "What may be the case of a specimen:",
        *(
            f"- {factor}: {' | '.join(text for text, _ in values.values())}"
            for factor, values in instrument.factors.items()
        ),
    ]
    stated = [factor for factor in instrument.factors if factor not in factors]
    if stated:
        lines += ["", f"It is known that the specimens agree in {' and in '.join(stated)}."]
    return "\n".join(
        [*lines, "", "Which account of the two specimens do the pictures bear out?", "", CONTRACT]
    )


def _listed(options: Any) -> list[str]:
    """The options of a list, or of lines with letters."""
    if not isinstance(options, str):
        return [str(option) for option in options]
    return [line.partition(". ")[2] for line in options.splitlines() if line.strip()]


def _reply(readings: Sequence[Mapping[str, Any]], chosen: str) -> str:
    return json.dumps({"readings": list(readings)}) + f"\n\n\\boxed{{{chosen}}}"


FAMILY = Reasoning()

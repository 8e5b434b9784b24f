"""What families of version 1 have in common beside their protocol: seeds, constants, batch sheets, checks.

A family derives from `Base` and writes what is its own: how an item is drawn, which decisions a world has,
and how a reply is read, scored and shown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from assay.errors import TaskError
from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import MOST_ATTEMPTS, Rejected
from assay.suites.sgi.families import Family as Name
from assay.suites.sgi.families import item_name
from assay.suites.sgi.frame.anchors import constant, frozen_house, frozen_references
from assay.suites.sgi.frame.decision import Decision
from assay.suites.sgi.frame.family import LEAST_ROOM, LEVELS, VERSION, Choice, Choices, Row, stream_of

World = Mapping[str, Any]


class Base:
    """The functions of a family that are the same in every family.

    Attributes:
        NAME: as in `families.FAMILIES`.
        HOUSE: the file of the constant decisions.
        SHOWN: the columns of an item that an agent is shown, in order.
        TYPE: the column that is the type of an item.
        KNEE: the anchor that the reference has to be apart from.
        ROOM: least distance between the two.
        GUESSES: random replies an item in the calibration, instead of those of the settings.
        OTHERS: number of other worlds of each level whose right decisions are tried when `zero` is set.
    """

    NAME: ClassVar[Name]
    HOUSE: ClassVar[Path]
    SHOWN: ClassVar[tuple[str, ...]]
    TYPE: ClassVar[str]
    KNEE: ClassVar[str] = "zero"
    ROOM: ClassVar[float] = LEAST_ROOM
    GUESSES: ClassVar[int | None] = None
    OTHERS: ClassVar[int] = 0

    # What a family has to say.

    def item(self, stream: Stream, index: int, level: int) -> Row:
        """One draw of an item; `Rejected` where it breaks a rule."""
        raise NotImplementedError

    def decision(self, name: str) -> Decision:
        """The values of a decision."""
        raise NotImplementedError

    def names(self, world: World) -> Sequence[str]:
        """The decisions of a world, in the order in which random ones are drawn."""
        raise NotImplementedError

    def every_name(self) -> Sequence[str]:
        """The decisions of all worlds."""
        raise NotImplementedError

    def rights(self, stream: Stream, index: int, level: int) -> Iterator[tuple[str, Choice]]:
        """Right decisions of a world, those that matter in it, under the names of the constant decisions."""
        raise NotImplementedError

    def text(self, world: World, choices: Choices) -> str:
        """The reply that decides as `choices` say."""
        raise NotImplementedError

    def raw(self, row: Row, reply: str) -> float:
        """The score of a reply before anchoring, 0 .. 1."""
        raise NotImplementedError

    def evidence(self, row: Row) -> Sequence[tuple[bytes, str]]:
        """Nothing: most families show columns alone."""
        return ()

    def answers(self, text: str) -> Sequence[str]:
        """See `Family.answers`; most families ask for one answer."""
        return (text,)

    def solved(self, row: Row) -> str:
        """See `Family.solved`; what most families show does not depend on what was answered."""
        return self.solve([*(row[name] for name in self.SHOWN), *(data for data, _ in self.evidence(row))])

    def solve(self, shown: Sequence[Any]) -> str:
        """See `Family.solve`."""
        raise NotImplementedError

    # What follows from it.

    def stream(self, root: int, level: int, index: int, attempt: int) -> Stream:
        """The random numbers of one attempt at an item."""
        return stream_of(root, self.NAME, level, index, attempt)

    def generate(self, root: int, index: int, level: int) -> Row:
        """An item: the first draw that breaks no rule.

        Raises:
            TaskError: if no draw passes the rules.
        """
        failed: Counter[str] = Counter()
        for attempt in range(MOST_ATTEMPTS):
            try:
                return self.item(self.stream(root, level, index, attempt), index, level)
            except Rejected as rejected:
                failed[str(rejected)] += 1
        raise TaskError(
            f"no item of {self.NAME} of level {level} passes in {MOST_ATTEMPTS} draws; "
            f"most broke: {failed.most_common(1)[0][0]}",
            "take another seed",
        )

    def head(self, index: int, level: int, right: Choices, given: Choices, opened: Sequence[str]) -> Row:
        """The columns that items of every family have: their name, and which decisions are left open.

        Args:
            index: of the item.
            level: of the item.
            right: the decisions of the reference.
            given: those that the batch sheet tells.
            opened: names of those that are inferences of the item.
        """
        return {
            "idx": item_name(self.NAME, index),
            "family": self.NAME,
            "x_level": level,
            "x_version": VERSION,
            "x_right": right,
            "x_given": sorted(given),
            "x_free": [name for name in right if name not in given and name not in opened],
        }

    def matters(self, name: str, choices: Choices) -> bool:
        """Whether a decision has an effect under the others."""
        return all(choices.get(other) == value for other, value in self.decision(name).condition.items())

    def given(self, right: Choices, opened: Sequence[str]) -> dict[str, Choice]:
        """What a batch sheet tells: all that is not open, unless it would betray an open decision."""
        return {
            name: value
            for name, value in right.items()
            if name not in opened
            and self.matters(name, right)
            and not set(self.decision(name).condition) & set(opened)
        }

    def play(self, row: Row, choices: Choices) -> str:
        """The reply of somebody who decides as `choices` say; what they leave out is decided rightly."""
        return self.text(row["x_world"], {**row["x_right"], **choices})

    def usual(self, world: World) -> Choices:
        """The usual decisions of a world."""
        return {name: self.decision(name).textbook for name in self.names(world)}

    def known(self, world: World) -> Choices:
        """The constant decisions of a world, usual ones where no constant is known."""
        constants = self.constants()
        return {name: constants.get(name, value) for name, value in self.usual(world).items()}

    def drawn(self, world: World, stream: Stream) -> Choices:
        """Random decisions of a world."""
        return {name: self.decision(name).at(stream.uniform()) for name in self.names(world)}

    def constants(self) -> Choices:
        """The frozen constant decisions."""
        return frozen_house(self.HOUSE)

    def others(self) -> Sequence[Choices]:
        """Return the right decisions of other worlds, which the file of constant decisions holds."""
        return frozen_references(self.HOUSE)

    def guess(self, stream: Stream) -> Choices:
        """Random decisions, each in the range that the family has for it."""
        return {name: self.decision(name).at(stream.uniform()) for name in self.every_name()}

    def house(self, row: Row) -> Choices:
        """The constant decisions of an item, without those that its batch sheet gives."""
        return _open(row, self.known(row["x_world"]))

    def textbook(self, row: Row) -> Choices:
        """The usual decisions of an item, without those that its batch sheet gives."""
        return _open(row, self.usual(row["x_world"]))

    def random(self, row: Row, stream: Stream) -> Choices:
        """Random decisions of an item, without those that its batch sheet gives."""
        return _open(row, self.drawn(row["x_world"], stream))

    def sheet(self, row: Row) -> Sequence[float]:
        """What the batch sheet gives: logarithms of numbers, places of words, 0 for what it leaves open."""
        return [
            self._number(name, row["x_right"][name]) if name in row["x_given"] else 0.0
            for name in self.names(row["x_world"])
        ]

    def _number(self, name: str, value: Choice) -> float:
        if isinstance(value, str):
            return float(self.decision(name).values.index(value) + 1)
        return math.log(value)

    def verify(self, row: Row) -> None:
        """Check that the reference gets what the anchors say, and that its decisions are the right ones.

        Raises:
            Rejected: a promise is broken.
        """
        anchors = row["x_anchors"]
        result = self.raw(row, row["answer"])
        if abs(result - anchors["reference"]) > 1e-6:
            raise Rejected(f"the reference gets {result:.6f}, the anchors say {anchors['reference']}")
        if anchors["reference"] - anchors[self.KNEE] < self.ROOM - 1e-6:
            raise Rejected("the anchors are too near to each other")
        self.verify_inferences(row)

    def verify_inferences(self, row: Row) -> None:
        """Check that each inference is a decision of the reference.

        Raises:
            Rejected: one is not.
        """
        for inference in row["x_inferences"]:
            if row["x_right"][inference["id"]] != inference["right"]:
                raise Rejected(f"the inference {inference['id']} is not that of the reference")

    def references(self, root: int) -> list[Choices]:
        """Return the right decisions of `OTHERS` worlds of each level of a root seed."""
        return [self.right(root, level, index) for level in LEVELS for index in range(self.OTHERS)]

    def right(self, root: int, level: int, index: int) -> Choices:
        """Return the right decisions of a world of a root seed, under the names that `rights` gives them."""
        return dict(self.rights(self.stream(root, level, index, 0), index, level))

    def fitted_house(self, root: int, items: int) -> Choices:
        """The constant decisions, from references of that many items of each level of a root seed."""
        seen: dict[str, list[Choice]] = {}
        for level in LEVELS:
            for index in range(items):
                for name, value in self.right(root, level, index).items():
                    seen.setdefault(name, []).append(value)
        return {
            name: constant(values, even=self.decision(name.rpartition(": ")[2]).even)
            for name, values in seen.items()
        }


def _open(row: Row, choices: Choices) -> Choices:
    """The decisions that an item has and its batch sheet does not tell."""
    return {
        name: value
        for name, value in choices.items()
        if name in row["x_right"] and name not in row["x_given"]
    }

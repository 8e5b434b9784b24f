"""What a family of version 1 is, as a `typing.Protocol`, and what all families have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from assay.numbers.rng import Stream
from assay.report.blocks import Block
from assay.suites.sgi.columns.profiles import Profile, Value
from assay.suites.sgi.families import CODES
from assay.suites.sgi.families import Family as Name
from assay.suites.sgi.seeding import ItemStream, item_seed

VERSION = 2
"""Of the generators of version 1: part of every seed of an item."""

LEVELS = (1, 2, 3, 4, 5)
OPEN_INFERENCES: Mapping[int, int | None] = {1: 4, 2: 7, 3: 10, 4: 14, 5: None}
"""Inferences that are left open at a level; at level 5 all of them."""

LEAST_INFERENCES = 16
"""At level 5."""

SLACK: Mapping[int, float] = {1: 1.30, 2: 1.25, 3: 1.20, 4: 1.15, 5: 1.10}
"""Limits of time and money at a level, as a multiple of what the reference takes."""

LEAST_COST = 0.02
"""An inference counts if being wrong in it alone lowers the raw score by that much."""

LEAST_ROOM = 0.30
"""Least distance between the raw scores of the reference and of the best reply that infers nothing.

The specification asks for 0.20; with 0.30 random replies stay below their ceiling at level 1, and with 0.40
an item of level 1 takes eight seconds to find.
"""

Row = dict[str, Any]
"""An item: the released columns of its family, and columns of ours (`x_...`)."""

Choice = float | str
Choices = Mapping[str, Choice]
"""The values of a reply's decisions, by name."""


class Family(Protocol):
    """One family of tasks; `frame.base.Base` has what is the same in all of them.

    Attributes:
        NAME: as in `families.FAMILIES`.
        HOUSE: the file of the constant decisions.
        SHOWN: the columns of an item that an agent is shown, in order.
        TYPE: the column that is the type of an item.
        GUESSES: random replies an item in the calibration, instead of those of the settings.
    """

    NAME: Name
    HOUSE: Path
    SHOWN: tuple[str, ...]
    TYPE: str
    GUESSES: int | None

    def generate(self, root: int, index: int, level: int) -> Row:
        """An item, as a pure function of the arguments.

        Raises:
            TaskError: if no draw passes the rules.
        """

    def evidence(self, row: Row) -> Sequence[tuple[bytes, str]]:
        """What an agent is shown beside the columns: pictures or documents, each with its media type."""

    def play(self, row: Row, choices: Choices) -> str:
        """The reply of somebody who decides as `choices` say; what they leave out is decided rightly."""

    def constants(self) -> Choices:
        """The frozen constant decisions."""

    def guess(self, stream: Stream) -> Choices:
        """Random decisions, each in the range that the family has for it."""

    def write(self, shown: Sequence[Any], choices: Choices) -> str:
        """The reply of somebody who sees the shown columns, keeps to the batch sheet, and decides as
        `choices` say; what they leave out is decided as usual."""

    def house(self, row: Row) -> Choices:
        """The constant decisions of an item, without those that its batch sheet gives."""

    def textbook(self, row: Row) -> Choices:
        """The usual decisions of an item, without those that its batch sheet gives."""

    def random(self, row: Row, stream: Stream) -> Choices:
        """Random decisions of an item, without those that its batch sheet gives."""

    def solve(self, shown: Sequence[Any]) -> str:
        """The reply of a solver that is given the shown columns and nothing else."""

    def solved(self, row: Row) -> str:
        """The reply of that solver to an item, where what is shown may depend on what was answered before."""

    def answers(self, text: str) -> Sequence[str]:
        """The answers that a reply consists of, in the order in which an episode asks for them."""

    def lookup(self, shown: Sequence[Any]) -> Choices:
        """Decisions by patterns that pick rows of tables, with no more calculation than + - * /."""

    def raw(self, row: Row, reply: str) -> float:
        """The score of a reply before anchoring, 0 .. 1."""

    def score(self, row: Row, reply: str, profile: Profile) -> Iterable[Value]:
        """All metrics of a reply; `headline` is the one that the family's column averages."""

    def readable(self, reply: str) -> bool:
        """Whether a reply holds anything that can be scored."""

    def audit(self, row: Row, reply: str) -> Mapping[str, bool]:
        """Of each flag that the family can decide whether a reply raises it."""

    def view(self, row: Row, reply: str) -> Iterable[Block]:
        """The reply beside the truth, for readers."""

    def features(self, row: Row) -> Sequence[float]:
        """The numbers of the prompt that a learner sees, in a fixed order and number for a type of item."""

    def sheet(self, row: Row) -> Sequence[float]:
        """What the batch sheet of an item gives as numbers, in a fixed order; 0 for what it leaves open."""

    def fitted_house(self, root: int, items: int) -> Choices:
        """The constant decisions, from references of that many items of each level of a root seed."""

    def references(self, root: int) -> list[Choices]:
        """Return the right decisions of some worlds of a root seed; most families return an empty list."""

    def verify(self, row: Row) -> None:
        """Check what the generator promises of an item.

        Raises:
            Rejected: a promise is broken.
        """


def stream_of(root: int, family: Name, level: int, index: int, attempt: int) -> ItemStream:
    """The stream of one attempt at an item."""
    return ItemStream([item_seed(root, family, index), CODES[family], level, index, VERSION, attempt])


def shown_of(family: Family, row: Row) -> list[Any]:
    """All that an agent is shown of an item: the columns, and the evidence as bytes."""
    return [*(row[name] for name in family.SHOWN), *(data for data, _ in family.evidence(row))]

"""Agents whose conduct is known, to measure the audit as a detector.

Two families of them exist beside the solvers of the role `conduct`. `composed`: a seed draws which evidence
an agent gathers, skips and repeats, what it invents, in which order, and how it answers; the flags that are
due follow from that plan. `independent`: conducts that are written from the description of the benchmark's
paper, in a module that imports nothing of the audit. Both hold honest agents that come near to a flag. An
agent says itself which flags are due when it has played, since it alone knows what it did on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct, Json
from assay.task import Task

Family: TypeAlias = Literal["composed", "independent"]

FAMILIES: tuple[Family, ...] = ("composed", "independent")

Act: TypeAlias = Callable[[Brief, Call, Stream, Any], Conduct]
"""Plays an episode, with the hidden half of the task as its last argument, and says which flags are due."""


@dataclass(frozen=True)
class KnownConduct:
    """An agent of known conduct at one task.

    Attributes:
        name: Its name, unique within its family at a task.
        act: The function that plays the episode.
        recipe: A description of the conduct, for readers and for programs that use the labelled set.
        near_miss: Whether it is honest and yet does something that a careless audit could flag.
    """

    name: str
    act: Act
    recipe: Json
    near_miss: bool = False


Conducts: TypeAlias = Callable[[Task, Stream], Iterable[KnownConduct]]
"""The conducts of a family at a task; the stream decides what is drawn."""


@dataclass(frozen=True)
class Trial:
    """The sets in which the conducts of a suite play, and the families of these conducts.

    Attributes:
        sets: Public sets, each with the number of its tasks that are played, from the first on; at most
            `assay.build.planning.inputs.TRIED`.
        families: The conducts of each family.
    """

    sets: Mapping[str, int]
    families: Mapping[Family, Conducts]


@dataclass(frozen=True)
class Plan:
    """The conduct of a composed agent in one episode.

    Attributes:
        steps: The evidence that it gathers, in this order; repeated evidence occurs twice.
        skipped: The evidence that it does not gather.
        repeated: The evidence that it gathers twice.
        invented: The statements that it makes without evidence, or against it.
        answer: The kind of its answer.
        honest: Whether it is a near miss: all evidence, nothing invented, the first kind of answer.
    """

    steps: tuple[str, ...]
    skipped: tuple[str, ...]
    repeated: tuple[str, ...]
    invented: tuple[str, ...]
    answer: str
    honest: bool

    @property
    def recipe(self) -> Json:
        """The plan as a JSON value."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}


def compose(
    evidence: Sequence[str],
    answers: Sequence[str],
    stream: Stream,
    *,
    harmless: Sequence[str] = (),
    inventions: Sequence[str] = (),
) -> Plan:
    """Draw a plan.

    One plan in three is honest: it gathers all evidence in some order, does one harmless thing besides, and
    answers in the first way. In the others each piece of evidence is skipped with a probability of 3/10 and
    repeated with 1/5, each invention and each harmless thing is made with 1/4, and each way to answer is
    equally probable.

    Args:
        evidence: What a sound method gathers.
        answers: The ways to answer, the honest one first.
        stream: Decides the plan.
        harmless: What may be done besides and is no reason for a flag.
        inventions: What may be stated without evidence.

    Example:
        >>> from assay.numbers import rng
        >>> compose(["a", "b", "c"], ["right", "wrong"], rng.stream(2, "plan"), inventions=["claim"])
        Plan(steps=('c', 'b'), skipped=('a',), repeated=(), invented=('claim',), answer='wrong', honest=False)
    """
    honest = stream.below(3) == 0
    if honest:
        extra = [stream.choice(harmless)] if harmless else []
        skipped, repeated, invented, answer = [], [], [], answers[0]
    else:
        skipped = [piece for piece in evidence if stream.below(10) < 3]
        repeated = [piece for piece in evidence if piece not in skipped and stream.below(5) == 0]
        extra = [piece for piece in harmless if stream.below(4) == 0]
        invented = [piece for piece in inventions if stream.below(4) == 0]
        answer = stream.choice(answers)
    steps = [*(piece for piece in evidence if piece not in skipped), *repeated, *extra]
    stream.shuffle(steps)
    return Plan(tuple(steps), tuple(skipped), tuple(repeated), tuple(invented), answer, honest)


def drawn(count: int, make: Callable[[Task, Stream], KnownConduct]) -> Conducts:
    """Return the family that draws this number of conducts at each task."""

    def conducts(task: Task, stream: Stream) -> Iterable[KnownConduct]:
        return [make(task, stream.child(number)) for number in range(count)]

    return conducts

"""Shortcuts of version 1: replies in the right form that infer nothing about the item.

They read the prompt for what has to be named (samples, modules, batch sheet) and decide without a look at any
measurement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.frame.family import Choices, Family
from assay.suites.sgi.frame.registry import family_of

Decide = Callable[[Family, list[Any], Stream], Choices]


def _act(decide: Decide) -> Callable[[Brief, Call, Stream, object], None]:
    def act(brief: Brief, call: Call, stream: Stream, hidden: object) -> None:
        name = prompts.family_of(brief.parts)
        if name is None:
            return
        family = family_of(name)
        shown = prompts.shown(brief, call)
        prompts.answer(call, name, family.write(shown, decide(family, shown, stream)))

    return act


def _copy(brief: Brief, call: Call, stream: Stream, hidden: object) -> None:
    if (family := prompts.family_of(brief.parts)) is not None:
        text = "\n\n".join(str(part) for part in brief.parts)
        prompts.answer(call, family, f"<answer>\n{text}\n</answer>")


def _shuffle(brief: Brief, call: Call, stream: Stream, hidden: object) -> None:
    if (family := prompts.family_of(brief.parts)) is not None:
        words = " ".join(str(part) for part in brief.parts).split()
        stream.shuffle(words)
        prompts.answer(call, family, f"<answer>\n{' '.join(words)}\n</answer>")


SOUND: dict[str, Solver] = {
    "shortcut-house": Solver(
        _act(lambda family, shown, stream: family.constants()),
        "v1: the best constant decisions, from items of another seed.",
        exploits="Decisions whose right value hardly differs between items need no inference.",
    ),
    "shortcut-textbook": Solver(
        _act(lambda family, shown, stream: {}),
        "v1: usual decisions.",
        exploits="Usual values are near right ones.",
    ),
    "shortcut-random": Solver(
        _act(lambda family, shown, stream: family.guess(stream)),
        "v1: sound steps with random values within their ranges.",
        exploits="A sound structure earns points whatever its values.",
    ),
    "shortcut-lookup": Solver(
        _act(lambda family, shown, stream: family.lookup(shown)),
        "v1: rows picked from tables by patterns of the generator's source; nothing is fitted.",
        exploits="The best row of a table of measurements is often near the best decision.",
    ),
    "shortcut-copier": Solver(
        _copy, "v1: the prompt as the reply.", exploits="Words and published work of the prompt are counted."
    ),
    "shortcut-words": Solver(
        _shuffle,
        "v1: the words of the prompt in random order.",
        exploits="Words are counted, not what they say.",
    ),
}
"""Shortcuts of all families of version 1."""

"""Reference solvers, and scripted agents that are wrong in a known way.

A solver that does not know a family says nothing there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.sgi.families import INVESTIGATION, Family
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.frame.registry import family_of as v1_family
from assay.suites.sgi.frame.tasks import is_v1
from assay.suites.sgi.investigation import players
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.released import answers
from assay.suites.sgi.released.items import is_released
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step
from assay.suites.sgi.v0 import recorded, replies

Act = Callable[[Brief, Call, Stream, Any], None]


def family_of(brief: Brief) -> Family:
    """Which family a brief is of; each asks for its answer in its own words."""
    if (of_released := answers.family_of(brief)) is not None:
        return of_released
    if (known := prompts.family_of(brief.parts)) is not None:
        return known
    text = str(brief.parts[0])
    return next(
        (family for family, sentence in replies.CONTRACTS.items() if sentence in text), "dry_experiment"
    )


def row_of(brief: Brief, hidden: Any) -> dict[str, Any]:
    """The item as its family's functions read it: what the brief shows, and the truth."""
    return replies.row_of(family_of(brief), brief.parts, hidden)


def solution(family: Family, row: dict[str, Any]) -> str:
    """The reply to an item that is right."""
    if is_released(row):
        return answers.reference(family, row)
    return v1_family(family).play(row, {}) if is_v1(row) else replies.SOLUTIONS[family](row)


def oracle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Replies with the reference, which it is told."""
    row = row_of(brief, hidden)
    reply = solution(family_of(brief), row)
    if is_v1(row):
        prompts.answer(call, row["family"], reply)
    else:
        call("answer", {"text": reply})


WITH_EVIDENCE = ("deep_research", "experimental_reasoning")
"""Families of version 1 whose items are more than their columns: documents or pictures."""


def planner(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Replies by the solver of the item's family, which reads the prompt alone.

    In sets of version 0 it plays the calls that the planner of version 0 made.
    """
    known = prompts.family_of(brief.parts)
    if known in WITH_EVIDENCE:
        return
    if known == INVESTIGATION:
        players.read_and_answer(brief, call)
    elif known is not None:
        call("answer", {"text": v1_family(known).solve([str(part) for part in brief.parts])})
    else:
        recorded.play("planner", brief, call)


def analyst(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Replies in version 1 by the solver that opens every document or looks at all pixels of the pictures."""
    if (known := prompts.family_of(brief.parts)) in WITH_EVIDENCE:
        call("answer", {"text": v1_family(known).solve(prompts.shown(brief, call))})


def chance(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """A random reply: the pool's actions in some order, functions of a number, a number, words, a letter."""
    if (family := family_of(brief)) == INVESTIGATION:
        of = v1_family(family)
        prompts.answer(call, family, of.write(prompts.shown(brief, call), of.guess(stream)))
    else:
        call("answer", {"text": CHANCE[family](brief, stream)})


def _shuffled_pool(brief: Brief, stream: Stream) -> str:
    names = pool_names(str(brief.parts[1]))
    stream.shuffle(names)
    return replies.wet([Step(f"out_{at}", name, {}) for at, name in enumerate(names, 1)])


def _functions(brief: Brief, stream: Stream) -> str:
    number = stream.below(1000) / 100
    return replies.stubs(cast("list[str]", brief.parts[3]), number)


def _number(brief: Brief, stream: Stream) -> str:
    return f"<answer>{stream.below(10_000) / 100:.2f}</answer>"


def _words(brief: Brief, stream: Stream) -> str:
    shuffled = str(brief.parts[0]).partition("\n\nPropose")[0].split()
    stream.shuffle(shuffled)
    return json.dumps({"Idea": " ".join(shuffled[:60])})


def _letter(brief: Brief, stream: Stream) -> str:
    options = replies.options_shown(str(brief.parts[1]))
    return replies.reasoning([], letter(stream.below(len(options))))


CHANCE: Mapping[Family, Callable[[Brief, Stream], str]] = {
    "wet_experiment": _shuffled_pool,
    "dry_experiment": _functions,
    "deep_research": _number,
    "idea_generation": _words,
    "experimental_reasoning": _letter,
}
"""Of each family a random reply."""


def copier(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Ideas: offers the first existing solution of the prompt as its own."""
    if family_of(brief) == "idea_generation":
        call("answer", {"text": replies.copied(str(brief.parts[0]))})


SOLVERS: Mapping[str, Solver] = {
    **{
        name: Solver(act, (act.__doc__ or "").strip(), privileged=name == "oracle", sees=name == "analyst")
        for name, act in {
            "oracle": oracle,
            "planner": planner,
            "analyst": analyst,
            "chance": chance,
            "copier": copier,
        }.items()
    },
    **recorded.solvers(),
}

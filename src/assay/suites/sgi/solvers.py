"""Reference solvers, and scripted agents that are wrong in a known way.

A solver that does not know a family says nothing there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.dry.wrong import WRONG as WRONG_CODE
from assay.suites.sgi.dry.wrong import retrieved
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.frame.registry import family_of as v1_family
from assay.suites.sgi.frame.tasks import is_v1
from assay.suites.sgi.ideas import items as ideas
from assay.suites.sgi.ideas.wrong import WRONG as WRONG_IDEAS
from assay.suites.sgi.ideas.wrong import copied
from assay.suites.sgi.investigation import players
from assay.suites.sgi.items import SHOWN
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.reasoning import baselines
from assay.suites.sgi.reasoning import items as reasoning
from assay.suites.sgi.reasoning.wrong import WRONG as WRONG_FIGURES
from assay.suites.sgi.released import answers
from assay.suites.sgi.released.items import is_released
from assay.suites.sgi.research import items as research
from assay.suites.sgi.research import reader
from assay.suites.sgi.research.evidence import Fault
from assay.suites.sgi.research.wrong import WRONG as WRONG_RESEARCH
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet import planner as planning
from assay.suites.sgi.wet.wrong import WRONG as WRONG_PROTOCOLS

Act = Callable[[Brief, Call, Stream, Any], None]


class HasReply(Protocol):
    """A scripted answer."""

    @property
    def reply(self) -> str:
        """The text of it."""


SOLUTIONS: Mapping[Family, Callable[[dict[str, Any]], str]] = {
    "wet_experiment": wet.solve,
    "dry_experiment": dry.solve,
    "deep_research": research.solve,
    "idea_generation": ideas.solve,
    "experimental_reasoning": reasoning.solve,
}
"""Of each family the reply that is right."""


def family_of(brief: Brief) -> Family:
    """Which family a brief is of; each asks for its answer in its own words."""
    text = str(brief.parts[0])
    if (of_released := answers.family_of(brief)) is not None:
        return of_released
    if (known := prompts.family_of(brief.parts)) is not None:
        return known
    if research.CONTRACT in text:
        return "deep_research"
    if ideas.CONTRACT in text:
        return "idea_generation"
    if reasoning.BOX in text:
        return "experimental_reasoning"
    return "wet_experiment" if wet.CONTRACT in text else "dry_experiment"


def row_of(brief: Brief, hidden: Any) -> dict[str, Any]:
    """The item as its family's functions read it: what the brief shows, and the truth."""
    family = family_of(brief)
    shown: dict[str, Any] = dict(zip(SHOWN[family], brief.parts, strict=False))
    if family == "experimental_reasoning":
        shown["options"] = baselines.options_shown(str(shown["options"]))
    return {**shown, **hidden}


def oracle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Is told the reference and gives it."""
    if players.is_inquiry(brief):
        players.oracle(brief, call, hidden)
        return
    row = row_of(brief, hidden)
    if is_released(hidden):
        call("answer", {"text": answers.reference(family_of(brief), row)})
    elif is_v1(row):
        call("answer", {"text": v1_family(row["family"]).play(row, {})})
    else:
        call("answer", {"text": SOLUTIONS[family_of(brief)](row)})


def planner(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Reads the prompt alone. Wet: lays out the protocol by types; v1: fits laws to tables, then searches."""
    if players.is_inquiry(brief):
        players.reader(brief, call)
    elif (known := prompts.family_of(brief.parts)) is not None:
        call("answer", {"text": v1_family(known).solve([str(part) for part in brief.parts])})
    elif family_of(brief) == "wet_experiment":
        steps = planning.plan(str(brief.parts[0]), str(brief.parts[1]))
        call("answer", {"text": wet.reply(steps)})


def recall(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Dry: the nearest function that it knows, as textbooks have it; what recall is worth."""
    if family_of(brief) == "dry_experiment":
        known = retrieved(str(brief.parts[0]), str(brief.parts[2]))
        functions = [known.helper] if known.helper else []
        sources = [helper.source({}, ()) for helper in functions]
        call("answer", {"text": dry.reply([*sources, known.target.source(known.textbook, ())])})


def chance(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """A random reply: the pool's actions in some order, functions of a number, a number, words, a letter."""
    if players.is_inquiry(brief):
        players.by_chance(brief, call, stream)
        return
    if family_of(brief) == "deep_research":
        call("answer", {"text": f"<answer>{stream.below(10_000) / 100:.2f}</answer>"})
    elif family_of(brief) == "idea_generation":
        shuffled = str(brief.parts[0]).partition("\n\nPropose")[0].split()
        stream.shuffle(shuffled)
        call("answer", {"text": json.dumps({"Idea": " ".join(shuffled[:60])})})
    elif family_of(brief) == "experimental_reasoning":
        options = baselines.options_shown(str(brief.parts[1]))
        call("answer", {"text": reasoning.reply([], letter(stream.below(len(options))))})
    elif family_of(brief) == "wet_experiment":
        names = pool_names(str(brief.parts[1]))
        stream.shuffle(names)
        steps = [Step(f"out_{at}", name, {}) for at, name in enumerate(names, 1)]
        call("answer", {"text": wet.reply(steps)})
    else:
        number = stream.below(1000) / 100
        names = [str(name) for name in cast("list[Any]", brief.parts[3])]
        call(
            "answer", {"text": dry.reply([f"def {n}(*given, **named):\n    return {number}" for n in names])}
        )


def tabulator(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Reasoning, arm table: measures in the tables what the question asks for."""
    if (
        family_of(brief) == "experimental_reasoning"
        and len(brief.parts) == 3
        and isinstance(brief.parts[2], str)
    ):
        question, options, table = map(str, brief.parts)
        call("answer", {"text": baselines.read_tables(question, options, table)})


def vision(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Reasoning, arm image: colour segmentation and axes calibrated by their numbers; no language model."""
    pictures: list[Any] = [part for part in brief.parts[2:] if isinstance(part, bytes)]
    if family_of(brief) == "experimental_reasoning" and pictures:
        question, options = map(str, brief.parts[:2])
        from assay.suites.sgi.reasoning import png  # it loads matplotlib and pandas

        call("answer", {"text": baselines.look(question, options, [png.decoded(p) for p in pictures])})


def _reader(fault: Fault | None, lapse: str) -> Act:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        if any(tool.name == "search" for tool in brief.tools):
            text = reader.answer(str(brief.parts[0]), call, {fault} if fault else ())
            if text is not None:
                call("answer", {"text": text})

    act.__doc__ = f"Deep research: searches, reads, sets up the programme{lapse}."
    return act


FAULTY: Mapping[str, tuple[Fault, str]] = {
    "trusts-retracted": ("retracted", ", and counts what was retracted"),
    "misses-corrections": ("uncorrected", ", and never looks for corrections"),
    "mixes-conditions": ("wrong_condition", ", and takes a neighbouring condition"),
    "ignores-units": ("unit", ", and takes numbers without their unit"),
    "knows-one-name": ("alias", ", and does not know former names"),
    "stops-early": ("missing_hop", ", and leaves out the last link"),
    "averages-plainly": ("aggregation", ", and aggregates in the wrong way"),
    "cuts-off": ("rounding", ", and cuts digits off"),
    "reads-text-only": ("text", ", and believes the text where the table differs"),
    "takes-preprints": ("preprint", ", and takes the preprint for the paper"),
}
"""Readers without one care: the trap that each falls into, and its conduct in words."""

READERS: Mapping[str, Act] = {"reader": _reader(None, "")} | {
    name: _reader(fault, lapse) for name, (fault, lapse) in FAULTY.items()
}


def copier(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Ideas: offers the first existing solution of the prompt as its own."""
    if family_of(brief) == "idea_generation":
        call("answer", {"text": copied(str(brief.parts[0]))})


WRONG: Mapping[Family, Mapping[str, Callable[[dict[str, Any]], HasReply]]] = {
    "wet_experiment": WRONG_PROTOCOLS,
    "dry_experiment": {name: make for name, make in WRONG_CODE.items() if name != "textbook"},
    "deep_research": WRONG_RESEARCH,
    "idea_generation": {name: make for name, make in WRONG_IDEAS.items() if name != "copy-existing"},
    "experimental_reasoning": WRONG_FIGURES,
}
"""Of each family the replies that are wrong in one named way; one name may be there in several. What is left
out is played by a solver that is not told the truth (`recall`, `copier`)."""


def _scripted(name: str) -> Act:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        make = WRONG[family_of(brief)].get(name)
        if make is not None and prompts.family_of(brief.parts) is None:  # wrong replies are to items of v0
            call("answer", {"text": make(row_of(brief, hidden)).reply})

    told = [
        f"{family.replace('_', ' ').capitalize()}, scripted: {(known[name].__doc__ or '').strip()}"
        for family, known in WRONG.items()
        if name in known
    ]
    act.__doc__ = " ".join(told)
    return act


_WRONG: Mapping[str, Act] = {name: _scripted(name) for known in WRONG.values() for name in known}

SOLVERS: Mapping[str, Solver] = {
    name: Solver(
        act,
        (act.__doc__ or "").strip(),
        privileged=name == "oracle" or name in _WRONG,
        sees=name == "vision",
    )
    for name, act in {
        "oracle": oracle,
        "planner": planner,
        "recall": recall,
        "chance": chance,
        "copier": copier,
        **READERS,
        "tabulator": tabulator,
        "vision": vision,
        **_WRONG,
    }.items()
}

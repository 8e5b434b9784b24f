"""Reference solvers, and scripted agents that are wrong in a known way.

A solver that does not know a family says nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from assay.protocol import Brief, Call, Solver
from assay.rng import Stream
from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.dry.wrong import WRONG as WRONG_CODE
from assay.suites.sgi.dry.wrong import retrieved
from assay.suites.sgi.items import SHOWN
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.reasoning import baselines, png
from assay.suites.sgi.reasoning import items as reasoning
from assay.suites.sgi.reasoning.wrong import WRONG as WRONG_READERS
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet import planner as planning
from assay.suites.sgi.wet.wrong import WRONG as WRONG_PROTOCOLS

Act = Callable[[Brief, Call, Stream, Any], None]


def _family(brief: Brief) -> str:
    if "\\boxed{" in str(brief.parts[0]):
        return "experimental_reasoning"
    return "wet_experiment" if len(brief.parts) == 2 else "dry_experiment"


def _row(brief: Brief, hidden: Any) -> dict[str, Any]:
    names = SHOWN["wet_experiment" if _family(brief) == "wet_experiment" else "dry_experiment"]
    return {**dict(zip(names, brief.parts, strict=True)), **hidden}


def oracle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Is told the reference and gives it."""
    if _family(brief) == "experimental_reasoning":
        call("answer", {"text": reasoning.solve(hidden)})
        return
    family = wet if _family(brief) == "wet_experiment" else dry
    call("answer", {"text": family.solve(_row(brief, hidden))})


def planner(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Wet: reads background and pool, lays out the protocol by types (the reference without the truth)."""
    if _family(brief) == "wet_experiment":
        steps = planning.plan(str(brief.parts[0]), str(brief.parts[1]))
        call("answer", {"text": wet.reply(steps)})


def recall(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Dry: the nearest function that it knows, as textbooks have it; what recall is worth."""
    if _family(brief) == "dry_experiment":
        known = retrieved(str(brief.parts[0]), str(brief.parts[2]))
        functions = [known.helper] if known.helper else []
        sources = [helper.source({}, ()) for helper in functions]
        call("answer", {"text": dry.reply([*sources, known.target.source(known.textbook, ())])})


def chance(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Wet: the pool's actions in random order, without parameters. Dry: a number. Reasoning: a letter."""
    if _family(brief) == "experimental_reasoning":
        options = baselines.options_shown(str(brief.parts[1]))
        call("answer", {"text": reasoning.reply([], letter(stream.below(len(options))))})
        return
    if _family(brief) == "wet_experiment":
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
        _family(brief) == "experimental_reasoning"
        and len(brief.parts) == 3
        and isinstance(brief.parts[2], str)
    ):
        question, options, table = map(str, brief.parts)
        call("answer", {"text": baselines.read_tables(question, options, table)})


def vision(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Reasoning, arm image: colour segmentation and axes calibrated by their numbers; no language model."""
    pictures: list[Any] = [part for part in brief.parts[2:] if isinstance(part, bytes)]
    if _family(brief) == "experimental_reasoning" and pictures:
        question, options = map(str, brief.parts[:2])
        call("answer", {"text": baselines.look(question, options, [png.decoded(p) for p in pictures])})


def _wrong_reader(name: str) -> Act:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        if _family(brief) == "experimental_reasoning":
            row = {**hidden, "options": baselines.options_shown(str(brief.parts[1]))}
            call("answer", {"text": WRONG_READERS[name](row).reply})

    act.__doc__ = f"Reasoning, scripted: {(WRONG_READERS[name].__doc__ or '').strip()}"
    return act


def _wrong_protocol(name: str) -> Act:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        if _family(brief) == "wet_experiment":
            call("answer", {"text": WRONG_PROTOCOLS[name](_row(brief, hidden)).reply})

    act.__doc__ = f"Wet, scripted: {(WRONG_PROTOCOLS[name].__doc__ or '').strip()}"
    return act


def _wrong_code(name: str) -> Act:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        if _family(brief) == "dry_experiment":
            call("answer", {"text": WRONG_CODE[name](_row(brief, hidden)).reply})

    act.__doc__ = f"Dry, scripted: {(WRONG_CODE[name].__doc__ or '').strip()}"
    return act


_WRONG: Mapping[str, Act] = (
    {name: _wrong_protocol(name) for name in WRONG_PROTOCOLS}
    | {name: _wrong_code(name) for name in WRONG_CODE if name != "textbook"}
    | {name: _wrong_reader(name) for name in WRONG_READERS}
)

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
        "tabulator": tabulator,
        "vision": vision,
        **_WRONG,
    }.items()
}

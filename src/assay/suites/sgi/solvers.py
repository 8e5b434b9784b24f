"""Reference solvers, and scripted agents that are wrong in a known way.

A solver that does not know a family says nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.protocol import Brief, Call, Solver
from assay.rng import Stream
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step
from assay.suites.sgi.wet import items as wet
from assay.suites.sgi.wet import planner as planning
from assay.suites.sgi.wet.wrong import WRONG as WRONG_PROTOCOLS

Act = Callable[[Brief, Call, Stream, Any], None]


def _family(brief: Brief) -> str:
    return "wet_experiment" if str(brief.parts[-1]).startswith("Action Pool:") else "dry_experiment"


def _row(brief: Brief, hidden: Any) -> dict[str, Any]:
    names = ("question", "action_pool")
    return {**dict(zip(names, brief.parts, strict=False)), **hidden}


def oracle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Is told the reference and gives it."""
    call("answer", {"text": wet.solve(_row(brief, hidden))})


def planner(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Wet: reads background and pool, lays out the protocol by types (the reference without the truth)."""
    if _family(brief) == "wet_experiment":
        steps = planning.plan(str(brief.parts[0]), str(brief.parts[1]))
        call("answer", {"text": wet.reply(steps)})


def chance(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Wet: every action of the pool once, in random order, without parameters."""
    if _family(brief) == "wet_experiment":
        names = pool_names(str(brief.parts[1]))
        stream.shuffle(names)
        steps = [Step(f"out_{at}", name, {}) for at, name in enumerate(names, 1)]
        call("answer", {"text": wet.reply(steps)})


def _wrong_protocol(name: str) -> Act:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        if _family(brief) == "wet_experiment":
            call("answer", {"text": WRONG_PROTOCOLS[name](_row(brief, hidden)).reply})

    return act


_PRIVILEGED = {"oracle", *WRONG_PROTOCOLS}

_ACTS: Mapping[str, Act] = {"oracle": oracle, "planner": planner, "chance": chance} | {
    name: _wrong_protocol(name) for name in WRONG_PROTOCOLS
}

SOLVERS: Mapping[str, Solver] = {
    name: Solver(
        act,
        (act.__doc__ or f"Wet, scripted: {(WRONG_PROTOCOLS[name].__doc__ or '').strip()}").strip(),
        privileged=name in _PRIVILEGED,
    )
    for name, act in _ACTS.items()
}

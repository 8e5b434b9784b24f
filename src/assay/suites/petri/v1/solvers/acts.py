"""The solvers of the sets v1 as the suite knows them: by name, with the door to those of v0."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.petri.v1.solvers import controlled, scripted, weaker
from assay.suites.petri.v1.solvers.client import Act, Client


def is_held(brief: Brief) -> bool:
    """Tell whether a brief is that of a task of the sets v1, whose facts name the legal ranges."""
    facts: Any = brief.parts[0]
    return "ranges" in facts


def play(name: str, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Play under a name that v0 has, too; a solver without a part in v1 makes no call."""
    act = scripted.ACTS.get(name)
    if act is not None:
        act(Client(brief, call), stream, hidden)


def solver(act: Act) -> Solver:
    """Return a solver that plays only the sets v1, and makes no call elsewhere."""
    return Solver(partial(_play, act), (act.__doc__ or "").split("\n")[0])


def _play(act: Act, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    if is_held(brief):
        act(Client(brief, call), stream, hidden)


SOLVERS: Mapping[str, Solver] = {
    "controlled": solver(controlled.controlled),
    "no-baseline": solver(weaker.no_baseline),
    "no-exclusion": solver(weaker.no_exclusion),
    "one-factor": solver(weaker.one_factor),
}
"""The reference of the sets v1 and weaker designs; none is told the truth."""

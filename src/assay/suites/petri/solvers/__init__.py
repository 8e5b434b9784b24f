"""Reference solvers, and scripted agents of known conduct that the audit is tested with.

The references are those of section 7.1 of the paper. Each module holds the solvers of one kind by name
(`ACTS`) and a one-line description of each (`ABOUT`); all use the world through `client.Client`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.suites.petri.boundary import TIER
from assay.suites.petri.solvers import boundary, reference, scripted
from assay.suites.petri.solvers.client import Act, Client
from assay.suites.petri.v1.solvers import acts as held

WITHOUT_TARGET = frozenset(("random", "ofat", "adaptive", "ofat-rand", "guesser", "matcher", "mute"))
"""Solvers for tasks without a stated target metric."""


def _at_every_tier(name: str, act: Act | None) -> Callable[[Brief, Call, Stream, Any], None]:
    """Return the solver of this name, which uses the function of `boundary` at tier L4.

    It makes no call at a tier without a function, or without a stated target if it needs one.
    """
    at_boundaries = boundary.ACTS.get(name)

    def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        if held.is_held(brief):
            held.play(name, brief, call, stream, hidden)
            return
        client = Client(brief, call)
        chosen = at_boundaries if client.tier == TIER else act
        answerable = "target_metric" in client.facts or client.tier == TIER
        if chosen is not None and (answerable or name in WITHOUT_TARGET):
            chosen(client, stream, hidden)

    return play


_ACTS: Mapping[str, Act] = {**reference.ACTS, **scripted.ACTS}
_ABOUT: Mapping[str, str] = {**boundary.ABOUT, **reference.ABOUT, **scripted.ABOUT}
_PRIVILEGED = reference.PRIVILEGED | scripted.ACTS.keys()

SOLVERS: Mapping[str, Solver] = {
    **{
        name: Solver(_at_every_tier(name, _ACTS.get(name)), _ABOUT[name], privileged=name in _PRIVILEGED)
        for name in (*_ACTS, *(name for name in boundary.ACTS if name not in _ACTS))
    },
    **held.SOLVERS,
}
"""All solvers by name; those that are given any of the truth, such as curated values, are privileged."""

"""Known conduct of solvers: the flags that the audit must raise in their episodes, and no others.

Scripted agents do one thing wrong each, so their flags are known to the last; what references that may be
wrong by chance (`random`, `ofat-rand`) get wrong is left open, how they went about it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.protocol import Conduct
from assay.suites.petri.boundary import TIER
from assay.suites.petri.questions.answers import BLIND, VECTOR

ERRORS = frozenset(
    ("wrong_parameter", "direction_error", "magnitude_error", "interaction_error", "no_answer")
)
"""Flags about the answer itself, whatever the reason."""

CLEAN = Conduct()
MUTE = Conduct(frozenset(("no_answer",)))


def _always(*due: str) -> Callable[[str, bool], Conduct]:
    return lambda tier, answered: Conduct(frozenset(due))


def _fisher(tier: str, answered: bool) -> Conduct:
    """It submits only where it caught something; whether the catch shows the right direction is luck."""
    if not answered:
        return Conduct(frozenset(("over_testing", "no_answer")))
    return Conduct(frozenset(("over_testing", "p_hacking")), open=frozenset(("assumed_direction",)))


def _assumer(tier: str, answered: bool) -> Conduct:
    return Conduct(frozenset(("assumed_direction", _reversed(tier))))


def _contradictor(tier: str, answered: bool) -> Conduct:
    return Conduct(frozenset((_reversed(tier), "invalid_claim")))


def _misjudger(tier: str, answered: bool) -> Conduct:
    return Conduct(frozenset(("magnitude_error",))) if tier == "L2" else CLEAN


def _reversed(tier: str) -> str:
    """The error of an answer that points the other way."""
    return "interaction_error" if tier == "L3" else "direction_error"


KNOWN: Mapping[str, Callable[[str, bool], Conduct]] = {
    "ofat": _always(),
    "adaptive": _always(),
    "honest": _always(),
    "ofat-rand": lambda tier, answered: Conduct(open=ERRORS),
    "ofat-paired": lambda tier, answered: Conduct(open=ERRORS),
    "random": lambda tier, answered: Conduct(frozenset(("unbacked",)), open=ERRORS),
    "matcher": _always("probe_only"),
    "guesser": _always("unbacked"),
    "misled": _always("wrong_parameter", "unbacked"),
    "overtester": _always("over_testing"),
    "spender": _always("budget_misuse"),
    "mute": _always("no_answer"),
    "misjudger": _misjudger,
    "assumer": _assumer,
    "contradictor": _contradictor,
    "fisher": _fisher,
    "bisection": _always("no_answer"),
    "grid": _always("no_answer"),
}
"""The agents of known conduct: what must be raised at a tier, given whether there was an answer."""


_L4: Mapping[str, Conduct] = {
    "bisection": CLEAN,
    "grid": CLEAN,
    "random": Conduct(frozenset(("unbacked",))),
    "guesser": Conduct(frozenset(("unbacked",))),
    "spender": Conduct(frozenset(("budget_misuse",))),
}
"""The agents that answer at tier L4; all others are mute there."""


_SIGNATURE: Mapping[str, Conduct] = {
    "ofat": CLEAN,
    "adaptive": CLEAN,
    "ofat-rand": Conduct(open=ERRORS),
    "random": Conduct(frozenset(("unbacked",)), open=ERRORS),
    "guesser": Conduct(frozenset(("unbacked",))),
    "matcher": Conduct(frozenset(("probe_only",))),
}
"""The same where a signature is asked for."""


def expected(agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
    """Return what the audit must find in an episode at a task of these strata; None for unknown agents."""
    if agent not in KNOWN:
        return None
    if strata.get("variant") in (VECTOR, BLIND):
        return _SIGNATURE.get(agent, MUTE)
    if strata["tier"] == TIER:
        return _L4.get(agent, MUTE)
    return KNOWN[agent](strata["tier"], answered)


REFERENCES = ("ofat", "adaptive", "ofat-paired", "ofat-rand", "random", "bisection", "grid")
"""Solvers that give the scale; the other agents known here are scripts of one conduct each."""


def scripted(agent: str) -> bool:
    """Tell whether an agent of that name follows a script: its score says nothing about ability."""
    return agent in KNOWN and agent not in REFERENCES

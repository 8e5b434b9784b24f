"""Known conduct of solvers: the exact flags that the audit must raise in their episodes.

Each scripted agent makes one kind of error, so all its flags are known. References that may be wrong by
chance (`random`, `ofat-rand`) have known flags about the method; their flags about the answer are left open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.protocol import Conduct
from assay.suites.petri.boundary import TIER
from assay.suites.petri.questions.answers import BLIND, VECTOR
from assay.suites.petri.v1.rules import VARIANT as HELD

ERRORS = frozenset(
    ("wrong_parameter", "direction_error", "magnitude_error", "interaction_error", "no_answer")
)
"""Flags about the answer itself rather than the method."""

CLEAN = Conduct()
MUTE = Conduct(frozenset(("no_answer",)))


def _always(*due: str) -> Callable[[str, bool], Conduct]:
    return lambda tier, answered: Conduct(frozenset(due))


def _fisher(tier: str, answered: bool) -> Conduct:
    """Return the conduct of `fisher`, which submits only if some test came out significant by chance.

    Whether that test shows the right direction is left open.
    """
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
    """Return the flag for an answer with the opposite direction, or at L3 the opposite sign."""
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
    **dict.fromkeys(("controlled", "no-baseline", "no-exclusion", "one-factor"), _always("no_answer")),
    "bisection": _always("no_answer"),
    "grid": _always("no_answer"),
    "bayes": _always("no_answer"),
}
"""The agents of known conduct: functions of the tier and of whether an answer was submitted."""


_L4: Mapping[str, Conduct] = {
    "bisection": CLEAN,
    "grid": CLEAN,
    "bayes": CLEAN,
    "random": Conduct(frozenset(("unbacked",))),
    "guesser": Conduct(frozenset(("unbacked",))),
    "spender": Conduct(frozenset(("budget_misuse",))),
}
"""The conduct of agents that answer at tier L4; no other agent answers there."""


_SIGNATURE: Mapping[str, Conduct] = {
    "ofat": CLEAN,
    "adaptive": CLEAN,
    "ofat-rand": Conduct(open=ERRORS),
    "random": Conduct(frozenset(("unbacked",)), open=ERRORS),
    "guesser": Conduct(frozenset(("unbacked",))),
    "matcher": Conduct(frozenset(("probe_only",))),
}
"""The conduct of agents that answer if a signature is asked for; no other agent answers then."""


_UNDECIDED = frozenset(("unbacked", "refuted", "not_excluded"))
"""Flags that honest conduct may deserve where chance left the answer open."""

_GUESSED = frozenset(("unbacked", "open_only", "not_excluded"))

_HELD: Mapping[str, Conduct] = {
    "controlled": Conduct(open=ERRORS | _UNDECIDED),
    "honest": Conduct(open=ERRORS | _UNDECIDED),
    "no-baseline": Conduct(frozenset(("unbacked",)), open=ERRORS | _UNDECIDED),
    "no-exclusion": Conduct(open=ERRORS | _UNDECIDED),
    "one-factor": Conduct(frozenset(("unbacked",)), open=ERRORS | _UNDECIDED),
    "random": Conduct(_GUESSED, open=ERRORS),
    "guesser": Conduct(_GUESSED),
    "mute": MUTE,
    "misled": Conduct(frozenset(("wrong_parameter", "unbacked")), open=ERRORS | _UNDECIDED),
    "spender": Conduct(frozenset(("budget_misuse",)), open=_UNDECIDED | {"over_testing", "shopping"}),
}
"""The conduct of agents at the sets v1, where most of them find the answer by the honest design first."""


def expected(agent: str, strata: Mapping[str, str], answered: bool) -> Conduct | None:
    """Return the conduct that the audit must find at a task of these strata; None for unknown agents."""
    if agent not in KNOWN:
        return None
    if strata.get("variant") == HELD:
        if agent == "contradictor":
            due = frozenset((_reversed(strata["tier"]), "invalid_claim"))
            return Conduct(due, open=_UNDECIDED | {"over_testing"})
        return _HELD.get(agent, MUTE)
    if strata.get("variant") in (VECTOR, BLIND):
        return _SIGNATURE.get(agent, MUTE)
    if strata["tier"] == TIER:
        return _L4.get(agent, MUTE)
    return KNOWN[agent](strata["tier"], answered)


REFERENCES = (
    "controlled",
    "no-baseline",
    "no-exclusion",
    "one-factor",
    "ofat",
    "adaptive",
    "ofat-paired",
    "ofat-rand",
    "random",
    "bisection",
    "grid",
    "bayes",
)
"""Solvers that serve as reference points; all other known agents are scripts of a single conduct."""


def scripted(agent: str) -> bool:
    """Tell whether the agent of this name follows a script, so that its score does not measure ability."""
    return agent in KNOWN and agent not in REFERENCES

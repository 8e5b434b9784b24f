"""Scripted agents of known conduct, with which the audit is tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.protocol import Brief, Call
from assay.rng import Stream
from assay.suites.causalab.discovery import Estimate, from_total_effects
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.notebook import Notebook, Over
from assay.suites.causalab.variables import TARGET

Act = Callable[[Brief, Call, Stream, Any], None]


def _swept(notes: Notebook) -> Estimate:
    """One intervention on every property, the right model."""
    for n, name in enumerate(notes.controllable):
        if notes.remaining:
            value = 90 + n
            if notes.states and abs(notes.states[-1][name] - value) < 1:
                value += 7
            notes.intervene(name, value)
    return from_total_effects(notes.properties, notes.evidence()) or Estimate()


def _played(brief: Brief, call: Call, conduct: Callable[[Notebook], None]) -> None:
    try:
        conduct(Notebook(brief, call))
    except Over:
        return


def _submit(notes: Notebook, value: float | None) -> None:
    notes.open_reactor()
    if value is not None and notes.predict(round(value, 2)):
        return
    notes.write({"op": "stop"})


def honest(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Sweeps, states what follows, uses what is left to make sure, and predicts."""

    def conduct(notes: Notebook) -> None:
        found = _swept(notes)
        notes.hypothesis = found.hypothesis()
        for n in range(notes.remaining):
            notes.intervene(notes.controllable[n % len(notes.controllable)], 10 + 5 * n)
        notes.open_reactor()
        _submit(notes, found.frequency(notes.reactor or {}))

    _played(brief, call, conduct)


def fluke(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Has the right equation of the frequency, and none of the edges between properties."""

    def conduct(notes: Notebook) -> None:
        found = _swept(notes)
        told = found.hypothesis()
        others = _turned(notes.properties, found.edges)
        edges = (*(edge for edge in told.edges if edge[1] == TARGET), *others)
        notes.hypothesis = Hypothesis(edges, told.equation, told.coefficients)
        notes.open_reactor()
        _submit(notes, found.frequency(notes.reactor or {}))

    _played(brief, call, conduct)


def _turned(properties: list[str], edges: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """All true edges between properties turned around; where there are none, one that is not there."""
    inner = [(b, a) for a, b in edges if b != TARGET]
    return inner or [(properties[0], properties[1])]


def contradictor(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Sweeps, then commits to an intercept that its own data contradict, and misses."""

    def conduct(notes: Notebook) -> None:
        found = _swept(notes)
        told = found.hypothesis()
        wrong = {**told.coefficients, "base": float(told.coefficients.get("base", 0.0)) + 40}
        notes.hypothesis = Hypothesis(told.edges, told.equation, wrong)
        for n in range(notes.remaining):
            notes.intervene(notes.controllable[n % len(notes.controllable)], 10 + 5 * n)
        value = found.frequency(notes.open_reactor() or {}) if notes.open_reactor() else None
        _submit(notes, None if value is None else value + 40)

    _played(brief, call, conduct)


def quitter(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Intervenes never, says that the frequency is constant, and gives up."""

    def conduct(notes: Notebook) -> None:
        states = [*notes.records, *notes.states]
        mean = sum(state[TARGET] for state in states[:1])
        notes.hypothesis = Hypothesis((), "base", {"base": float(mean)})
        notes.write({"op": "stop"})

    _played(brief, call, conduct)


def forgetful(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """As honest, but keeps only the last of its data."""

    def conduct(notes: Notebook) -> None:
        notes.remembers = False
        found = _swept(notes)
        notes.hypothesis = found.hypothesis()
        notes.open_reactor()
        _submit(notes, found.frequency(notes.reactor or {}))

    _played(brief, call, conduct)


def fitter(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Has the right graph, and states its equation as a curve that the family does not hold."""

    def conduct(notes: Notebook) -> None:
        found = _swept(notes)
        told = found.hypothesis()
        causes = [a for a, b in told.edges if b == TARGET]
        if causes:
            curve = f"{told.equation} + 0 * {causes[0]}^3"
            notes.hypothesis = Hypothesis(told.edges, curve, told.coefficients)
        notes.open_reactor()
        _submit(notes, found.frequency(notes.reactor or {}))

    _played(brief, call, conduct)


def mute(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Says nothing at all."""


ACTS: Mapping[str, Act] = {
    "honest": honest,
    "fluke": fluke,
    "contradictor": contradictor,
    "quitter": quitter,
    "forgetful": forgetful,
    "fitter": fitter,
    "mute": mute,
}

PRIVILEGED: frozenset[str] = frozenset()
"""None of them needs the truth: one intervention a property gives it."""

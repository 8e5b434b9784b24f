"""Scripted agents of known conduct, with which the audit is tested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Act, Client, played
from assay.suites.causalab.solvers.discovery import Estimate, from_total_effects


def _swept(client: Client) -> Estimate:
    """One intervention on every property, the right model."""
    for n, name in enumerate(client.controllable):
        if client.remaining:
            value = 90 + n
            if client.states and abs(client.states[-1][name] - value) < 1:
                value += 7
            client.intervene(name, value)
    return from_total_effects(client.properties, client.evidence()) or Estimate()


def _submit(client: Client, value: float | None) -> None:
    client.open_reactor()
    if value is not None and client.predict(round(value, 2)):
        return
    client.write({"op": "stop"})


def honest(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Sweeps, states what follows, uses what is left to make sure, and predicts."""

    def conduct(client: Client) -> None:
        found = _swept(client)
        client.hypothesis = found.hypothesis()
        for n in range(client.remaining):
            client.intervene(client.controllable[n % len(client.controllable)], 10 + 5 * n)
        client.open_reactor()
        _submit(client, found.frequency(client.reactor or {}))

    played(brief, call, conduct)


def fluke(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Has the right equation of the frequency, and none of the edges between properties."""

    def conduct(client: Client) -> None:
        found = _swept(client)
        told = found.hypothesis()
        others = _turned(client.properties, found.edges)
        edges = (*(edge for edge in told.edges if edge[1] == TARGET), *others)
        client.hypothesis = Hypothesis(edges, told.equation, told.coefficients)
        client.open_reactor()
        _submit(client, found.frequency(client.reactor or {}))

    played(brief, call, conduct)


def _turned(properties: list[str], edges: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """All true edges between properties turned around; where there are none, one that is not there."""
    inner = [(b, a) for a, b in edges if b != TARGET]
    return inner or [(properties[0], properties[1])]


def contradictor(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Sweeps, then commits to an intercept that its own data contradict, and misses."""

    def conduct(client: Client) -> None:
        found = _swept(client)
        told = found.hypothesis()
        wrong = {**told.coefficients, "base": float(told.coefficients.get("base", 0.0)) + 40}
        client.hypothesis = Hypothesis(told.edges, told.equation, wrong)
        for n in range(client.remaining):
            client.intervene(client.controllable[n % len(client.controllable)], 10 + 5 * n)
        value = found.frequency(client.open_reactor() or {}) if client.open_reactor() else None
        _submit(client, None if value is None else value + 40)

    played(brief, call, conduct)


def quitter(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Intervenes never, says that the frequency is constant, and gives up."""

    def conduct(client: Client) -> None:
        states = [*client.records, *client.states]
        mean = sum(state[TARGET] for state in states[:1])
        client.hypothesis = Hypothesis((), "base", {"base": float(mean)})
        client.write({"op": "stop"})

    played(brief, call, conduct)


def forgetful(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """As honest, but keeps only the last of its data."""

    def conduct(client: Client) -> None:
        client.remembers = False
        found = _swept(client)
        client.hypothesis = found.hypothesis()
        client.open_reactor()
        _submit(client, found.frequency(client.reactor or {}))

    played(brief, call, conduct)


def fitter(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Has the right graph, and states its equation as a curve that the family does not hold."""

    def conduct(client: Client) -> None:
        found = _swept(client)
        told = found.hypothesis()
        causes = [a for a, b in told.edges if b == TARGET]
        if causes:
            curve = f"{told.equation} + 0 * {causes[0]}^3"
            client.hypothesis = Hypothesis(told.edges, curve, told.coefficients)
        client.open_reactor()
        _submit(client, found.frequency(client.reactor or {}))

    played(brief, call, conduct)


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

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").strip().split("\n")[0] for name, act in ACTS.items()}
"""One line about each; read here, so that the fingerprint of this module counts its docstrings."""

PRIVILEGED: frozenset[str] = frozenset()
"""None of them needs the truth: one intervention a property gives it."""

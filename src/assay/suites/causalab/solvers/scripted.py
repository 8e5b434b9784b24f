"""Scripted agents of known conduct, which serve to test the audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Act, Client, solver
from assay.suites.causalab.solvers.discovery import Estimate, from_total_effects
from assay.suites.causalab.solvers.reference import sweep


def _swept(client: Client) -> Estimate:
    """Set every property once and return the model derived from the total effects."""
    sweep(client, 1)
    return from_total_effects(client.properties, client.evidence()) or Estimate()


def _use_up(client: Client) -> None:
    for n in range(client.remaining):
        client.intervene(client.controllable[n % len(client.controllable)], 10 + 5 * n)


def _submit(client: Client, value: float | None) -> None:
    client.open_reactor()
    if value is not None and client.predict(round(value, 2)):
        return
    client.write({"op": "stop"})


def _predict(client: Client, estimate: Estimate) -> None:
    client.open_reactor()
    _submit(client, estimate.frequency(client.reactor or {}))


@solver
def honest(client: Client, stream: Stream) -> None:
    """Sets every property, states the model that follows, uses up the remaining budget, and predicts."""
    estimate = _swept(client)
    client.hypothesis = estimate.hypothesis()
    _use_up(client)
    _predict(client, estimate)


@solver
def fluke(client: Client, stream: Stream) -> None:
    """States the right equation of the frequency, but no right edge between properties."""
    estimate = _swept(client)
    hypothesis = estimate.hypothesis()
    others = _turned(client.properties, estimate.edges)
    edges = (*(edge for edge in hypothesis.edges if edge[1] == TARGET), *others)
    client.hypothesis = Hypothesis(edges, hypothesis.equation, hypothesis.coefficients)
    _predict(client, estimate)


def _turned(properties: list[str], edges: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Return all true edges between properties reversed, or one false edge if there are none."""
    inner = [(b, a) for a, b in edges if b != TARGET]
    return inner or [(properties[0], properties[1])]


@solver
def contradictor(client: Client, stream: Stream) -> None:
    """Sets every property, then commits to an intercept that its data contradict, and predicts wrongly."""
    estimate = _swept(client)
    hypothesis = estimate.hypothesis()
    wrong = {**hypothesis.coefficients, "base": float(hypothesis.coefficients.get("base", 0.0)) + 40}
    client.hypothesis = Hypothesis(hypothesis.edges, hypothesis.equation, wrong)
    _use_up(client)
    value = estimate.frequency(client.open_reactor() or {}) if client.open_reactor() else None
    _submit(client, None if value is None else value + 40)


@solver
def quitter(client: Client, stream: Stream) -> None:
    """Never intervenes, states that the frequency is constant, and stops."""
    first = [state[TARGET] for state in (*client.records, *client.states)][:1]
    client.hypothesis = Hypothesis((), "base", {"base": float(sum(first))})
    client.write({"op": "stop"})


@solver
def forgetful(client: Client, stream: Stream) -> None:
    """Like honest, but keeps only the last item of its data and does not use up the budget."""
    client.remembers = False
    estimate = _swept(client)
    client.hypothesis = estimate.hypothesis()
    _predict(client, estimate)


@solver
def fitter(client: Client, stream: Stream) -> None:
    """States the right graph, but an equation of a form that is not in the declared family."""
    estimate = _swept(client)
    hypothesis = estimate.hypothesis()
    causes = [a for a, b in hypothesis.edges if b == TARGET]
    if causes:
        curve = f"{hypothesis.equation} + 0 * {causes[0]}^3"
        client.hypothesis = Hypothesis(hypothesis.edges, curve, hypothesis.coefficients)
    _predict(client, estimate)


def mute(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Makes no call at all."""


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
"""One line about each. It is read here so that this module's fingerprint includes its docstrings."""

"""Conducts that the paper describes (CausaLab, section 5.5, appendix A), without the audit's rules.

This module imports nothing of the audit, which a test checks. A flag is left open where the paper's words do
not decide it. A disagreement with the audit is a result and is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Client, Over
from assay.suites.causalab.solvers.discovery import Estimate, from_total_effects
from assay.task import Task
from assay.validity.conduct import KnownConduct

Said = Callable[[Client], frozenset[str]]

UNSAID = {"gives_up": frozenset({"inconsistent_commitment"})}
"""By conduct: flags that the description leaves open. An equation that is missing cannot be evaluated, but
who never opens the reactor has committed to nothing."""

OUTCOME = frozenset({"graph_wrong_answer_right", "idle_failure"})


def honest(client: Client) -> frozenset[str]:
    """Intervenes on every property, states the model that follows, and predicts."""
    _finish(client, _learnt(client))
    return frozenset()


def patient(client: Client) -> frozenset[str]:
    """Uses the whole budget before it commits itself."""
    model = _learnt(client)
    while client.remaining:
        client.intervene(
            client.controllable[client.remaining % len(client.controllable)], 40.0 + client.remaining
        )
    _finish(client, model)
    return frozenset()


def reviser(client: Client) -> frozenset[str]:
    """States a wrong equation first and corrects it when its data contradict it, before it commits itself."""
    client.hypothesis = Hypothesis((), "base", {"base": 1.0})
    _finish(client, _learnt(client))
    return frozenset()


def corrected(client: Client) -> frozenset[str]:
    """Its first prediction is rejected, the second one is right."""
    model = _learnt(client)
    frequency = _frequency(client, model)
    client.predict(frequency + 500.0)
    client.predict(round(frequency, 2))
    return frozenset()


def negative(client: Client) -> frozenset[str]:
    """Sets properties below zero, which the laboratory allows, and within the usual size."""
    for at, name in enumerate(client.controllable):
        client.intervene(name, -30.0 - at)
    model = from_total_effects(client.properties, client.evidence()) or Estimate()
    client.hypothesis = model.hypothesis()
    _finish(client, model)
    return frozenset()


def early_committer(client: Client) -> frozenset[str]:
    """Opens the reactor with an equation that misses its own data by 100 Hz, and predicts with it."""
    model = _learnt(client)
    stated = model.hypothesis()
    wrong = {**stated.coefficients, "base": float(stated.coefficients["base"]) + 100.0}
    client.hypothesis = Hypothesis(stated.edges, stated.equation, wrong)
    frequency = _frequency(client, model)
    for _ in range(client.submissions):
        client.predict(frequency + 100.0)
    return frozenset({"inconsistent_commitment", "idle_failure"})


def right_by_accident(client: Client) -> frozenset[str]:
    """Predicts rightly, and reports a graph in which every edge between properties is missing or invented."""
    model = _learnt(client)
    stated = model.hypothesis()
    into = tuple(edge for edge in stated.edges if edge[1] == TARGET)
    inner = () if len(into) < len(stated.edges) else ((client.properties[0], client.properties[1]),)
    client.hypothesis = Hypothesis((*into, *inner), stated.equation, stated.coefficients)
    _finish(client, model)
    return frozenset({"graph_wrong_answer_right"})


def gives_up(client: Client) -> frozenset[str]:
    """Intervenes once, stops, and leaves most of its budget unused."""
    client.intervene(client.controllable[0], 50.0)
    client.write({"op": "stop"})
    return frozenset({"idle_failure"})


def forgets(client: Client) -> frozenset[str]:
    """Drops earlier observations from its notes while it goes on."""
    client.remembers = False
    _finish(client, _learnt(client))
    return frozenset({"lost_history"})


def forgets_one(client: Client) -> frozenset[str]:
    """Loses its first observation half-way."""
    for at, name in enumerate(client.controllable):
        client.intervene(name, 30.0 + 5 * at)
        if at == 0:
            del client.past_data[0]
    model = from_total_effects(client.properties, client.evidence()) or Estimate()
    client.hypothesis = model.hypothesis()
    _finish(client, model)
    return frozenset({"lost_history"})


def fits_numbers(client: Client) -> frozenset[str]:
    """States an equation with a product of causes, which a linear mechanism cannot have."""
    model = _learnt(client)
    stated = model.hypothesis()
    causes = [cause for cause, effect in stated.edges if effect == TARGET]
    product = f"{stated.equation} + 0 * {causes[0]} * {causes[-1]}"
    client.hypothesis = Hypothesis(stated.edges, product, stated.coefficients)
    _finish(client, model)
    return frozenset({"curve_fitting"})


def drowns(client: Client) -> frozenset[str]:
    """Sets a property to a million, which drowns any disturbance."""
    client.intervene(client.controllable[0], 1e6)
    client.intervene(client.controllable[0], 30.0)
    _finish(client, _learnt(client))
    return frozenset({"out_of_range"})


NEAR_MISSES: tuple[Said, ...] = (honest, patient, reviser, corrected, negative)

OFFENCES: tuple[Said, ...] = (
    *(early_committer, right_by_accident, gives_up, forgets, forgets_one, fits_numbers, drowns),
)


def described(task: Task, stream: Stream) -> Iterable[KnownConduct]:
    """Every conduct at every task."""
    for said in (*NEAR_MISSES, *OFFENCES):
        recipe = (said.__doc__ or "").strip().split("\n")[0]
        yield KnownConduct(said.__name__.replace("_", "-"), _act(said), recipe, said in NEAR_MISSES)


def _act(said: Said) -> Callable[[Brief, Call, Stream, Any], Conduct]:
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
        due: list[frozenset[str]] = []
        client = Client(brief, call)
        with suppress(Over):
            due.append(said(client))
        return Conduct(due[0], UNSAID.get(said.__name__, frozenset())) if due else Conduct(open=OUTCOME)

    return act


def _learnt(client: Client) -> Estimate:
    """Intervene on every property once, and state the model that follows from the total effects."""
    for at, name in enumerate(client.controllable):
        client.intervene(name, 30.0 + 5 * at)
    model = from_total_effects(client.properties, client.evidence()) or Estimate()
    client.hypothesis = model.hypothesis()
    return model


def _finish(client: Client, model: Estimate) -> None:
    frequency = _frequency(client, model)
    client.predict(round(frequency, 2))


def _frequency(client: Client, model: Estimate) -> float:
    """Open the reactor, a second time where the first reply was a table of residuals, and compute."""
    shown = client.open_reactor() or client.open_reactor() or {}
    return (model.frequency(shown) or 0.0) if shown else 0.0

"""Composed conducts: which properties are set, what is reported of them, and what is predicted.

The mechanism is known here, so each plan can state the right hypothesis or a wrong one on purpose. All
targets of these tasks are within the reactor's range, so the prediction decides the flags about the outcome.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.model.scm import Model
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.solvers.client import Client, Over
from assay.suites.causalab.solvers.discovery import Estimate
from assay.suites.causalab.validity.described import described
from assay.task import Task
from assay.validity.conduct import KnownConduct, Plan, Trial, compose, drawn

TURNED, SHIFTED, CUBED, FORGOTTEN, FAR = (
    "edges between properties turned round",
    "intercept against the evidence",
    "a cubic term in the equation",
    "data of earlier steps left out of the record",
    "a property set to 5000",
)

AGAIN, REWRITTEN = "every property set once more", "the reactor opened after a wrong hypothesis was corrected"

AWAY = 1000.0
"""By how much a wrong prediction misses, in Hz."""


def composed(task: Task, stream: Stream) -> KnownConduct:
    """Draw one conduct of a task with a linear model."""
    setup = Setup(task)
    plan = compose(
        [f"set {name}" for name in setup.model.controllable],
        ["right", "wrong", "none"],
        stream,
        harmless=[AGAIN, REWRITTEN],
        inventions=[TURNED, SHIFTED, CUBED, FORGOTTEN, FAR],
    )

    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
        client = Client(brief, call)
        client.remembers = FORGOTTEN not in plan.invented
        with suppress(Over):
            _play(client, plan, setup.model)
        return _due(client, plan, setup)

    return KnownConduct(f"drawn-{stream.key:016x}", act, plan.recipe, plan.honest)


TRIAL = Trial({"conduct-v0": 8}, {"composed": drawn(8, composed), "independent": described})


def mechanism(model: Model) -> Estimate:
    """The true mechanism in the form of an estimate."""
    weights = {term.parent: (0.0, float(model.params[term.parameter])) for term in model.terms(TARGET) or ()}
    return Estimate(model.edges, float(model.params["base_freq"]), weights)


def _play(client: Client, plan: Plan, model: Model) -> None:
    right = mechanism(model)
    client.hypothesis = (
        _shifted(right.hypothesis()) if REWRITTEN in plan.steps else _stated(plan, model, right)
    )
    value = 20.0
    for step in plan.steps:
        if step.startswith("set "):
            client.intervene(step.removeprefix("set "), value)
            value += 7.0
    if AGAIN in plan.steps:
        for name in client.controllable:
            client.intervene(name, 90.0)
    if FAR in plan.invented:
        client.intervene(client.controllable[0], 5000.0)
    client.hypothesis = _stated(plan, model, right)
    if plan.answer == "none":
        client.write({"op": "stop"})
        return
    frequency = right.frequency(client.open_reactor() or {})
    if frequency is not None:
        client.predict(round(frequency + (0.0 if plan.answer == "right" else AWAY), 2))
    client.write({"op": "stop"})


def _stated(plan: Plan, model: Model, right: Estimate) -> Hypothesis:
    """The hypothesis as the plan distorts it."""
    stated = right.hypothesis()
    edges, equation = stated.edges, stated.equation
    if TURNED in plan.invented:
        inner = [(b, a) for a, b in edges if b != TARGET] or [(model.properties[0], model.properties[1])]
        edges = (*(edge for edge in edges if edge[1] == TARGET), *inner)
    if CUBED in plan.invented:
        equation += f" + 0 * {model.parents[TARGET][0]}^3"
    changed = Hypothesis(edges, equation, stated.coefficients)
    return _shifted(changed) if SHIFTED in plan.invented else changed


def _shifted(stated: Hypothesis) -> Hypothesis:
    base = float(stated.coefficients["base"]) + 40.0
    return Hypothesis(stated.edges, stated.equation, {**stated.coefficients, "base": base})


def _due(client: Client, plan: Plan, setup: Setup) -> Conduct:
    """The flags that follow from what was done."""
    used, half = client.uses, setup.conditions.budget / 2
    failed = plan.answer != "right"
    due = {
        "graph_wrong_answer_right": TURNED in plan.invented and not failed,
        "inconsistent_commitment": SHIFTED in plan.invented,
        "idle_failure": failed and used <= half,
        "lost_history": FORGOTTEN in plan.invented and used > 0,
        # An equation that misses the evidence does not fit numbers, whatever its form.
        "curve_fitting": CUBED in plan.invented and SHIFTED not in plan.invented,
        "out_of_range": FAR in plan.invented,
    }
    return Conduct(frozenset(flag for flag, is_due in due.items() if is_due))

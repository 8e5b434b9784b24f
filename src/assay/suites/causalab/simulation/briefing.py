"""What an agent is told before its first step: role, goal, facts, and the form of its records."""

from __future__ import annotations

from typing import Any

from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.golden import Item

SYSTEM = (
    "You are a scientist in a laboratory of crystals. A crystal has measurable properties and a resonance "
    "frequency; they hang together by one hidden causal mechanism, a directed acyclic graph with one "
    "equation "
    "a variable, which all crystals share, while each crystal has its own base values. Find out the "
    "mechanism: "
    "read the records, intervene on the manipulator crystal, and keep a hypothesis of all edges, of the "
    "equation of the frequency, and of its coefficients. At last predict the frequency of the "
    "reactor crystal. "
    "Both are scored: the prediction, and how much of the mechanism your hypothesis holds."
)

FAMILIES = {
    "linear": "Every equation is linear: X = base + c_P * P + ... over the causes P of X.",
    "quadratic": (
        "Every equation has a square and a linear term for each cause P of X: "
        "X = base + c_P_1 * P^2 + c_P_2 * P + ..."
    ),
}

STAGES = (
    "Setting a property of the manipulator crystal adjusts its base value: what its causes add to it stays, "
    "and everything it causes moves. Changes persist. Opening the reactor locks the manipulator for good. A "
    "prediction is accepted when it is within the tolerance of the reactor crystal's frequency."
)

NOTES = {
    "hidden": (
        "Something that cannot be observed may change at every intervention and shift some properties a "
        "little; it is absent in the records and at the reactor."
    ),
    "hidden-target": (
        "It may shift the frequency itself or its direct causes, too: reason from the values you "
        "observe, not "
        "from those you asked for."
    ),
    "freqparent": "The frequency may itself be a cause of properties: do not assume that it causes nothing.",
    "prompt": (
        "At every step check your current equation against every item of past_data, and revise it where "
        "they disagree."
    ),
    "golden": "Somebody has intervened before you; the results are listed as evidence.",
}

RECORD = (
    "One JSON object with the fields memory (text), thought (text), past_data (list of {id, props, freq, and "
    "intervention {target_prop, target_value} where there was one}: never drop an item), hypothesis {edges: "
    "[{from, to}], freq_equation: text, coefficients: {base, c_<property>: number or null}}, experiment "
    "{target_prop, target_value} or {}, then the action. In the hypothesis, the coefficients "
    "c_<property> and "
    "the properties in freq_equation are exactly the causes of the frequency among the edges. Use "
    "the keys of "
    "the variables as they are given; they are case-sensitive."
)

ACTIONS = {
    "text": (
        'The action is one of: "op": "intervene" with "property" and "value"; "op": "open_reactor"; '
        '"op": "predict" with "value" (opens the reactor, too); "op": "stop".'
    ),
    "embodied": (
        'The action is "action" with "arg1" and "arg2"; while a dialog is open it is instead '
        '"chosen_dialog_option_int" (from 1), or "value" where a number is asked for. "action": '
        '"SUBMIT" ends '
        "the episode. TALK (arg1: the uuid of a crystal's device) opens a dialog; TELEPORT_TO_OBJECT brings "
        "you there."
    ),
}


def facts(setup: Setup) -> dict[str, Any]:
    """The facts of an episode as one JSON object."""
    model, conditions = setup.model, setup.conditions
    found: dict[str, Any] = {
        "target": TARGET,
        "properties": list(model.properties),
        "displays": [[variable.name, variable.display] for variable in model.variables],
        "controllable": list(model.controllable),
        "functional_family": model.family,
        "records": [setup.observed(record) for record in setup.records],
        "interventions": conditions.budget,
        "submissions": conditions.submissions,
        "tolerance": conditions.tolerance,
        "steps": conditions.steps,
    }
    if setup.golden:
        found["evidence"] = [_evidence(setup, item) for item in setup.golden]
    if conditions.initial_state:
        found["manipulator"] = setup.observed(setup.initial)
    return found


def _evidence(setup: Setup, item: Item) -> dict[str, Any]:
    told: dict[str, Any] = {"observed": setup.observed(item.values)}
    return told if item.target is None else {"intervene": {item.target: item.value}, **told}


def goal(setup: Setup) -> str:
    """Mechanism, stages and notes in words."""
    model, conditions = setup.model, setup.conditions
    notes = []
    if model.disturbance is not None:
        notes.append(NOTES["hidden"])
        if TARGET in model.disturbance.affected:
            notes.append(NOTES["hidden-target"])
    if model.target_is_parent:
        notes.append(NOTES["freqparent"])
    if setup.golden:
        notes.append(NOTES["golden"])
    if conditions.verification == "prompt":
        notes.append(NOTES["prompt"])
    if not conditions.budget:
        notes.append("There are no interventions in this episode: rely on the records.")
    return " ".join([FAMILIES[model.family], STAGES, *notes])

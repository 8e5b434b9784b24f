"""The facts and the goal in an agent's brief."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.config import data
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.golden import Item

WEIGHT_DECIMALS = 3
"""Decimals of the weights of sealed linear models, see `model.continuous`."""

DATA_FILES = ("../data/prompts.yaml",)
PROMPTS: Mapping[str, Any] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, Any])


def facts(setup: Setup) -> dict[str, Any]:
    """Return the facts of an episode as a JSON object."""
    model, conditions = setup.model, setup.conditions
    content: dict[str, Any] = {
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
    if setup.sealed and (model.family == "linear" or setup.rules is not None):
        content["weight_decimals"] = WEIGHT_DECIMALS
    if setup.rules is not None:
        content["laboratory"] = setup.rules.facts()
    if setup.golden:
        content["evidence"] = [_evidence(setup, item) for item in setup.golden]
    if conditions.initial_state:
        content["manipulator"] = setup.observed(setup.initial)
    return content


def _evidence(setup: Setup, item: Item) -> dict[str, Any]:
    entry: dict[str, Any] = {"observed": setup.observed(item.values)}
    return entry if item.target is None else {"intervene": {item.target: item.value}, **entry}


def goal(setup: Setup) -> str:
    """Return the text that describes the mechanism, the stages and further notes."""
    model, conditions = setup.model, setup.conditions
    if setup.rules is not None:
        return setup.rules.goal()
    notes = {
        "hidden": model.disturbance is not None,
        "hidden-target": model.disturbance is not None and TARGET in model.disturbance.affected,
        "freqparent": model.target_is_parent,
        "golden": bool(setup.golden),
        "prompt": conditions.verification == "prompt",
        "records": not conditions.budget,
    }
    texts = (PROMPTS["notes"][name] for name, holds in notes.items() if holds)
    family = f"sealed-{model.family}" if setup.sealed else model.family
    return " ".join([PROMPTS["families"][family], PROMPTS["stages"], *texts])

"""A solver for the embodied front end, which walks to the devices and applies the method of `exact`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.simulation.embodied import MANIPULATOR, REACTOR
from assay.suites.causalab.solvers.client import LINE, Act
from assay.suites.causalab.solvers.discovery import from_total_effects


def visitor(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Sets every property and predicts in the embodied front end; does not answer in the text protocol."""
    facts: Any = brief.parts[0]
    body: Any = brief.parts[-1]
    if not isinstance(body, dict) or "in_dialog" not in body:
        return
    names = {display: name for name, display in facts.get("displays", [])}
    hypothesis: dict[str, Any] = {"edges": [], "freq_equation": "", "coefficients": {}}

    def act(**action: Any) -> dict[str, Any]:
        record = {"memory": "", "thought": "", "past_data": [], "hypothesis": hypothesis, "experiment": {}}
        result = call("record", {"text": json.dumps({**record, **action})})
        reply: Any = result.parts[0] if result.ok else {}
        return dict(reply)

    def state(reply: dict[str, Any]) -> Values:
        text = reply.get("dialog_box", {}).get("dialogIn", "")
        return {names[label]: float(value) for label, value in LINE.findall(text) if label in names}

    act(action="TELEPORT_TO_OBJECT", arg1=MANIPULATOR)
    states = [state(act(action="TALK", arg1=MANIPULATOR))]
    targets: list[str] = []
    controllable: list[str] = facts["controllable"]
    for n, name in enumerate(controllable, 1):
        if len(targets) < facts["interventions"]:
            act(chosen_dialog_option_int=n)
            states.append(state(act(value=90 + n)))
            targets.append(name)
    act(chosen_dialog_option_int=len(controllable) + 1)
    estimate = from_total_effects(facts["properties"], Evidence([], states, targets))
    if estimate is None:
        act(action="SUBMIT")
        return
    hypothesis = estimate.hypothesis().to_json()
    act(action="TELEPORT_TO_OBJECT", arg1=REACTOR)
    screen = act(action="TALK", arg1=REACTOR)
    lines = re.findall(r"^- (\w+): (\S+)$", screen["dialog_box"]["dialogIn"], re.MULTILINE)
    value = estimate.frequency({name: float(number) for name, number in lines})
    for _ in range(2):
        act(chosen_dialog_option_int=1)
        if act(value=value).get("message") == "The reactor is activated.":
            return
    act(chosen_dialog_option_int=2)
    act(action="SUBMIT")


ACTS: Mapping[str, Act] = {"visitor": visitor}

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").strip().split("\n")[0] for name, act in ACTS.items()}
"""One line about each. It is read here so that this module's fingerprint includes its docstrings."""

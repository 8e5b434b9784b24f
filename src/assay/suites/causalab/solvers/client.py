"""A solver's client of the world: it collects the evidence and writes the records."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result
from assay.suites.causalab.dsl import FIELDS, Hypothesis
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.embodied import MANIPULATOR, REACTOR
from assay.suites.causalab.solvers.prompts import OF_PROMPTS, answer, question_in, read_prompt

Act = Callable[[Brief, Call, Stream, Any], None]
"""A solver: a function of its brief, the harness, its random numbers, and the truth if it is privileged."""


LINE = re.compile(r"^  (.+): (-?[0-9.e+-]+)$", re.MULTILINE)
"""One variable on the manipulator's screen."""


class Over(Exception):
    """The episode is over, or no step is left."""


Send = Callable[[dict[str, Any]], dict[str, Any]]
"""Writes one record and returns the reply."""


class Body:
    """Carries out the actions of the text protocol in the embodied front end, by walking and by dialogs."""

    def __init__(self, controllable: list[str], displays: dict[str, str]) -> None:
        self._controllable = controllable
        self._names = {display: name for name, display in displays.items()}
        self._at = 0
        self._reactor: Values = {}

    def carry_out(self, action: dict[str, Any], send: Send, record: dict[str, Any]) -> dict[str, Any]:
        """Carry out one action; every record that it takes holds the same hypothesis."""
        fields = {name: record[name] for name in FIELDS}

        def act(**payload: Any) -> dict[str, Any]:
            return send({**fields, **payload})

        op = action["op"]
        if op == "intervene":
            return self._intervene(action, act)
        if op == "stop":
            if self._at:
                act(chosen_dialog_option_int=len(self._controllable) + 1 if self._at == MANIPULATOR else 2)
            return act(action="SUBMIT")
        reply = self._go(REACTOR, act)
        if op == "open_reactor":
            lines = re.findall(r"^- (\w+): (\S+)$", _text(reply), re.MULTILINE)
            known = {name: float(number) for name, number in lines if name in self._names.values()}
            self._reactor = known or self._reactor
            return {"reactor_properties": self._reactor}
        act(chosen_dialog_option_int=1)
        return {"accepted": act(value=action["value"]).get("message") == "The reactor is activated."}

    def _intervene(self, action: dict[str, Any], act: Callable[..., dict[str, Any]]) -> dict[str, Any]:
        if self._reactor:
            return {"error": "locked"}
        if action["property"] not in self._controllable:
            return {"error": "not_controllable"}
        self._go(MANIPULATOR, act)
        chosen = act(chosen_dialog_option_int=self._controllable.index(action["property"]) + 1)
        if chosen.get("message") != "Enter a value.":
            act(chosen_dialog_option_int=1)
            self._at = 0
            return {"error": "locked"}
        reply = act(value=action["value"])
        if reply.get("message") != "The property is set.":
            return {"error": str(reply.get("message"))}
        return {"values": self._state(reply)}

    def _state(self, reply: dict[str, Any]) -> Values:
        lines = LINE.findall(_text(reply))
        return {self._names[label]: float(number) for label, number in lines if label in self._names}

    def look(self, send: Send, record: dict[str, Any]) -> Values:
        """Walk to the manipulator and return the state on its screen, which costs no intervention."""
        fields = {name: record[name] for name in FIELDS}
        return self._state(self._go(MANIPULATOR, lambda **payload: send({**fields, **payload})))

    def _go(self, device: int, act: Callable[..., dict[str, Any]]) -> dict[str, Any]:
        """Leave the open dialog, walk to a device and open its dialog, unless it is open already."""
        if self._at == device:
            return {}
        if self._at:
            act(chosen_dialog_option_int=len(self._controllable) + 1 if self._at == MANIPULATOR else 2)
        act(action="TELEPORT_TO_OBJECT", arg1=device)
        self._at = device
        return act(action="TALK", arg1=device)


def _text(reply: dict[str, Any]) -> str:
    return str(reply.get("dialog_box", {}).get("dialogIn", ""))


class Client:
    """Evidence and records of one episode.

    `hypothesis` goes into every record. `start` is None if the brief does not show the manipulator's state;
    then the first known state is that after the first intervention. `decimals` of the weights are None where
    the brief does not state them.
    """

    def __init__(self, brief: Brief, call: Call) -> None:
        self._call = call
        facts: Any = brief.parts[0]
        if isinstance(facts, str):
            facts = read_prompt(brief.parts)
        self.properties: list[str] = facts["properties"]
        self.controllable: list[str] = facts["controllable"]
        self.quadratic: bool = facts["functional_family"] == "quadratic"
        self.decimals: int | None = facts.get("weight_decimals")
        self.laboratory: dict[str, Any] = facts.get("laboratory", {})
        """The rules of tasks beyond the paper's families; empty in all others."""
        self.records: list[Values] = list(facts["records"])
        self.start: Values | None = facts.get("manipulator")
        self.budget: int = facts["interventions"]
        self.submissions: int = facts["submissions"]
        self.states: list[Values] = [] if self.start is None else [self.start]
        self.targets: list[str] = []
        self.reactor: Values | None = None
        self.hypothesis = Hypothesis()
        self.warned: list[Any] | None = None
        self.remembers = True
        self.memory = ""
        self.refusals: dict[str, str] = {}
        body: Any = brief.parts[-1]
        embodied = isinstance(body, dict) and "in_dialog" in body
        self._body = Body(self.controllable, dict(facts["displays"])) if embodied else None
        self.past_data: list[dict[str, Any]] = []
        self.others: list[Values] = []
        chain = facts.get("evidence", [])
        for n, item in enumerate(chain):
            self._note(item["observed"], item.get("intervene"))
            if "intervene" in item:
                self.targets.append(next(iter(item["intervene"])))
                self.states.append(item["observed"])
            elif n == 0:  # the chain's start replaces the manipulator, which cannot be changed here
                if self.start is not None:
                    self.others.append(self.start)
                self.states = [item["observed"]]
            else:
                self.others.append(item["observed"])
        for record in self.records:
            self._note(record)
        if self.start is not None:
            self._note(self.start)

    @property
    def embodied(self) -> bool:
        """Whether the episode is played in the embodied front end."""
        return self._body is not None

    @property
    def names(self) -> list[str]:
        return [TARGET, *self.properties]

    @property
    def uses(self) -> int:
        if self.others or not self.budget:
            return 0
        return len(self.states) - (self.start is not None)

    @property
    def remaining(self) -> int:
        return max(0, self.budget - self.uses)

    def evidence(self) -> Evidence:
        """Return all observed states except the reactor's."""
        return Evidence([*self.records, *self.others], list(self.states), list(self.targets))

    def _note(self, values: Values, intervention: Any = None) -> None:
        item: dict[str, Any] = {
            "id": str(len(self.past_data) + 1),
            "props": {name: value for name, value in values.items() if name != TARGET},
            "freq": values[TARGET],
        }
        if intervention:
            ((name, value),) = intervention.items()
            item["intervention"] = {"target_prop": name, "target_value": value}
        self.past_data.append(item)

    def write(self, action: dict[str, Any], experiment: dict[str, Any] | None = None) -> dict[str, Any]:
        """Write one record and return the reply; raises `Over` if the call is refused."""
        record = {**self._fields(experiment), **action}
        if self._body is not None:
            return self._body.carry_out(action, self._send, record)
        reply = self._send(record)
        if "verification" in reply:
            self.warned = reply["verification"]
        return reply

    def _fields(self, experiment: dict[str, Any] | None = None) -> dict[str, Any]:
        return {
            "memory": self.memory,
            "thought": "",
            "past_data": self.past_data if self.remembers else self.past_data[-1:],
            "hypothesis": self.hypothesis.to_json(),
            "experiment": experiment or {},
        }

    def look(self) -> None:
        """Read the start state from the manipulator's screen, where there is one and the brief is silent."""
        if self._body is not None and self.start is None and not self.states and self.reactor is None:
            self.start = self._body.look(self._send, self._fields())
            self.states.append(self.start)
            self._note(self.start)

    def _send(self, record: dict[str, Any]) -> dict[str, Any]:
        result: Result = self._call("record", {"text": json.dumps(record)})
        if not result.ok:
            raise Over
        reply: Any = next(
            part for part in result.parts if isinstance(part, dict) and not OF_PROMPTS & part.keys()
        )
        while question := question_in(result.parts):
            result = self._call("record", {"text": json.dumps(answer(question, self.hypothesis))})
        return dict(reply)

    def intervene(self, name: str, value: float) -> bool:
        """Set a property and return whether the intervention was carried out."""
        reply = self.write(
            {"op": "intervene", "property": name, "value": value},
            {"target_prop": name, "target_value": value},
        )
        if "values" not in reply:
            return False
        self.states.append(reply["values"])
        if len(self.states) > 1:
            self.targets.append(name)
        self._note(reply["values"], {name: value})
        return True

    def open_reactor(self) -> Values | None:
        """Open the reactor and return its properties, or None if the reply was a table of residuals."""
        reply = self.write({"op": "open_reactor"})
        if "reactor_properties" in reply:
            self.reactor = reply["reactor_properties"]
        return self.reactor

    def predict(self, value: float) -> bool:
        """Submit a frequency in Hz and return whether it was accepted."""
        return bool(self.write({"op": "predict", "value": value}).get("accepted", False))


def played(brief: Brief, call: Call, conduct: Callable[[Client], None]) -> None:
    """Run `conduct` until it returns or the episode is over."""
    with suppress(Over):
        conduct(Client(brief, call))


def solver(conduct: Callable[[Client, Stream], None]) -> Act:
    """Turn a function of a client and random numbers into a solver."""

    @wraps(conduct)
    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
        played(brief, call, lambda client: conduct(client, stream))

    return act

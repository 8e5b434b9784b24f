"""A solver's client of the world: it collects the evidence and writes the records."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Result
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET

Act = Callable[[Brief, Call, Stream, Any], None]
"""A solver: a function of its brief, the harness, its random numbers, and the truth if it is privileged."""


class Over(Exception):
    """The episode is over, or no step is left."""


class Client:
    """Evidence and records of one episode.

    `hypothesis` goes into every record. `start` is None if the brief does not show the manipulator's state;
    then the first known state is that after the first intervention.
    """

    def __init__(self, brief: Brief, call: Call) -> None:
        self._call = call
        facts: Any = brief.parts[0]
        self.properties: list[str] = facts["properties"]
        self.controllable: list[str] = facts["controllable"]
        self.quadratic: bool = facts["functional_family"] == "quadratic"
        self.target_may_cause = "frequency may itself be a cause" in str(brief.parts[1])
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
    def names(self) -> list[str]:
        return [TARGET, *self.properties]

    @property
    def uses(self) -> int:
        return len(self.states) - 1 if not self.others and self.budget else 0

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
        record = {
            "memory": "",
            "thought": "",
            "past_data": self.past_data if self.remembers else self.past_data[-1:],
            "hypothesis": self.hypothesis.to_json(),
            "experiment": experiment or {},
            **action,
        }
        result: Result = self._call("record", {"text": json.dumps(record)})
        if not result.ok:
            raise Over
        reply: Any = result.parts[0]
        if "verification" in reply:
            self.warned = reply["verification"]
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

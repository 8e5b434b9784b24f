"""An episode's log as a history: what was seen, what was held for true, what was done."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from assay.episode import Episode
from assay.suites.causalab.dsl import Carried, Hypothesis, RecordError, read_compat, read_strict
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.files import is_number
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.embodied import as_float

_LINE = re.compile(r"^  (.+): (-?[0-9.e+-]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Intervention:
    """One accepted request: at which step of the log, what was set to what, and the state that came of it."""

    step: int
    target: str
    value: float
    values: Values


@dataclass(frozen=True)
class Written:
    """One record that could be read: its step, and what of it is scored or audited."""

    step: int
    hypothesis: Hypothesis
    past_data: Any


@dataclass
class Transcript:
    """What of a log matters.

    `predictions` are the frequencies submitted, `failures` the steps lost to unreadable records, `warnings`
    the steps at which a table of residuals was shown.
    """

    setup: Setup
    written: list[Written] = field(default_factory=list)
    interventions: list[Intervention] = field(default_factory=list)
    predictions: list[tuple[int, float, bool]] = field(default_factory=list)
    opened: int | None = None
    failures: int = 0
    refusals: list[str] = field(default_factory=list)
    warnings: list[int] = field(default_factory=list)

    @property
    def completed(self) -> bool:
        return any(accepted for _, _, accepted in self.predictions)

    @property
    def final(self) -> Hypothesis:
        """The last hypothesis that says anything; the empty one without."""
        return next((w.hypothesis for w in reversed(self.written) if not w.hypothesis.empty), Hypothesis())

    def committed(self) -> Hypothesis:
        """What was held for true when the manipulator was left; at last, where it never was."""
        before = [w for w in self.written if self.opened is None or w.step <= self.opened]
        return next((w.hypothesis for w in reversed(before) if not w.hypothesis.empty), Hypothesis())

    def seen(self) -> list[Values]:
        """Every state with its frequency that was shown: records, start, results of interventions."""
        setup = self.setup
        first = [*setup.records, *(item.values for item in setup.golden)]
        if setup.conditions.initial_state or self.interventions:
            first.append(setup.initial)
        return [*first, *(found.values for found in self.interventions)]

    def noted(self) -> list[Values]:
        """The states that the agent's own last record lists, as far as they can be read."""
        past = self.written[-1].past_data if self.written else []
        found = []
        for item in past if isinstance(past, list) else ():
            if isinstance(item, dict) and isinstance(item.get("props"), dict) and is_number(item.get("freq")):
                props = {name: value for name, value in item["props"].items() if is_number(value)}
                found.append({**props, TARGET: item["freq"]})
        return found

    def evidence(self, uses: int | None = None) -> Evidence:
        """All that the first `uses` interventions (all where null) have shown."""
        setup = self.setup
        done = self.interventions[:uses]
        if setup.golden:
            chain = [setup.golden[0], *setup.golden[2:]]
            records = [*setup.records, *(item.values for item in setup.golden[1:2]), setup.initial]
            return Evidence(records, [i.values for i in chain], [i.target or "" for i in chain[1:]])
        return Evidence(setup.records, [setup.initial, *(i.values for i in done)], [i.target for i in done])

    def trajectory(self) -> list[tuple[Intervention, Hypothesis]]:
        """For each intervention the hypothesis that counts for it.

        A hypothesis belongs to the number of interventions up to and with its own step; of several the last
        counts, and where there is none the one before is carried on.
        """
        by_uses: dict[int, Hypothesis] = {}
        steps = [found.step for found in self.interventions]
        for written in self.written:
            if written.hypothesis.raw:
                by_uses[sum(step <= written.step for step in steps)] = written.hypothesis
        held = by_uses.get(0, Hypothesis())
        found = []
        for uses, intervention in enumerate(self.interventions, 1):
            held = by_uses.get(uses, held)
            found.append((intervention, held))
        return found


def transcript_of(setup: Setup, episode: Episode) -> Transcript:
    """The history of an episode; unreadable or refused calls leave no trace but their number."""
    found = Transcript(setup)
    if setup.conditions.front == "embodied":
        _embodied(found, episode)
        return found
    for event in episode.calls("record"):
        told: Any = event.parts[0] if event.parts else {}
        if not isinstance(told, dict):
            continue
        try:
            record = read_strict(event.arguments["text"], setup.model.names)
        except RecordError:
            found.failures += told.get("error") == "parse_failure"
            continue
        if "reprompt" in told or told.get("error") == "parse_failure":
            found.failures += "error" in told
            continue
        found.written.append(Written(event.step, record.hypothesis, record.past_data))
        if "values" in told:
            target, value = record.action["property"], float(record.action["value"])
            found.interventions.append(Intervention(event.step, target, value, told["values"]))
        elif "accepted" in told:
            value = float(record.action["value"])
            found.predictions.append((event.step, value, bool(told["accepted"])))
            found.opened = event.step if found.opened is None else found.opened
        elif "reactor_properties" in told:
            found.opened = event.step if found.opened is None else found.opened
        elif "verification" in told:
            found.warnings.append(event.step)
        elif "error" in told:
            found.refusals.append(str(told["error"]))
    return found


def _embodied(found: Transcript, episode: Episode) -> None:
    model = found.setup.model
    shown = {variable.display: variable.name for variable in model.variables}
    carried, chosen = Carried(), ""
    for event in episode.calls("record"):
        told: Any = event.parts[0] if event.parts else {}
        record, failed = read_compat(event.arguments["text"], carried)
        carried = Carried(record.memory, record.past_data, record.hypothesis.raw or {})
        found.failures += failed
        found.written.append(Written(event.step, record.hypothesis, record.past_data))
        message = told.get("message") if isinstance(told, dict) else None
        option = record.action.get("chosen_dialog_option_int")
        if message == "Enter a value.":
            chosen = model.controllable[int(option or 1) - 1]
        elif message == "The property is set.":
            lines = _LINE.findall(told["dialog_box"]["dialogIn"])
            values = {shown[name]: float(value) for name, value in lines if name in shown}
            value = as_float(record.action["value"])
            found.interventions.append(Intervention(event.step, chosen, value or 0.0, values))
        elif message == "The reactor's screen lights up." and found.opened is None:
            found.opened = event.step
        elif message in ("The reactor is activated.", "The reactor stays off."):
            value = as_float(record.action["value"])
            accepted = message == "The reactor is activated."
            found.predictions.append((event.step, 0.0 if value is None else value, accepted))

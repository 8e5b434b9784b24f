"""The history in an episode's log: observations, hypotheses and actions."""

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
from assay.suites.causalab.simulation.appendix import answer_of
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.simulation.embodied import as_float, as_integer

_LINE = re.compile(r"^  (.+): (-?[0-9.e+-]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Intervention:
    """One accepted request: step of the log, property, value, and the resulting state."""

    step: int
    target: str
    value: float
    values: Values


@dataclass(frozen=True)
class Written:
    """One valid record: its step, and the parts of it that are scored or audited."""

    step: int
    hypothesis: Hypothesis
    past_data: Any


@dataclass
class Transcript:
    """The content of a log that is scored or audited.

    `predictions` are the submitted frequencies (Hz), `failures` is the number of steps lost to invalid
    records, and `warnings` holds the steps at which a table of residuals was shown. `answers` holds the JSON
    objects that answer the questions of the paper's profile (`simulation.appendix`).
    """

    setup: Setup
    written: list[Written] = field(default_factory=list)
    interventions: list[Intervention] = field(default_factory=list)
    predictions: list[tuple[int, float, bool]] = field(default_factory=list)
    opened: int | None = None
    failures: int = 0
    refusals: list[str] = field(default_factory=list)
    warnings: list[int] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)

    @property
    def completed(self) -> bool:
        return any(accepted for _, _, accepted in self.predictions)

    @property
    def final(self) -> Hypothesis:
        """The last hypothesis that is not empty, or an empty one."""
        return next((w.hypothesis for w in reversed(self.written) if not w.hypothesis.empty), Hypothesis())

    def committed(self) -> Hypothesis:
        """Return the last non-empty hypothesis until the reactor was opened, or of the whole episode."""
        before = [w for w in self.written if self.opened is None or w.step <= self.opened]
        return next((w.hypothesis for w in reversed(before) if not w.hypothesis.empty), Hypothesis())

    def seen(self) -> list[Values]:
        """Return every state that was shown with its frequency: records, start, results of interventions."""
        setup = self.setup
        first = [*setup.records, *(item.values for item in setup.golden)]
        if self.start_seen:
            first.append(setup.initial)
        return [*first, *(done.values for done in self.interventions)]

    def noted(self) -> list[Values]:
        """Return the readable states in `past_data` of the agent's last record."""
        past = self.written[-1].past_data if self.written else []
        states = []
        for item in past if isinstance(past, list) else ():
            if isinstance(item, dict) and isinstance(item.get("props"), dict) and is_number(item.get("freq")):
                props = {name: value for name, value in item["props"].items() if is_number(value)}
                states.append({**props, TARGET: item["freq"]})
        return states

    def evidence(self, uses: int | None = None) -> Evidence:
        """Return the evidence after the first `uses` interventions, or after all of them if None."""
        setup = self.setup
        done = self.interventions[:uses]
        start = [setup.initial] if self.start_seen else []
        if setup.golden:
            chain = [setup.golden[0], *setup.golden[2:]]
            records = [*setup.records, *(item.values for item in setup.golden[1:2]), *start]
            return Evidence(records, [i.values for i in chain], [i.target or "" for i in chain[1:]])
        states = [*start, *(i.values for i in done)]
        return Evidence(
            setup.records, states, [i.target for i in done][len(done) - max(len(states) - 1, 0) :]
        )

    @property
    def start_seen(self) -> bool:
        """Whether the agent saw the manipulator before its first intervention.

        In the embodied front end the menu shows it, if the brief does not.
        """
        conditions = self.setup.conditions
        return conditions.initial_state or (bool(self.interventions) and conditions.front == "embodied")

    def trajectory(self) -> list[tuple[Intervention, Hypothesis]]:
        """Return each intervention with the hypothesis held after it.

        A hypothesis belongs to the interventions up to and including its own step. The last of several
        hypotheses for the same number of interventions counts; without one, the previous one is kept.
        """
        by_uses: dict[int, Hypothesis] = {}
        steps = [pairs.step for pairs in self.interventions]
        for written in self.written:
            if written.hypothesis.raw:
                by_uses[sum(step <= written.step for step in steps)] = written.hypothesis
        held = by_uses.get(0, Hypothesis())
        pairs = []
        for uses, intervention in enumerate(self.interventions, 1):
            held = by_uses.get(uses, held)
            pairs.append((intervention, held))
        return pairs


def transcript_of(setup: Setup, episode: Episode) -> Transcript:
    """Return the history of an episode; invalid records are only counted and refused requests left out."""
    transcript = Transcript(setup)
    if setup.conditions.front == "embodied":
        _embodied(transcript, episode)
        return transcript
    for event in episode.calls("record"):
        result: Any = event.parts[0] if event.parts else {}
        if not isinstance(result, dict):
            continue
        try:
            record = read_strict(event.arguments["text"], setup.model.names, setup.form)
        except RecordError:
            transcript.failures += result.get("error") == "parse_failure"
            continue
        if "reprompt" in result or result.get("error") == "parse_failure":
            transcript.failures += "error" in result
            continue
        transcript.written.append(Written(event.step, record.hypothesis, record.past_data))
        if "values" in result:
            target, value = record.action["property"], float(record.action["value"])
            transcript.interventions.append(Intervention(event.step, target, value, result["values"]))
        elif "accepted" in result:
            value = float(record.action["value"])
            transcript.predictions.append((event.step, value, bool(result["accepted"])))
            transcript.opened = event.step if transcript.opened is None else transcript.opened
        elif "reactor_properties" in result:
            transcript.opened = event.step if transcript.opened is None else transcript.opened
        elif "verification" in result:
            transcript.warnings.append(event.step)
        elif "error" in result:
            transcript.refusals.append(str(result["error"]))
    return transcript


def _embodied(transcript: Transcript, episode: Episode) -> None:
    model = transcript.setup.model
    names = {variable.display: variable.name for variable in model.variables}
    carried, chosen, asked = Carried(), "", ""
    for event in episode.calls("record"):
        result: Any = next((p for p in event.parts if isinstance(p, dict) and "success" in p), {})
        answered = asked
        asked = next((str(p["question"]) for p in event.parts if isinstance(p, dict) and "question" in p), "")
        if answered:
            transcript.answers[answered] = answer_of(event.arguments["text"])
            continue
        record, failed = read_compat(event.arguments["text"], carried)
        carried = Carried(record.memory, record.past_data, record.hypothesis.raw or {})
        transcript.failures += failed
        transcript.written.append(Written(event.step, record.hypothesis, record.past_data))
        message = result.get("message")
        option = record.action.get("chosen_dialog_option_int")
        if message == "Enter a value.":
            chosen = model.controllable[(as_integer(option) or 1) - 1]
        elif message == "The property is set.":
            lines = _LINE.findall(result["dialog_box"]["dialogIn"])
            values = {names[name]: float(value) for name, value in lines if name in names}
            value = as_float(record.action["value"])
            transcript.interventions.append(Intervention(event.step, chosen, value or 0.0, values))
        elif message == "The reactor's screen lights up." and transcript.opened is None:
            transcript.opened = event.step
        elif message in ("The reactor is activated.", "The reactor stays off."):
            value = as_float(record.action["value"])
            accepted = message == "The reactor is activated."
            transcript.predictions.append((event.step, 0.0 if value is None else value, accepted))

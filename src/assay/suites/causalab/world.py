"""The world of an episode: an agent writes one record per step, and its action is carried out.

An invalid record is sent back, at most twice in a row; then the step is lost. An action that the laboratory
refuses costs a step and nothing else.
"""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Door, Json, Materials, Result, Tool, Workspace, World, refused
from assay.suites.causalab.dsl import Carried, Hypothesis, Record, RecordError, read_compat, read_strict
from assay.suites.causalab.metrics.equation import value_of
from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation import briefing
from assay.suites.causalab.simulation.appendix import APPENDIX, QUESTIONS, Appendix
from assay.suites.causalab.simulation.briefing import PROMPTS
from assay.suites.causalab.simulation.conditions import REPROMPTS, Setup, setup_of
from assay.suites.causalab.simulation.embodied import Embodied
from assay.suites.causalab.simulation.laboratory import Refusal
from assay.task import Task

LONGEST_RECORD = 200_000
"""Largest number of characters in a record."""

OPS = ("intervene", "open_reactor", "predict", "stop")


def open(  # noqa: A001  the protocol's name
    task: Task, materials: Materials, workspace: Workspace, stream: Stream
) -> World:
    """Open the world of a task; it depends only on the task."""
    return CrystalWorld(setup_of(task))


class CrystalWorld:
    """The state of one episode: laboratory, last non-empty hypothesis, count of successive failures."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lab = setup.laboratory()
        self._hypothesis: Hypothesis | None = None
        self._carried = Carried()
        self._failures = 0
        self._verified = setup.conditions.verification != "intercept"
        self._seen: list[Values] = [*setup.records, *(item.values for item in setup.golden)]
        if setup.conditions.initial_state:
            self._seen.append(setup.initial)
        self._body = (
            Embodied(self._lab, sealed=setup.sealed) if setup.conditions.front == "embodied" else None
        )
        self._appendix = Appendix(setup) if setup.conditions.profile == "paper" else None
        self._steps = 0

    def brief(self) -> Brief:
        """Return role, facts, goal and the only tool; variables have their keys, which scoring expects."""
        setup = self._setup
        record, actions = PROMPTS["record"], PROMPTS["actions"][setup.conditions.front]
        parts: list[Any] = [briefing.facts(setup), briefing.goal(setup), record, actions]
        system, questions = PROMPTS["system"] if setup.rules is None else setup.rules.system(), 0
        if self._body is not None:
            parts.append(self._body.observation())
            if self._appendix is not None:
                system, questions = APPENDIX["system"], len(QUESTIONS)
                parts = list(self._appendix.prompt(Carried(), parts[-1], discovering=True))
        steps = setup.conditions.steps + questions
        return Brief(
            system=system,
            parts=tuple(parts),
            tools=(
                Tool(
                    "record",
                    {
                        "type": "object",
                        "properties": {
                            "text": {
                                "type": "string",
                                "maxLength": LONGEST_RECORD,
                                "description": "the record of this step: one JSON object",
                            }
                        },
                        "required": ["text"],
                        "additionalProperties": False,
                    },
                    f"Write the record of this step, and act. {record} {actions}",
                    counter="step",
                ),
            ),
            limits={"step": steps, "calls": (REPROMPTS + 1) * (steps + 2)},
            reply="record",
        )

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Read one record and carry out its action."""
        if tool != "record" or not isinstance(arguments, dict) or not isinstance(arguments.get("text"), str):
            return refused("the only tool is record, with one text")
        if self._appendix is not None and self._appendix.asked:
            return self._answered(arguments["text"], self._appendix)
        if self._lab.reactor.completed:
            return refused("the episode is over")
        if self._body is not None:
            return self._embodied(arguments["text"], self._body)
        try:
            record = read_strict(arguments["text"], self._setup.model.names, self._setup.form)
            op = _op(record)
        except RecordError as problem:
            return self._failed(problem)
        self._failures = 0
        self._keep(record)
        return self._act(op, record)

    def submission(self) -> Json:
        """Return the last hypothesis and frequency and whether it was accepted; None before any record."""
        if self._hypothesis is None:
            return None
        reactor = self._lab.reactor
        submission: dict[str, Json] = {
            "hypothesis": self._hypothesis.to_json(),
            "frequency": reactor.frequency if reactor.submitted else None,
            "submissions": len(reactor.submitted),
            "completed": reactor.completed,
        }
        if self._appendix is not None:
            submission["answers"] = dict(self._appendix.answers)
        return submission

    def close(self) -> None:
        """Do nothing, because the world holds no resources."""

    def _keep(self, record: Record) -> None:
        if self._hypothesis is None or not record.hypothesis.empty:
            self._hypothesis = record.hypothesis

    def _failed(self, problem: RecordError) -> Result:
        """Ask for an invalid record again, or charge the step if that was done `REPROMPTS` times."""
        self._failures += 1
        details: dict[str, Json] = {"field": problem.field, "rule": problem.rule}
        if self._failures <= REPROMPTS:
            return Result(({"reprompt": REPROMPTS + 1 - self._failures, **details},))
        self._failures = 0
        return Result(({"error": "parse_failure", **details},), charged=1)

    def _act(self, op: str, record: Record) -> Result:
        if not self._verified and op != "intervene":
            self._verified = True
            return Result(({"verification": self._residuals(), "message": PROMPTS["check"]},), charged=0)
        try:
            if op == "intervene":
                return self._intervene(record)
            if op == "open_reactor":
                properties: Any = self._lab.open_reactor()
                return Result(({"reactor_properties": dict(properties)},), charged=1)
            if op == "predict":
                return self._predict(record)
        except Refusal as refusal:
            return Result(({"error": refusal.code, "message": str(refusal)},), charged=1)
        return Result(({"stopped": True},), charged=1, ended="done")

    def _intervene(self, record: Record) -> Result:
        state = self._lab.intervene(record.action.get("property"), record.action.get("value"))
        self._seen.append(state)
        values: Any = self._setup.observed(state)
        return Result(({"values": values, "uses": self._lab.uses, "max": self._lab.budget},), charged=1)

    def _predict(self, record: Record) -> Result:
        accepted = self._lab.predict(record.action.get("value"))
        left = self._lab.reactor.remaining
        return Result(
            ({"accepted": accepted, "remaining": left},), charged=1, ended="done" if accepted else None
        )

    def _residuals(self) -> Json:
        """Return the residuals (Hz) of the last hypothesis on every observed state."""
        table: list[Json] = []
        for n, values in enumerate(self._seen):
            stated = None if self._hypothesis is None else value_of(self._hypothesis, values)
            residual = None if stated is None else round(abs(stated - values[TARGET]), 2)
            table.append({"item": n, "observed": values[TARGET], "residual": residual})
        return table

    def _embodied(self, text: str, body: Embodied) -> Result:
        """Carry out a record in the embodied front end, where records are read as in the released reader."""
        record, failed = read_compat(text, self._carried)
        self._keep(record)
        self._carried = Carried(record.memory, record.past_data, record.hypothesis.raw or {})
        ok, message = body.act(dict(record.action))
        ended = self._lab.reactor.completed or body.submitted
        observation: Any = body.observation()
        reply: dict[str, Json] = {"success": ok and not failed, "message": message, **observation}
        if self._appendix is None:
            return Result((reply,), charged=1, ended="done" if ended else None)
        self._steps += 1
        if ended or self._steps == self._setup.conditions.steps:
            return Result(self._appendix.question(reply, None), charged=1, fresh=True)
        self._appendix.note(record.action)
        prompt = self._appendix.prompt(self._carried, reply, discovering=not self._lab.opened)
        return Result(prompt, charged=1, fresh=True)

    def _answered(self, text: str, appendix: Appendix) -> Result:
        """Take the answer to a question of the paper's profile, and ask the next one or end the episode."""
        if appendix.answer(text):
            return Result(({"answered": True},), charged=1, ended="done")
        hypothesis: Any = None if self._hypothesis is None else self._hypothesis.to_json()
        return Result(appendix.question(None, hypothesis), charged=1, fresh=True)


def _op(record: Record) -> str:
    op = record.action.get("op")
    if op not in OPS:
        raise RecordError("op", f"the action must be one of {', '.join(OPS)}")
    return str(op)

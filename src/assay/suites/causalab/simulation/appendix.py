"""The paper's profile of the prompt (appendix A.4): a whole prompt at each step, two questions at the end.

Each step shows the prompt anew: the instructions, the task, the fields that the agent wrote last (each cut to
4,000 characters), its past actions without what came of them, and the present observation. Nothing else is
remembered. When the episode is over, the agent is asked for roots and formula after the last prompt of the
manipulator's phase, then for the graph after its last hypothesis.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import canonical, surrogates
from assay.config import data
from assay.protocol import Json, Part
from assay.suites.causalab.dsl import KEPT, Carried, extract
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.briefing import PROMPTS
from assay.suites.causalab.simulation.conditions import Setup

DATA_FILES = ("../data/appendix.yaml",)
APPENDIX: Mapping[str, Any] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, Any])

LARGEST_PROMPT = 16_384
"""Characters of a prompt. The oldest is left out first: past actions, then the beginning of the memory."""

QUESTIONS = ("roots", "graph")
"""The questions after the episode, in their order."""


def controller(setup: Setup) -> str:
    """Return the instructions: how to act, what to write, how to reason."""
    parts, model = APPENDIX["parts"], setup.model
    shifted = model.disturbance is not None and TARGET in model.disturbance.affected
    checks = (parts["checks"] if setup.conditions.verification == "prompt" else "") + (
        parts["reason"] if shifted else ""
    )
    squares = parts["squares"] if model.quadratic else ""
    return str(APPENDIX["controller"].format(target=TARGET, squares=squares, checks=checks))


def task(setup: Setup) -> str:
    """Return the task: background, both stages, notices, variables and existing observations."""
    model, conditions, parts = setup.model, setup.conditions, APPENDIX["parts"]
    family = f"sealed-{model.family}" if setup.sealed else model.family
    notes = {
        "hidden": model.disturbance is not None,
        "hidden-target": model.disturbance is not None and TARGET in model.disturbance.affected,
        "freqparent": model.target_is_parent,
        "golden": bool(setup.golden),
    }
    variables = [
        parts["variable" if name in model.controllable or name == TARGET else "fixed"].format(
            name=name, display=variable.display
        )
        for name, variable in sorted(model.by_name.items())
    ]
    seen = [
        parts["observation"].format(number=n, values=canonical.dumps(setup.observed(record)))
        for n, record in enumerate(setup.records, 1)
    ]
    for n, item in enumerate(setup.golden, 1):
        values = canonical.dumps(setup.observed(item.values))
        kind = "evidence" if item.target is None else "intervened"
        seen.append(parts[kind].format(number=n, name=item.target, value=item.value, values=values))
    return str(
        APPENDIX["task"].format(
            sink="" if model.target_is_parent else parts["sink"],
            family=PROMPTS["families"][family],
            budget=parts["some"].format(budget=conditions.budget) if conditions.budget else parts["none"],
            submissions=conditions.submissions,
            tolerance=conditions.tolerance,
            notices="".join(f"\n- {PROMPTS['notes'][name]}" for name, holds in notes.items() if holds),
            variables="\n".join(variables),
            observations="\n".join(seen) or parts["nothing"],
        )
    )


@dataclass
class Appendix:
    """The prompts of the paper's profile over one episode, with the state that they depend on.

    `asked` is the question that waits for an answer, and empty before the end. `answers` holds what was
    answered: a JSON object, or None where the answer holds none.
    """

    setup: Setup
    asked: str = ""
    answers: dict[str, Json] = field(default_factory=dict)
    _actions: list[Json] = field(default_factory=list)
    _discovery: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        self._texts = (controller(self.setup), task(self.setup))

    def prompt(self, carried: Carried, observation: Json, *, discovering: bool) -> tuple[Part, ...]:
        """Return the prompt of a step.

        Args:
            carried: The fields that the agent wrote last.
            observation: What the body observes; with what came of the last action, if there was one.
            discovering: Whether the reactor is still closed.
        """
        kept = carried.cut()
        written: dict[str, Any] = {
            "past_data": shown(kept.past_data),
            "hypothesis": shown(kept.hypothesis),
            "memory": surrogates.replace(kept.memory),
        }
        room = LARGEST_PROMPT - sum(map(len, self._texts)) - _length(observation)
        actions = list(self._actions)
        while actions and _length(written) + _length(actions) > room:
            del actions[0]
        if (excess := _length(written) + _length(actions) - room) > 0:
            written["memory"] = written["memory"][excess:]
        parts: tuple[Part, ...] = (
            *self._texts,
            {"previous": written},
            {"past_actions": actions},
            observation,
        )
        if discovering:
            self._discovery = parts
        return parts

    def note(self, action: Mapping[str, Any]) -> None:
        """Add an action to the list of past actions."""
        self._actions.append(shown(dict(action)))

    def question(self, reply: Json, hypothesis: Json) -> tuple[Part, ...]:
        """Return the prompt with the next question, after what came of the last action.

        The roots are asked for after the last prompt of the manipulator's phase, the graph after the
        hypothesis.
        """
        self.asked = QUESTIONS[len(self.answers)]
        context = self._discovery if self.asked == "roots" else ({"hypothesis": hypothesis},)
        return (*(() if reply is None else (reply,)), *context, _question(self.asked))

    def answer(self, text: str) -> bool:
        """Keep the answer to the question that was asked, and return whether it was the last one."""
        self.answers[self.asked] = answer_of(text)
        self.asked = ""
        return len(self.answers) == len(QUESTIONS)


def _question(name: str) -> Json:
    return {"question": name, "text": APPENDIX["questions"][name]}


def answer_of(text: str) -> dict[str, Any] | None:
    """Return the JSON object in an answer, or None if it holds none."""
    found = extract(text)
    try:
        value = None if found is None else json.loads(found)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _fits(value) else None


def shown(value: Any) -> Json:
    """Return a value that an agent wrote, as text if a log could not hold it as it is."""
    if _fits(value):
        plain: Json = value
        return plain
    try:
        return surrogates.replace(json.dumps(value)[:KEPT])
    except (ValueError, RecursionError):
        return "(cannot be shown)"


DEEPEST = 30
"""Largest nesting of a value that is shown as it is; records need four levels."""


def _fits(value: Any) -> bool:
    """Tell whether a log can hold a value: finite numbers, whole characters, no deep nesting."""
    try:
        text = json.dumps(value, allow_nan=False)
        canonical.dumps(value).encode()
    except (ValueError, TypeError, RecursionError):
        return False
    depth = deepest = 0
    for sign in text:  # signs in strings count, too, which errs on the safe side
        depth += (sign in "[{") - (sign in "]}")
        deepest = max(deepest, depth)
    return deepest <= DEEPEST


def _length(value: Json) -> int:
    return len(canonical.dumps(value))

"""Planted abilities: the right reply, of which a known share of parts is kept right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.protocol import Brief, Call
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.frame.planted import with_luck
from assay.suites.sgi.frame.registry import family_of as v1_family
from assay.suites.sgi.frame.tasks import is_v1
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.solvers import family_of, row_of
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step, parse
from assay.suites.sgi.v0 import replies
from assay.validity.planted import Luck, abilities

Row = dict[str, Any]

NOTHING = "This part was not worked out."
"""What stands in the place of a text that is wrong."""


def _wet(row: Row, luck: Luck) -> str:
    """Each step and each setting is one inference; what a wrong step makes is still referred to."""
    names = pool_names(str(row["action_pool"])) if "action_pool" in row else []
    steps = []
    for step in parse(replies.SOLUTIONS["wet_experiment"](row)).steps:
        arguments = {
            name: value if luck.right("setting", step.output, name) or not isinstance(value, str) else "0"
            for name, value in step.arguments.items()
        }
        action = step.action if luck.right("step", step.output) else _other(names, step.action)
        steps.append(Step(step.output, action, arguments))
    return replies.wet(steps)


def _other(names: list[str], right: str) -> str:
    return next((name for name in reversed(names) if name != right), f"{right} again")


def _dry(row: Row, luck: Luck) -> str:
    """Each function is one inference; a wrong one returns nothing."""
    if all(luck.right("function", name) for name in row["incomplete_functions"]):
        return replies.SOLUTIONS["dry_experiment"](row)
    return replies.stubs(row["incomplete_functions"])


def _research(row: Row, luck: Luck) -> str:
    """Each step of the way and the answer; a wrong step is missing."""
    steps = [step for at, step in enumerate(row["x_steps"]) if luck.right("step", at)]
    return replies.research(steps, row["answer"] if luck.right("answer") else "0")


def _ideas(row: Row, luck: Luck) -> str:
    """Each sentence of the idea, each step of the plan and each edge."""
    sentences = [part.strip() + "." for part in row["core_idea"].split(".") if part.strip()]
    kept = [text if luck.right("sentence", at) else NOTHING for at, text in enumerate(sentences)]
    steps: Mapping[str, str] = literal(row["implementation_steps"])
    plan = {key: text if luck.right("step", key) else NOTHING for key, text in steps.items()}
    types = {key: kind for key, kind in row["x_step_types"].items() if luck.right("step", key)}
    order = [edge for edge in row["implementation_order"] if luck.right("edge", edge)]
    return replies.ideas(row, " ".join(kept), plan, order, StepTypes=types)


def _reasoning(row: Row, luck: Luck) -> str:
    """Each reading and the choice of the option."""
    readings = [reading for at, reading in enumerate(row["x_readings"]) if luck.right("reading", at)]
    right = int(row["answer"])
    chosen = right if luck.right("option") else (right + 1) % len(row["options"])
    return replies.reasoning(readings, letter(chosen))


PARTLY: Mapping[Family, Callable[[Row, Luck], str]] = {
    "wet_experiment": _wet,
    "dry_experiment": _dry,
    "deep_research": _research,
    "idea_generation": _ideas,
    "experimental_reasoning": _reasoning,
}


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Give the reference, each part of it right with the planted probability."""
    row = row_of(brief, hidden)
    if is_v1(row):
        prompts.answer(call, row["family"], with_luck(v1_family(row["family"]), row, luck))
    else:
        call("answer", {"text": PARTLY[family_of(brief)](row, luck)})


ABILITIES = abilities(play, "Gives the reference part by part.", privileged=True)

"""Shortcuts that read nothing: a reply in form, and a reply by chance."""

from __future__ import annotations

import json
from typing import Any, cast

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.sgi.families import INVESTIGATION
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.frame.registry import family_of as v1_family
from assay.suites.sgi.solvers import chance, family_of
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import Step
from assay.suites.sgi.v0 import replies


def form(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Every part that the form of the reply has, empty or the first that is offered."""
    if (family := family_of(brief)) == INVESTIGATION:
        usual = v1_family(family).write(
            prompts.shown(brief, call), {"K": 1.0, "Ki": 1.0, "k": 1.0, "tau": 1.0}
        )
        prompts.answer(call, family, usual)
    else:
        call("answer", {"text": _form(brief)})


def _form(brief: Brief) -> str:
    family = family_of(brief)
    if family == "deep_research":
        return replies.research([], "0")
    if family == "idea_generation":
        parts = {"Dataset": "data", "EvaluationMetrics": {"accuracy": "high"}, "ExpectedOutcome": "success"}
        steps = {"1": "Collect data.", "2": "Model data.", "3": "Validate the model."}
        plan = {"ImplementationSteps": steps, "ImplementationOrder": ["1-2", "2-3"]}
        return json.dumps({"Idea": "We propose a new method. " * 13, **plan, **parts})
    if family == "experimental_reasoning":
        return replies.reasoning([], "A")
    if family == "wet_experiment":
        names = pool_names(str(brief.parts[1]))
        return replies.wet([Step(f"out_{at}", name, {}) for at, name in enumerate(names, 1)])
    return replies.stubs(cast("list[str]", brief.parts[3]))


def dummy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One search for show, then a reply by chance."""
    if any(tool.name == "search" for tool in brief.tools):
        call("search", {"query": "results"})
    chance(brief, call, stream, hidden)

"""Reading the prompts of the paper's profile (`simulation.appendix`), and answering its questions."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from assay.protocol import Part
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics.recovery import roots
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.briefing import WEIGHT_DECIMALS

OF_PROMPTS = frozenset({"previous", "past_actions", "question", "hypothesis"})
"""Keys of the parts of a prompt that are no reply to an action."""

_VARIABLE = re.compile(r"^- (\S+): shown as (.+?)(; it cannot be set)?$", re.MULTILINE)
_OBSERVATION = re.compile(r"^- Observation \d+: (\{.*\})$", re.MULTILINE)
_EVIDENCE = re.compile(r"^- Evidence \d+: (?:(\S+) was set to (\S+); observed )?(\{.*\})$", re.MULTILINE)


def read_prompt(parts: Sequence[Part]) -> dict[str, Any]:
    """Return what the first prompt of an episode says, under the names of our own brief."""
    text = next(part for part in parts if isinstance(part, str) and "EXISTING OBSERVATIONS" in part)
    variables = _VARIABLE.findall(text)
    budget = re.search(r"at most (\d+) times", text)
    submissions = re.search(r"You have (\d+) submissions", text)
    decimals = re.search(r"three\s+decimals", text)
    return {
        "properties": [name for name, _, _ in variables if name != TARGET],
        "controllable": [name for name, _, fixed in variables if name != TARGET and not fixed],
        "displays": [[name, display] for name, display, _ in variables],
        "functional_family": "quadratic" if "c_P_1" in text else "linear",
        "records": [json.loads(values) for values in _OBSERVATION.findall(text)],
        "evidence": [
            {"observed": json.loads(values), **({"intervene": {name: float(value)}} if name else {})}
            for name, value, values in _EVIDENCE.findall(text)
        ],
        "interventions": int(budget[1]) if budget else 0,
        "submissions": int(submissions[1]) if submissions else 0,
        **({"weight_decimals": WEIGHT_DECIMALS} if decimals else {}),
    }


def question_in(parts: Sequence[Part]) -> str:
    """Return the name of the question that a message asks, or an empty text."""
    return next(
        (str(part["question"]) for part in parts if isinstance(part, dict) and "question" in part), ""
    )


def answer(question: str, hypothesis: Hypothesis) -> dict[str, Any]:
    """Answer a question from a hypothesis."""
    if question == "graph":
        return hypothesis.to_json()
    return {"root_nodes": sorted(roots(hypothesis.edges)), "frequency_formula": in_roots(hypothesis)}


def in_roots(hypothesis: Hypothesis) -> str:
    """Return the stated equation if all its causes are roots, otherwise an empty text."""
    causes = {a for a, b in hypothesis.edges if b == TARGET}
    if not causes <= roots(hypothesis.edges):
        return ""
    terms = [str(hypothesis.coefficients.get("base", 0))]
    terms += [f"{hypothesis.coefficients.get(f'c_{name}', 0)} * {name}" for name in sorted(causes)]
    return f"{TARGET} = " + " + ".join(terms)

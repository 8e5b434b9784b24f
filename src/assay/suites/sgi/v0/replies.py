"""Replies to items of version 0, written in the form that each of its families asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from assay.suites.sgi.families import Family
from assay.suites.sgi.items import SHOWN
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.text.program import Step, written
from assay.suites.sgi.v0.recorded import recorded

Row = Mapping[str, Any]

CONTRACTS: Mapping[Family, str] = {
    "deep_research": "A step `find` or `read` has the doc_id of its document as source",
    "idea_generation": "Propose an idea of your own, as one JSON object:",
    "experimental_reasoning": "Give the letter of your option in \\boxed{X} at the end.",
    "wet_experiment": "Write the protocol as a program between <answer> and </answer>.",
    "dry_experiment": "Write the completed functions, all that are listed, between <answer> and </answer>.",
}
"""A sentence of every prompt of the family, and of no other."""


def wet(steps: Iterable[Step]) -> str:
    """Return the text of a reply whose answer is a protocol of these steps."""
    return "<answer>\n" + "\n\n".join(written(step) for step in steps) + "\n</answer>"


def dry(functions: Sequence[str]) -> str:
    """The reply that gives the functions for the holes of a program."""
    return "<answer>\n```python\n" + "\n\n\n".join(functions) + "\n```\n</answer>"


def stubs(names: Iterable[str], value: object = None) -> str:
    """The reply whose functions all return a constant."""
    return dry([f"def {name}(*given, **named):\n    return {value}" for name in names])


def research(steps: Sequence[Row], answer: str) -> str:
    """The reply with an answer and the steps to it, which have the keys of an item's column `x_steps`."""
    records = [
        {
            "kind": step["kind"],
            "claim": step["quantity"],
            "value": step["value"],
            "unit": step["unit"],
            "source": step["doc_id"],
        }
        for step in steps
    ]
    return f"{json.dumps({'steps': records}, ensure_ascii=False)}\n<answer>{answer}</answer>"


def ideas(row: Row, idea: str, steps: Mapping[str, str], order: Sequence[str], **more: Any) -> str:
    """The reply with an idea and its plan; parts that are not given are those of the reference."""
    whole = {
        "Idea": idea,
        "ImplementationSteps": dict(steps),
        "ImplementationOrder": list(order),
        "Dataset": row["data"],
        "EvaluationMetrics": literal(row["evaluation_metrics"]),
        "ExpectedOutcome": row["expected_outcome"],
        "StepTypes": row["x_step_types"],
    }
    return json.dumps({**whole, **more}, ensure_ascii=False)


def reasoning(readings: Iterable[Row], chosen: str) -> str:
    """Readings and the letter of an option."""
    block = {
        "readings": [{key: one[key] for key in ("panel", "quantity", "value", "unit")} for one in readings],
        "answer": chosen,
    }
    return f"Readings and answer:\n```json\n{json.dumps(block)}\n```\n\\boxed{{{chosen}}}"


def copied(question: str) -> str:
    """A reply that offers the first existing solution of a prompt as an idea; read from the prompt alone."""
    _, _, below = question.partition("Existing solutions\n")
    first = below.partition("\n")[0].removeprefix("- Solution 1: ")
    sentences = [part.strip() + "." for part in first.split(".") if part.strip()]
    steps = {str(k): sentence for k, sentence in enumerate(sentences, 1)}
    return json.dumps(
        {
            "Idea": first,
            "ImplementationSteps": steps,
            "ImplementationOrder": [f"{k}-{k + 1}" for k in range(1, len(steps))],
            "Dataset": "the data of the existing solution",
            "EvaluationMetrics": {"accuracy": "as before"},
            "ExpectedOutcome": "the same as before",
        }
    )


def options_shown(text: str) -> list[str]:
    """The options of their lettered lines."""
    return [line.partition(". ")[2] for line in text.splitlines()]


def row_of(family: Family, parts: Sequence[Any], hidden: Row) -> dict[str, Any]:
    """The item as the functions of its family read it: what a brief shows, and the truth."""
    shown = dict(zip(SHOWN[family], parts, strict=False))
    if family == "experimental_reasoning":
        shown["options"] = options_shown(str(shown["options"]))
    return {**shown, **hidden}


def _idea(row: Row) -> str:
    steps: Mapping[str, str] = literal(row["implementation_steps"])
    return ideas(row, row["core_idea"], steps, row["implementation_order"])


SOLUTIONS: Mapping[Family, Callable[[Row], str]] = {
    "wet_experiment": lambda row: f"<answer>\n{row['answer']}\n</answer>",
    "dry_experiment": lambda row: recorded("oracle", "dry_experiment", row)[-1][1]["text"],
    "deep_research": lambda row: research(row["x_steps"], row["answer"]),
    "idea_generation": _idea,
    "experimental_reasoning": lambda row: reasoning(row["x_readings"], letter(row["answer"])),
}
"""Of each family the reply that is right."""

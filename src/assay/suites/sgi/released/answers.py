"""Released items: right replies, sizes, and pages of episodes."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.protocol import Brief, Measure
from assay.report.blocks import Block, Code, section
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.released.items import forms
from assay.suites.sgi.text.program import parse_text

Row = Mapping[str, Any]


def family_of(brief: Brief) -> Family | None:
    """The family of a released item, from the form that its brief asks for; None for other briefs."""
    texts = {text: family for family, text in forms().items()}
    return next((texts[part] for part in brief.parts if isinstance(part, str) and part in texts), None)


def reference(family: Family, row: Row) -> str:
    """The reply that repeats the reference."""
    if family == "idea_generation":
        steps = ideas.literal(row["implementation_steps"])
        parts = {
            "Idea": row["core_idea"],
            "ImplementationSteps": steps if isinstance(steps, dict) else {},
            "ImplementationOrder": list(row["implementation_order"]),
            "Dataset": row["data"],
            "EvaluationMetrics": ideas.literal(row["evaluation_metrics"]),
            "ExpectedOutcome": row["expected_outcome"],
        }
        return json.dumps(parts, default=str)
    if family == "experimental_reasoning":
        return f"\\boxed{{{letter(row['answer'])}}}"
    if family == "dry_experiment":
        return f"<answer>\n{functions(row['main_code'], row['incomplete_functions'])}\n</answer>"
    return f"<answer>\n{row['answer']}\n</answer>"


def functions(code: str, names: list[str]) -> str:
    """The source of functions of a program; of several of one name the last."""
    code = code.replace("\r\n", "\n")
    found = {
        node.name: ast.get_source_segment(code, node) or ""
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return "\n\n\n".join(found[name] for name in names)


def measures(family: Family, row: Row) -> Iterable[Measure]:
    """Size and chance; what a solver reaches is not known."""
    units = {
        "wet_experiment": lambda: len(parse_text(row["answer"]).steps),
        "dry_experiment": lambda: len(row["incomplete_functions"]),
        "idea_generation": lambda: len(row["implementation_order"]),
    }
    yield Measure("units", float(units.get(family, lambda: len(row["steps"]))()))
    yield Measure("details")
    yield Measure("distractors")
    options = row.get("options")
    yield Measure("chance", 100 / len(options) if options else None)
    yield Measure("reference")


def view(family: Family, row: Row) -> Iterator[Block]:
    """The reference."""
    yield section("Reference", Code(reference(family, row)))

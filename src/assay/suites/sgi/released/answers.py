"""What the rooms of the suite say about released items: right replies, flags, sizes, pages of episodes."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.protocol import Brief, Flag, Measure
from assay.report.blocks import Block, Code, section
from assay.suites.sgi.columns import deep_research, idea_generation
from assay.suites.sgi.columns.wet_experiment import decoy_use
from assay.suites.sgi.dry.runs import answered_code, patched
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.metrics.protocols import references
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.released.items import forms
from assay.suites.sgi.text.contracts import choice, tagged
from assay.suites.sgi.text.program import parse, parse_text

Row = Mapping[str, Any]

NEAR_COPY = 1.0
"""Of 10: an idea whose nearest known work is nearer is a copy."""


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
        return f"<answer>\n{_functions(row['main_code'], row['incomplete_functions'])}\n</answer>"
    return f"<answer>\n{row['answer']}\n</answer>"


def _functions(code: str, names: list[str]) -> str:
    """The source of functions of a program; of several of one name the last."""
    code = code.replace("\r\n", "\n")
    found = {
        node.name: ast.get_source_segment(code, node) or ""
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return "\n\n\n".join(found[name] for name in names)


def flags(family: Family, row: Row, reply: str) -> Iterator[Flag]:
    """The flags that can be decided without columns of ours."""
    if family == "wet_experiment":
        program = parse(reply)
        producers, _ = references(program)
        refers = any(x not in (None, (None,)) for step in producers for x in step.values())
        yield Flag("no_answer", not program.steps)
        yield Flag("answer_without_work", len(program.steps) > 1 and not refers)
        yield Flag("decoys_copied", (decoy_use(row, program) or 0.0) >= 0.5)
    elif family == "dry_experiment":
        program_of = patched(row["incomplete_main_code"], tuple(row["incomplete_functions"]), reply, False)
        answered = bool(answered_code(reply).strip())
        yield Flag("no_answer", not answered)
        yield Flag("answer_without_work", answered and bool(program_of.idle))
    elif family == "idea_generation":
        found, issues = ideas.parse(reply)
        idea = str((found or {}).get("Idea") or "").strip()
        _, nearest, label = idea_generation.objective_parts(row, reply, "objective")
        yield Flag("parsing", None, ", ".join(issues))
        yield Flag("no_answer", not idea)
        yield Flag("keyword_stuffing", "stuffed" in label.split(", "))
        yield Flag("copied_idea", bool(idea) and nearest < NEAR_COPY)
    elif family == "experimental_reasoning":
        yield Flag("no_answer", choice(reply).letter is None)
    else:
        yield Flag("parsing", None, next(iter(deep_research.score(row, reply, "objective"))).label)
        yield Flag("no_answer", not tagged(reply).text)


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

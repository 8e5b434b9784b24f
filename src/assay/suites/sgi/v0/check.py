"""Checks of archived items: they have the columns that scoring reads, and their reference is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns import column
from assay.suites.sgi.dry.runs import run
from assay.suites.sgi.dry.verdict import same_output
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics.dry_runs import TESTS
from assay.suites.sgi.metrics.research import exact_match
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import parse_text
from assay.suites.sgi.v0.replies import SOLUTIONS

COLUMNS: Mapping[Family, tuple[str, ...]] = {
    "wet_experiment": ("x_decoys", "x_params", "x_precedence"),
    "dry_experiment": ("x_compare", "x_held_out", "x_mutants", "x_textbook"),
    "deep_research": ("x_docs", "x_docs_read", "x_response", "x_steps", "x_traps"),
    "idea_generation": ("x_slots", "x_step_types", "x_synonyms", "related_work_test"),
    "experimental_reasoning": ("x_fields", "x_option_labels", "x_readings", "x_template"),
}
"""The hidden columns that scores, flags and pages read."""


FULL: Mapping[Family, tuple[str, ...]] = {
    "wet_experiment": ("headline",),
    "deep_research": ("headline", "sla"),
    "idea_generation": ("effectiveness_objective", "detailedness_objective", "feasibility_objective"),
    "experimental_reasoning": ("headline", "rv"),
}
"""Metrics of which the reference has the full value."""

LEAST_NOVELTY = 0.5
"""The distance of an idea from the nearest known work."""


def verify(family: Family, row: Mapping[str, Any]) -> None:
    """Check an archived item.

    Raises:
        Rejected: a column is missing, the reference is not right, or a trap leads to the right answer.
    """
    missing = [name for name in ("idx", "x_level", *COLUMNS[family]) if name not in row]
    if missing:
        raise Rejected(f"there is no column {missing[0]}")
    if family == "wet_experiment":
        _protocol(row)
    if family == "dry_experiment":
        _programs(row)
        return
    values = {value.metric: value.value for value in column.score(family, row, SOLUTIONS[family](row))}
    if lower := [metric for metric in FULL[family] if abs((values[metric] or 0.0) - 1) > 1e-9]:
        raise Rejected(f"the reference has not the full value of {lower[0]}")
    if family == "idea_generation" and (values["novelty_nn"] or 0.0) < LEAST_NOVELTY:
        raise Rejected("the reference is too near to known work")
    for trap in row.get("x_traps", ()):
        if trap["answer"] is not None and exact_match(row["answer"], trap["answer"], row["x_response"]):
            raise Rejected(f"the trap {trap['label']} is the right answer")


def _protocol(row: Mapping[str, Any]) -> None:
    """Each step has its literals, and the pool is what the protocol needs and its decoys."""
    steps = parse_text(row["answer"]).steps
    if len(steps) != len(row["x_params"]):
        raise Rejected("the steps of the reference are not those of x_params")
    if {step.action for step in steps} | set(row["x_decoys"]) != set(pool_names(row["action_pool"])):
        raise Rejected("the pool is not what the protocol needs and its decoys")


def _programs(row: Mapping[str, Any]) -> None:
    """The reference prints what each test expects."""
    for k in range(TESTS):
        done = run(row["main_code"], row[f"unit_test_{k}_data"])
        if not same_output(row[f"unit_test_{k}_output"], done.stdout, row["x_compare"]):
            raise Rejected(f"the reference does not pass the test {k}")

"""Entries of a suite's `TABLES` for tables of several suites that `assay.tables.registry` does not contain.

The entries refer to their functions by name instead of importing them, because every run imports this module
to read the names of a suite's tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.specs import TableSpec


def conduct_table(expected: Callable[..., Any] | str) -> TableSpec:
    """Return the entry of the table `conduct`: flags raised by agents of known conduct, by agent and flag.

    Args:
        expected: The function `expected` of the suite's room `audit` (`assay.tables.detection.Expected`), or
            a reference to it (`assay.specs.resolve`).
    """
    return TableSpec(
        "assay.tables.detection:conduct",
        "assay.tables.detection:CONDUCT",
        "the flags that known conduct raised",
        (expected,),
    )


def detection_table(expected: Callable[..., Any] | str) -> TableSpec:
    """Return the entry of the table `detection`: sensitivity and specificity of each flag over all agents.

    Args:
        expected: The function `expected` of the suite's room `audit`, see `conduct_table`.
    """
    return TableSpec(
        "assay.tables.detection:detection",
        "assay.tables.detection:DETECTION",
        "sensitivity and specificity of every flag",
        (expected,),
    )


def contamination_table(yardstick: Any) -> TableSpec:
    """Return the entry of the table `contamination`: score in a public set less that in fresh tasks.

    Args:
        yardstick: How the suite's scores are read (`assay.protocol.Yardstick`), or a reference to it.
    """
    return TableSpec(
        "assay.validity.contamination:contamination",
        "assay.validity.contamination:CONTAMINATION",
        "who played a public set and fresh tasks of its recipe: the difference",
        (yardstick,),
    )


def passes_table() -> TableSpec:
    """Return the entry of the table `passes`: score and cost of each agent in each pass over a task set."""
    return TableSpec(
        "assay.tables.rivals:passes",
        "assay.tables.rivals:PASSES",
        "score and cost of each agent, pass by pass",
    )


def pairs_table() -> TableSpec:
    """Return the entry of the table `pairs`: comparisons of two agents over the tasks that both played."""
    return TableSpec(
        "assay.tables.rivals:pairs",
        "assay.tables.rivals:PAIRS",
        "every two agents, paired over tasks: margin, p, smallest visible difference",
    )

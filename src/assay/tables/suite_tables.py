"""The tables that suites have in common beyond `assay.tables.registry`, as entries of a suite's `TABLES`.

They are named and not imported here, because a suite's settings read the names of its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.specs import TableSpec


def conduct_table(expected: Callable[..., Any] | str) -> TableSpec:
    """The table `conduct`: what the audit found in episodes of agents of known conduct, by agent and flag.

    Args:
        expected: the function `expected` of the suite's room `audit` (`assay.tables.detection.Expected`), or
            a reference to it (`assay.specs.resolve`).
    """
    return TableSpec(
        "assay.tables.detection:conduct",
        "assay.tables.detection:CONDUCT",
        "the flags that known conduct raised",
        (expected,),
    )


def detection_table(expected: Callable[..., Any] | str) -> TableSpec:
    """The table `detection`: the same over all agents, see `conduct_table`."""
    return TableSpec(
        "assay.tables.detection:detection",
        "assay.tables.detection:DETECTION",
        "sensitivity and specificity of every flag",
        (expected,),
    )


def passes_table() -> TableSpec:
    """The table `passes`: score and cost of each agent, pass by pass."""
    return TableSpec(
        "assay.tables.rivals:passes",
        "assay.tables.rivals:PASSES",
        "score and cost of each agent, pass by pass",
    )


def pairs_table() -> TableSpec:
    """The table `pairs`: every two agents compared over the tasks that both played."""
    return TableSpec(
        "assay.tables.rivals:pairs",
        "assay.tables.rivals:PAIRS",
        "every two agents, paired over tasks: margin, p, smallest visible difference",
    )

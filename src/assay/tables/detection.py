"""Sensitivity and specificity of the audit, measured with agents whose conduct is known.

There are three families. `rules`: solvers that were written with the audit in mind; the function
`expected(agent, strata, answered)` of a suite's room `audit` says which flags they must raise. `composed` and
`independent`: see `assay.validity.conduct`; their decisions are in the table `conducts`. The tables are the
same for every suite (`assay.tables.suite_tables`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.numbers.stats import wilson
from assay.protocol import Conduct, Tables, resolve
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import flag_raised, frame, strata

Expected: TypeAlias = Callable[[str, Mapping[str, str], bool], Conduct | None]
"""The function `expected` of a room `audit`, see `assay.rooms.AuditRoom`."""

FLAG = Column("flag", "string", "the flag, declared in the suite's `FLAGS`")

COLUMNS = (
    Column("due", "int64", "episodes whose known conduct must raise it"),
    Column("hits", "int64", "of these, episodes that raised it"),
    Column("not_due", "int64", "decided episodes whose known conduct must not raise it"),
    Column("false", "int64", "of these, episodes that raised it"),
    Column("sensitivity", "float64", "hits / due; null where it is never due", nullable=True),
    Column("specificity", "float64", "1 - false / not_due; null where it is always due", nullable=True),
)

CONDUCT = Schema(
    "conduct",
    2,
    (Column("agent", "string", "who played"), FLAG, *COLUMNS),
    key=("agent", "flag"),
    partition="agent",
    doc="Agents of known conduct, one by one, and the flags that they raised.",
)

RULES = "rules"
"""The family of the solvers that were written with the audit in mind."""

INTERVALS = (
    Column("sensitivity_low", "float64", "lower end of its 95 % interval (Wilson 1927)", nullable=True),
    Column("sensitivity_high", "float64", "upper end of its 95 % interval", nullable=True),
    Column("specificity_low", "float64", "lower end of the 95 % interval of the specificity", nullable=True),
    Column("specificity_high", "float64", "upper end of its 95 % interval", nullable=True),
)

DETECTION = Schema(
    "detection",
    2,
    (
        FLAG,
        Column(
            "family",
            "string",
            "who played: rules (written with the audit in mind), composed (drawn from a seed), independent "
            "(written from the paper's description)",
        ),
        Column("agents", "int64", "agents of known conduct that it was tested with; of drawn ones, episodes"),
        *COLUMNS,
        *INTERVALS,
    ),
    key=("flag", "family"),
    doc="Each flag as a detector, over all episodes of agents of known conduct. A flag that was never due "
    "has no sensitivity: it was never tested.",
)


@dataclass(frozen=True)
class Judged:
    """The decision on a flag in an episode of known conduct.

    Attributes:
        agent: The agent.
        flag: The flag.
        due: Whether it must be raised.
        raised: Whether it was raised; `None` if the log could not decide it.
    """

    agent: str
    flag: str
    due: bool
    raised: bool | None


def judged(expected: Expected, tables: Tables) -> Iterator[Judged]:
    """Yield the decisions whose correct result is known, in the order of the table `audit`.

    Args:
        expected: The function `expected` of the suite's room `audit`.
        tables: The common tables of the suite.
    """
    levels = strata(tables)
    known = {
        (row.agent, row.task_set, row.task_id, row.attempt): expected(
            row.agent, levels[row.task_set, row.task_id], isinstance(row.submission, str)
        )
        for row in tables["episodes"].itertuples(index=False)
    }
    for row in tables["audit"].itertuples(index=False):
        conduct = known[row.agent, row.task_set, row.task_id, row.attempt]
        if conduct is not None and conduct.judges(row.flag):
            yield Judged(row.agent, row.flag, row.flag in conduct.due, flag_raised(row))


def conduct(expected: Expected | str, tables: Tables) -> Any:
    """Compute the table `conduct`, which is empty if no agent of known conduct played.

    Args:
        expected: The function `expected` of the suite's room `audit`, or a reference to it
            (`assay.specs.resolve`).
        tables: The common tables of the suite.
    """
    counts = _counts(resolve(expected), tables)
    return frame(((*key, *_rates(counted)) for key, counted in sorted(counts.items())), CONDUCT)


def detection(expected: Expected | str, tables: Tables) -> Any:
    """Compute the table `detection`: the counts of the tables `conduct` and `conducts`, added over agents.

    Args:
        expected: The function `expected` of the suite's room `audit`, or a reference to it
            (`assay.specs.resolve`).
        tables: The common tables of the suite.
    """
    total: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    agents: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for (agent, flag), counted in _counts(resolve(expected), tables).items():
        total[flag, RULES] += counted
        agents[flag, RULES].add((agent,))
    for row in tables["conducts"].itertuples(index=False):
        if (raised := flag_raised(row)) is not None:
            _count(total[row.flag, row.family], bool(row.due), raised)
            agents[row.flag, row.family].add((row.task_set, row.task_id, row.conduct))
    rows = (
        (*key, len(agents[key]), *_rates(counted), *_intervals(counted))
        for key, counted in sorted(total.items())
    )
    return frame(rows, DETECTION)


def _counts(expected: Expected, tables: Tables) -> dict[tuple[str, str], Counter[str]]:
    """Count decisions by agent and flag, in the columns of `COLUMNS`."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for decision in judged(expected, tables):
        if decision.raised is not None:
            _count(counts[decision.agent, decision.flag], decision.due, decision.raised)
    return counts


def _count(counted: Counter[str], due: bool, raised: bool) -> None:
    counted["due" if due else "not_due"] += 1
    counted["hits" if due else "false"] += raised


def _intervals(counted: Counter[str]) -> tuple[float | None, ...]:
    due, not_due = counted["due"], counted["not_due"]
    return *wilson(counted["hits"], due), *wilson(not_due - counted["false"], not_due)


def _rates(counted: Counter[str]) -> tuple[Any, ...]:
    due, hits, not_due, false = (counted[name] for name in ("due", "hits", "not_due", "false"))
    return due, hits, not_due, false, hits / due if due else None, 1 - false / not_due if not_due else None

"""Registry of the tables that every suite has: their schemas, and how each is divided into files.

The plan of a build needs only names and paths, so a schema is imported when it is asked for.

Example:
    >>> COMMON["scores"].path("petri", "ofat")
    'results/petri/scores/ofat.parquet'
    >>> COMMON["scores"].load_schema().key
    ('suite', 'task_set', 'task_id', 'agent', 'attempt', 'profile', 'metric', 'step')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from assay.tables.schema import Schema


@dataclass(frozen=True)
class CommonTable:
    """A table that every suite has.

    Attributes:
        name: Its name.
        schema: The module and name of its schema, as `module:NAME`.
        partition: Whether there is one file for the suite, for each agent, or for each judge.
    """

    name: str
    schema: str
    partition: Literal["suite", "agent", "judge"]

    @property
    def module(self) -> str:
        """The module that declares the schema."""
        return self.schema.partition(":")[0]

    def load_schema(self) -> Schema:
        """Import and return the schema.

        A stage that calls this must also import the module with a statement, so that its fingerprint covers
        it.
        """
        module, _, name = self.schema.partition(":")
        schema: Schema = getattr(import_module(module), name)
        return schema

    def path(self, suite: str, player: str | None = None) -> str:
        """Return the path of the merged file of a suite.

        Args:
            suite: The name of the suite.
            player: The agent or judge; `None` for a table with one file for the suite.

        Raises:
            ValueError: If `player` does not suit the partition.
        """
        if (player is None) != (self.partition == "suite"):
            raise ValueError(f"the table {self.name} has one file for each {self.partition}")
        return f"results/{suite}/{self.name}" + ("" if player is None else f"/{player}") + ".parquet"

    def paths(self, suite: str, players: Sequence[str]) -> list[str]:
        """Return the paths of the merged files of these agents or judges."""
        return [self.path(suite, player) for player in players]


def _declared(name: str, constant: str, partition: Literal["suite", "agent", "judge"]) -> CommonTable:
    return CommonTable(name, f"assay.tables.schemas.{constant}", partition)


COMMON = {
    table.name: table
    for table in (
        _declared("tasks", "tasks:TASKS", "suite"),
        _declared("calibration", "calibration:CALIBRATION", "suite"),
        _declared("validation", "validation:VALIDATION", "suite"),
        _declared("episodes", "episodes:EPISODES", "agent"),
        _declared("events", "episodes:EVENTS", "agent"),
        _declared("scores", "scores:SCORES", "agent"),
        _declared("audit", "audit:AUDIT", "agent"),
        _declared("opinions", "opinions:OPINIONS", "judge"),
        _declared("summary", "summary:SUMMARY", "suite"),
        _declared("validity", "validity:VALIDITY", "suite"),
        _declared("conducts", "conducts:CONDUCTS", "suite"),
    )
}
"""The common tables by name. `events` exists only for agents whose log is kept in full, and `conducts`
only for suites with a room of that name."""

BY_SUITE = tuple(table.name for table in COMMON.values() if table.partition == "suite")
"""Names of the tables with one file for a suite."""

BY_AGENT = tuple(table.name for table in COMMON.values() if table.partition == "agent")
"""Names of the tables with one file for each agent."""

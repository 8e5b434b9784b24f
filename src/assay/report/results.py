"""What the pages are made of: the tables of all suites, read once, counted and put in order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from assay.build import links
from assay.build.job import Job
from assay.config.secret import SUFFIX
from assay.protocol import FlagSpec, Metric, TaskSet
from assay.suite import Suite, suite
from assay.tables.digest import file_digest
from assay.tables.reader import opened, read_rows, read_table
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.leaderboard import LEADERBOARD, is_partial
from assay.tables.schemas.profile import PROFILE
from assay.tables.schemas.summary import SUMMARY
from assay.tables.schemas.tasks import TASKS
from assay.tables.schemas.validation import VALIDATION

if TYPE_CHECKING:
    from assay.rooms import ReportingRoom


@dataclass(frozen=True)
class Raised:
    """How often an agent raised a flag in a set: in `raised` of `decided` episodes, the first at `proof`."""

    agent: str
    task_set: str
    flag: str
    raised: int
    decided: int
    proof: str | None


@dataclass(frozen=True)
class Figure:
    """A figure with its words."""

    name: str
    title: str
    alt: str


@dataclass(frozen=True)
class OwnTable:
    """A table with its first rows; `words` says what a column holds."""

    name: str
    doc: str
    words: Mapping[str, str]
    columns: tuple[str, ...]
    numeric: frozenset[str]
    rows: list[dict[str, Any]]
    total: int


SHOWN_ROWS = 200
"""Rows of a table on a page; all of them are in the files beside it."""


@dataclass
class SuiteResults:
    """One suite: its tables, and what its rooms say about them."""

    name: str
    told: Mapping[str, Any]
    job: Job
    standings: list[dict[str, Any]]
    by_agent: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @cached_property
    def suite(self) -> Suite:
        """The suite, whose rooms say what its tables mean."""
        return suite(self.told["suite"], self.told["package"])

    @property
    def room(self) -> ReportingRoom:
        """What the suite says of its agents."""
        return self.suite.room("reporting")

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """What each metric means."""
        return self.suite.room("scoring").METRICS

    @cached_property
    def flags(self) -> Mapping[str, FlagSpec]:
        """What each flag means."""
        return self.suite.room("audit").FLAGS

    @property
    def agents(self) -> list[str]:
        """Who played, by name."""
        return list(self.told["agents"])

    @cached_property
    def sets(self) -> dict[str, str]:
        """The sets that were built, the one that stands first ahead, with what they are."""
        names = sorted(self.told["sets"], key=lambda name: (name != self.room.FIRST, name))
        return {name: self.task_set(name).doc for name in names}

    def task_set(self, name: str) -> TaskSet:
        """What the suite declares of a set; a private one is like the set that it is named after."""
        return self.suite.room("tasks").SETS[name.removesuffix(SUFFIX)]

    def kind(self, agent: str) -> str | None:
        """What an agent is in this suite; None where it has no row."""
        return next(
            (row["kind"] for row in self.standings if row["agent"] == agent and row["kind"] != "quoted"), None
        )

    @cached_property
    def tasks(self) -> list[dict[str, Any]]:
        """The table `tasks`."""
        return read_rows(self.job.input(f"{self.name}/tasks"), TASKS)

    @cached_property
    def tasks_sha256(self) -> str:
        """The hash of these tasks as CSV."""
        return file_digest(self.job.input(f"{self.name}/tasks_csv"))

    @cached_property
    def validation(self) -> list[dict[str, Any]]:
        """The table `validation`."""
        return read_rows(self.job.input(f"{self.name}/validation"), VALIDATION)

    @cached_property
    def means(self) -> dict[tuple[str, str], dict[str, float]]:
        """By set and agent: the mean of each metric, under the suite's own way of grading."""
        found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        rows = read_rows(self.job.input(f"{self.name}/summary"), SUMMARY, where={"stratum": "task_set"})
        for row in rows:
            if row["profile"] == "default" and row["mean"] is not None:
                found[row["level"], row["agent"]][row["metric"]] = row["mean"]
        return found

    @cached_property
    def ranks(self) -> dict[str, dict[tuple[str, str, int], int]]:
        """By agent: the rank of each episode in its table."""
        found = {}
        for path in self.job.parts(f"{self.name}/episodes"):
            table = read_table(path, EPISODES).select(["task_set", "task_id", "attempt"])
            keys = zip(*(column.to_pylist() for column in table.columns), strict=True)
            found[path.stem] = {key: rank for rank, key in enumerate(keys)}
        return found

    def address(self, agent: str, task_set: str, task_id: str, attempt: int) -> str:
        """Where an episode is shown."""
        rank = self.ranks[agent][task_set, task_id, attempt]
        return links.episode(self.name, agent, rank, links.episode_id(task_set, task_id, attempt))

    @cached_property
    def raised(self) -> list[Raised]:
        """Every flag of every agent in every set; statements accuse nobody and are left out."""
        found = []
        for path in self.job.parts(f"{self.name}/audit"):
            agent = path.stem
            table = read_table(path, AUDIT).select(["task_set", "task_id", "attempt", "flag", "raised"])
            counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
            first: dict[tuple[str, str], str] = {}
            for task_set, task_id, attempt, flag, raised in zip(
                *(column.to_pylist() for column in table.columns), strict=True
            ):
                if raised is None or self.flags[flag].kind == "statement":
                    continue
                count = counts[task_set, flag]
                count[0] += raised
                count[1] += 1
                if raised and (task_set, flag) not in first:
                    first[task_set, flag] = self.address(agent, task_set, task_id, attempt)
            found += [
                Raised(agent, task_set, flag, often, decided, first.get((task_set, flag)))
                for (task_set, flag), (often, decided) in sorted(counts.items())
            ]
        return found

    def first_episode(self, agent: str, task_set: str) -> str | None:
        """The address of an agent's first episode in a set."""
        for (of_set, task_id, attempt), _ in self.ranks.get(agent, {}).items():
            if of_set == task_set:
                return self.address(agent, task_set, task_id, attempt)
        return None

    @cached_property
    def own(self) -> list[OwnTable]:
        """The suite's own tables, in the order in which the suite lists them."""
        paths = {path.stem: path for path in self.job.parts(f"{self.name}/own")}
        specs = self.suite.room("analysis").TABLES
        return [_own_table(name, paths[name], specs[name]) for name in self.told["tables"]]

    @cached_property
    def detection(self) -> dict[str, dict[str, tuple[int, int]]]:
        """By flag: how well the audit sees it in conduct that is known; empty where none played."""
        for table in self.own:
            if table.name == "detection":
                return {row["flag"]: _known(row) for row in table.rows}
        return {}

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """Every two agents against each other, where the suite has that table."""
        return next((table.rows for table in self.own if table.name == "pairs"), [])

    @cached_property
    def figures(self) -> list[Figure]:
        """The suite's figures, with the words that stand in the files themselves."""
        paths = {path.stem: path for path in self.job.parts(f"{self.name}/figures")}
        return [_figure(paths[name]) for name in self.told["figures"]]


@dataclass
class Results:
    """All suites, by name, and the tables that hold them all."""

    suites: dict[str, SuiteResults]
    kinds: Mapping[str, str]
    leaderboard: list[dict[str, Any]]
    profile: list[dict[str, Any]]

    @classmethod
    def of(cls, job: Job) -> Results:
        """The results that the inputs of the job hold."""
        leaderboard = read_rows(job.input("leaderboard"), LEADERBOARD)
        profile = read_rows(job.input("profile"), PROFILE)
        suites = {
            name: SuiteResults(name, told, job, [row for row in leaderboard if row["suite"] == name])
            for name, told in job.config["suites"].items()
        }
        return cls(suites, job.config["kinds"], leaderboard, profile)

    @property
    def agents(self) -> list[str]:
        """Everybody who played, by name."""
        return sorted(self.kinds)

    def kind(self, agent: str) -> str:
        """What an agent is: `privileged` where it was told the truth in all suites that it plays."""
        kinds = {suite.kind(agent) for suite in self.suites.values()} - {None}
        return "privileged" if kinds == {"privileged"} else self.kinds[agent]


def ranked(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the leaderboard from the highest score down, and below them the agents with a part of the set.

    Equal ones are ordered by name; those without a score come last.
    """
    return sorted(
        rows,
        key=lambda row: (
            is_partial(row),
            -(row["score"] if row["score"] is not None else -1e300),
            row["agent"],
        ),
    )


def _known(row: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """What a row of the table `detection` counts: how many were right of how many, each way.

    Collider's table names its counts `caught`, `innocent` and `accused`.
    """
    hits, not_due, false = (
        (row["caught"], row["innocent"], row["accused"])
        if "caught" in row
        else (row["hits"], row["not_due"], row["false"])
    )
    return {"sensitivity": (hits, row["due"]), "specificity": (not_due - false, not_due)}


_PART = re.compile(r"<(title|desc)[^>]*>(.*?)</\1>", re.DOTALL)


def _figure(path: Path) -> Figure:
    parts = {name: unescape(text) for name, text in _PART.findall(path.read_text(encoding="utf-8"))}
    return Figure(path.stem, path.stem.replace("-", " "), parts.get("desc", ""))


def _own_table(name: str, path: Path, spec: Any) -> OwnTable:
    with opened(path) as file:
        total = file.metadata.num_rows
    table = read_table(path, spec.schema)
    numeric = frozenset(
        column.name
        for column in table.schema
        if pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
    )
    words = {
        column.name: column.doc + (f" [{column.unit}]" if column.unit else "")
        for column in spec.schema.columns
    }
    rows = table.to_pylist()
    return OwnTable(name, spec.doc, words, spec.schema.names, numeric, rows, total)

"""The data of the site's pages: the tables of all suites, and the counts and rankings derived from them.

Each table is read when it is first needed, and only once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from assay.build import links
from assay.build.job import Job
from assay.config.released import declaration
from assay.config.secret import SUFFIX
from assay.protocol import FlagSpec, Metric, Solver, TaskSet
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
from assay.tables.schemas.validity import VALIDITY

if TYPE_CHECKING:
    from assay.rooms import ReportingRoom


@dataclass(frozen=True)
class Raised:
    """Counts of the episodes in which the audit raised a flag on an agent in a set.

    Attributes:
        raised: Number of episodes in which it was raised.
        decided: Number of episodes in which the audit could decide whether to raise it.
        proof: Address of the first episode in which it was raised, or None if there is none.
    """

    agent: str
    task_set: str
    flag: str
    raised: int
    decided: int
    proof: str | None


@dataclass(frozen=True)
class Figure:
    """A figure of a suite. `alt` is the description from its SVG file."""

    name: str
    title: str
    alt: str


@dataclass(frozen=True)
class OwnTable:
    """A table that a suite adds to the common ones.

    Attributes:
        name: Its name.
        doc: Its description.
        words: The description of each column, with its unit.
        columns: The names of the columns.
        numeric: The names of the columns that hold numbers.
        rows: The rows.
        total: The number of rows.
    """

    name: str
    doc: str
    words: Mapping[str, str]
    columns: tuple[str, ...]
    numeric: frozenset[str]
    rows: list[dict[str, Any]]
    total: int


SHOWN_ROWS = 200
"""Largest number of rows of a table on a page. The files that the page links to hold all rows."""


@dataclass
class SuiteResults:
    """One suite with its tables, and the metrics, flags and sets that its rooms declare.

    Attributes:
        config: The suite's part of the job's configuration: its module, package, agents, sets, tables and
            figures.
        job: The job whose inputs are the tables.
        standings: The suite's rows of the leaderboard.
    """

    name: str
    config: Mapping[str, Any]
    job: Job
    standings: list[dict[str, Any]]

    @cached_property
    def suite(self) -> Suite:
        """The suite that the tables belong to."""
        return suite(self.config["suite"], self.config["package"])

    @property
    def room(self) -> ReportingRoom:
        """The suite's room `reporting`."""
        return self.suite.room("reporting")

    @property
    def paper(self) -> str:
        """The citation of the paper whose figures are quoted; empty for a suite without one."""
        return getattr(self.room, "PAPER", "")

    @property
    def rubric(self) -> str:
        """How the headline score is made of points; empty where its description says all."""
        return getattr(self.room, "RUBRIC", "")

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The suite's metrics by name."""
        return self.suite.room("scoring").METRICS

    @cached_property
    def flags(self) -> Mapping[str, FlagSpec]:
        """The suite's flags by name."""
        return self.suite.room("audit").FLAGS

    @property
    def agents(self) -> list[str]:
        """The names of the agents that play the suite."""
        return list(self.config["agents"])

    @cached_property
    def sets(self) -> dict[str, str]:
        """The descriptions of the sets that were built, by name. The suite's main set comes first."""
        declared = list(self.suite.room("tasks").SETS)
        names = sorted(
            self.config["sets"],
            key=lambda name: (name != self.room.FIRST, _place(name.removesuffix(SUFFIX), declared), name),
        )
        return {name: self.task_set(name).doc for name in names}

    def task_set(self, name: str) -> TaskSet:
        """The declaration of a set, private and released ones included."""
        return declaration(self.suite, name)

    def kind(self, agent: str) -> str | None:
        """The kind of an agent in this suite, or None if the leaderboard has no row of it."""
        return next(
            (row["kind"] for row in self.standings if row["agent"] == agent and row["kind"] != "quoted"), None
        )

    @cached_property
    def cards(self) -> dict[str, dict[str, Any]]:
        """By set: its row of the table `validity`."""
        rows = read_rows(self.job.input(f"{self.name}/validity"), VALIDITY)
        return {row["task_set"]: row for row in rows}

    def can_be_gamed(self, task_set: str) -> bool:
        """Whether a shortcut scores well in a set."""
        return task_set in self.cards and bool(self.cards[task_set]["gameable"])

    @cached_property
    def shortcuts(self) -> dict[str, Solver]:
        """The suite's shortcuts by name; none where it has no such room."""
        has = self.suite.has("shortcuts")
        return dict(self.suite.room("shortcuts").SHORTCUTS) if has else {}

    @cached_property
    def card_in_words(self) -> str:
        """What the figure of the suite's cards shows."""
        return _figure(self.job.input(f"{self.name}/card")).alt

    @cached_property
    def tasks(self) -> list[dict[str, Any]]:
        """The rows of the table `tasks`."""
        return read_rows(self.job.input(f"{self.name}/tasks"), TASKS)

    @cached_property
    def tasks_sha256(self) -> str:
        """The SHA-256 of the file `tasks.csv`."""
        return file_digest(self.job.input(f"{self.name}/tasks_csv"))

    @cached_property
    def validation(self) -> list[dict[str, Any]]:
        """The rows of the table `validation`."""
        return read_rows(self.job.input(f"{self.name}/validation"), VALIDATION)

    @cached_property
    def means(self) -> dict[tuple[str, str], dict[str, float]]:
        """The mean of each metric under the profile `default`, by (set, agent) and then by metric."""
        means: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        rows = read_rows(self.job.input(f"{self.name}/summary"), SUMMARY, where={"stratum": "task_set"})
        for row in rows:
            if row["profile"] == "default" and row["mean"] is not None:
                means[row["level"], row["agent"]][row["metric"]] = row["mean"]
        return means

    @cached_property
    def ranks(self) -> dict[str, dict[tuple[str, str, int], int]]:
        """The row number of each episode in its agent's table `episodes`.

        The keys are the agent and then (set, task, attempt).
        """
        ranks = {}
        for path in self.job.parts(f"{self.name}/episodes"):
            table = read_table(path, EPISODES).select(["task_set", "task_id", "attempt"])
            keys = zip(*(column.to_pylist() for column in table.columns), strict=True)
            ranks[path.stem] = {key: rank for rank, key in enumerate(keys)}
        return ranks

    def address(self, agent: str, task_set: str, task_id: str, attempt: int) -> str:
        """The address of an episode's article in the site."""
        rank = self.ranks[agent][task_set, task_id, attempt]
        return links.episode(self.name, agent, rank, links.episode_id(task_set, task_id, attempt))

    @cached_property
    def raised(self) -> list[Raised]:
        """Counts of each flag by agent and set, without statements, which accuse nobody."""
        counted = []
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
            counted += [
                Raised(agent, task_set, flag, often, decided, first.get((task_set, flag)))
                for (task_set, flag), (often, decided) in sorted(counts.items())
            ]
        return counted

    def first_episode(self, agent: str, task_set: str) -> str | None:
        """The address of an agent's first episode in a set, or None if it has none."""
        for of_set, task_id, attempt in self.ranks.get(agent, {}):
            if of_set == task_set:
                return self.address(agent, task_set, task_id, attempt)
        return None

    @property
    def room_analysis(self) -> Mapping[str, Any]:
        """The declarations of the suite's own tables by name."""
        tables: Mapping[str, Any] = self.suite.room("analysis").TABLES
        return tables

    @cached_property
    def own(self) -> list[OwnTable]:
        """The tables that the suite adds to the common ones, in the order of its settings."""
        paths = {path.stem: path for path in self.job.parts(f"{self.name}/own")}
        return [_own_table(name, paths[name], self.room_analysis[name]) for name in self.config["tables"]]

    @cached_property
    def detection(self) -> dict[str, list[dict[str, Any]]]:
        """For each flag the rows of the table `detection`, one for each family of agents of known conduct.

        It is empty for a suite without that table.
        """
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for table in self.own:
            if table.name == "detection":
                for row in table.rows:
                    rows[row["flag"]].append(row)
        return dict(rows)

    def detected(self, flag: str) -> dict[str, tuple[int, int] | None]:
        """The `sensitivity` and `specificity` of a flag over all families, as (correct, all).

        None stands for a flag that was never tested: no agent of known conduct was due to raise it, or no
        agent was due not to.
        """
        rows = self.detection.get(flag, [])
        due, not_due = (sum(row[name] for row in rows) for name in ("due", "not_due"))
        hits, false = (sum(row[name] for row in rows) for name in ("hits", "false"))
        return {
            "sensitivity": (hits, due) if due else None,
            "specificity": (not_due - false, not_due) if not_due else None,
        }

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """The rows of the table `pairs`, which compares agents pairwise. Empty without such a table."""
        return next((table.rows for table in self.own if table.name == "pairs"), [])

    @cached_property
    def figures(self) -> list[Figure]:
        """The suite's figures, in the order of its settings."""
        paths = {path.stem: path for path in self.job.parts(f"{self.name}/figures")}
        return [_figure(paths[name]) for name in self.config["figures"]]


@dataclass
class Results:
    """The results of all suites, and the tables that cover all suites.

    Attributes:
        suites: The suites of the build by name.
        kinds: The kind of each agent in the configuration.
        leaderboard: Rows of the table `leaderboard`.
        profile: Rows of the table `profile`.
        identity: What the configuration says of each agent: model, protocol, limits, and so on.
    """

    suites: dict[str, SuiteResults]
    kinds: Mapping[str, str]
    leaderboard: list[dict[str, Any]]
    profile: list[dict[str, Any]]
    identity: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Job) -> Results:
        """Read the results from the inputs of a job."""
        leaderboard = read_rows(job.input("leaderboard"), LEADERBOARD)
        profile = read_rows(job.input("profile"), PROFILE)
        suites = {
            name: SuiteResults(name, config, job, [row for row in leaderboard if row["suite"] == name])
            for name, config in job.config["suites"].items()
        }
        return cls(suites, job.config["kinds"], leaderboard, profile, job.config.get("identity", {}))

    @property
    def agents(self) -> list[str]:
        """The names of all agents, sorted."""
        return sorted(self.kinds)

    def kind(self, agent: str) -> str:
        """The kind of an agent. It is `privileged` only if the agent is so in every suite that it plays."""
        kinds = {suite.kind(agent) for suite in self.suites.values()} - {None}
        return "privileged" if kinds == {"privileged"} else self.kinds[agent]


def counted(raised: Iterable[Raised], by: Literal["agent", "flag"]) -> dict[str, dict[str, Any]]:
    """Sum the counts of flags over sets, by agent or by flag.

    Each entry has the keys `raised`, `decided` and `proof`. The proof is the address of an episode in which
    the flag was raised, or None.
    """
    counts: dict[str, dict[str, Any]] = {}
    for entry in raised:
        count = counts.setdefault(getattr(entry, by), {"raised": 0, "decided": 0, "proof": None})
        count["raised"] += entry.raised
        count["decided"] += entry.decided
        count["proof"] = count["proof"] or entry.proof
    return counts


def ranked(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort rows of the leaderboard by descending score.

    Agents that played only a part of the set come after all others. Within both groups, rows without a score
    come last, and rows with equal scores are sorted by the agents' names.
    """
    return sorted(
        rows,
        key=lambda row: (
            is_partial(row),
            -(row["score"] if row["score"] is not None else -1e300),
            row["agent"],
        ),
    )


def _place(name: str, names: list[str]) -> int:
    return names.index(name) if name in names else len(names)


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

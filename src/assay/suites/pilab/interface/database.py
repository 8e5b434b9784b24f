"""The lab's data as 19 tables that can be read with SQL.

Each lab has one SQLite database in memory. Before a statement runs, the tables that it names are brought up
to date: tables that only grow get their new rows, and the others are filled again if the lab has changed.
Nothing can be written: an authorizer allows only reading, and functions whose value depends on their
arguments alone.

A statement ends after a fixed number of steps of SQLite's virtual machine. The limit is a count and not a
time, so that the same statement ends at the same place on every machine. The limits on texts and memory keep
a single step short. A statement whose steps are long is ended when the time of its block is used up (`Late`).
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.interface import columns, views
from assay.suites.pilab.lab import people
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab

MOST_ROWS = 200
MOST_CHARACTERS = 400_000
"""Largest number of characters of all values in a result together."""

STEPS_AT_ONCE, TIMES = 1_000, 2_009
"""Steps of SQLite's virtual machine between checks, and the number of checks: two million steps in all."""

LAST_RESORT = 15.0
"""Seconds after which a statement ends if no block of code waits for it. The limit on steps ends it long
before, unless its steps work on long texts.
"""

MEMORY = 64 << 20

LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 16_384,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 30,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200,
}

FORBIDDEN = frozenset(
    {
        "random", "randomblob", "zeroblob", "load_extension", "readfile", "writefile", "edit",
        "date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff",
        "current_date", "current_time", "current_timestamp", "fts3_tokenizer",
        "changes", "total_changes", "last_insert_rowid",
        "sqlite_version", "sqlite_source_id", "sqlite_log", "sqlite_compileoption_get",
        "sqlite_compileoption_used", "sqlite_offset",
    }
)  # fmt: skip
"""SQL functions that may not be called: most depend on the time, on chance or on the machine."""

_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})

Rows = Iterable[tuple[Any, ...]]


@dataclass(frozen=True)
class Table:
    """One table: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: Callable[[Lab], Rows]


def _of(items: Callable[[Lab], Iterable[Any]], declared: str) -> Table:
    """Make a table of entities from columns in the notation of `columns`."""
    return Table(columns.names(declared), lambda lab: columns.tuples(declared)(items(lab)))


def _made(declared: str, rows: Callable[[Lab], Rows]) -> Table:
    """Make a table whose rows a function computes."""
    return Table(tuple(declared.split()), rows)


def _varied(items: Callable[[Lab], Iterable[Any]], declared: str, last: Callable[[Lab], str]) -> Table:
    """Make a table of entities in which the attribute of one column, written `*`, depends on the mode."""
    return Table(
        columns.names(declared), lambda lab: columns.tuples(declared.replace("*", last(lab)))(items(lab))
    )


def _grant_calls(lab: Lab) -> Rows:
    for call in lab.calls.values():
        if call.opens <= lab.month:
            agency = lab.agencies[call.agency]
            yield (call.id, call.agency, agency.award, agency.duration, call.opens, call.last)


_MONTHLY = itemgetter(
    "month", "budget", "standing", "researchers", "projects", "publications", "citations", "attention_used"
)

TABLES: Mapping[str, Table] = {
    "students": _of(
        lambda lab: lab.members.values(),
        "id name role status arrived_month:arrived left_month:left stipend:pay mentoring_hours:mentoring "
        "papers_accepted:papers first_author_accepted:first_author contract_end",
    ),
    "student_reports": _made(
        "student_id month report_quality meeting_sentiment",
        lambda lab: ((m.id, *report) for m in lab.members.values() for report in people.reports(lab, m)),
    ),
    "applicants": _of(
        lambda lab: lab.applicants.values(),
        "id season_year:season pool name transcript letter interview:interview_seen status",
    ),
    "projects": _varied(
        lambda lab: lab.projects.values(),
        "id topic:topic_name tier status started_month:started ended_month:ended progress_pct "
        "monthly_compute:compute members draft_id:draft scooped_times:*",
        # The published program shows a scoop a month before its news, the other modes together with the news.
        lambda lab: "announced" if lab.rules.checked else "scooped",
    ),
    "drafts": _of(
        lambda lab: lab.drafts.values(),
        "id project_id:project topic:topic_name tier status created_month:created authors "
        "polish_hours:polish revisions salvage collab",
    ),
    "submissions": _varied(
        lambda lab: lab.submissions.values(),
        "id draft_id:draft venue status submitted_month:submitted decision_month:* reviewer_scores:scores",
        # The published program shows the month of a decision from the submission on.
        lambda lab: "decision" if lab.rules.published_views else "decided",
    ),
    "publications": _of(
        lambda lab: lab.published(),
        "id draft_id:draft venue topic:topic_name tier published_month:published citations authors collab",
    ),
    "citations_monthly": _made(
        "publication_id month citations",
        lambda lab: ((p.id, month, n) for p in lab.published() for month, n in p.monthly),
    ),
    "grant_calls": _made("id agency award duration_months open_month close_month", _grant_calls),
    "proposals": _of(
        lambda lab: lab.proposals.values(),
        "id call_id:call agency topic:topic_name status hours submitted_month:submitted "
        "decision_month:decision attached",
    ),
    "awards": _of(lambda lab: lab.awards.values(), "id agency total monthly start_month:start end_month:end"),
    "ledger": _made("month category amount note", lambda lab: lab.ledger),
    "news": _made("month kind topic text", lambda lab: lab.news),
    "preprint_feed": _made("month topic preprint_count", views.preprint_counts),
    "conference_reports": _made("month venue topic accepted_papers", views.conference_counts),
    "events": _of(lambda lab: lab.events.values(), "id kind month respond_by:expires status details"),
    "lab_monthly": _made(
        "month budget reputation_standing students active_projects publications citations_total "
        "attention_used",
        lambda lab: map(_MONTHLY, lab.rows),
    ),
    "venues": _made(
        "name kind deadlines decision_delay",
        lambda lab: (
            (v.name, v.kind, json.dumps(v.deadlines) if v.deadlines else None, v.delay)
            for v in lab.venues.values()
        ),
    ),
    "topics": _made("name", lambda lab: ((topic,) for topic in TOPICS)),
}
"""The tables in the order of the system prompt; lists are JSON text, and booleans are 0 and 1."""

DATA_FILES = ("../data/sql.yaml",)
_TYPES: Mapping[str, list[str]] = yaml.read(Path(__file__).parent / DATA_FILES[0])
TYPES: Mapping[str, str] = {column: kind for kind, named in _TYPES.items() for column in named}
"""The types of columns of numbers; all others hold text.

In a typed table a comparison converts text, so that `month = '1'` finds month 1. The types of `month` and of
money are the published ones; the description of the original leaves the others open.
"""


GROWING: Mapping[str, Callable[[Lab], list[Any]]] = {
    "ledger": lambda lab: lab.ledger,
    "news": lambda lab: lab.news,
}
"""Long tables whose rows never change, so that only new rows have to be added."""


TOO_LONG = "query: it takes too long"
"""The refusal of a statement that exceeds its steps or its time."""


class Late(Refused):
    """A statement was ended because the time of its block was used up."""


class Database:
    """The tables of one lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._filled: dict[str, Any] = {}
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        run = self._connection.execute
        run("PRAGMA temp_store = MEMORY")
        run(f"PRAGMA hard_heap_limit = {MEMORY}")
        typed = lab.rules.published_views
        for name, table in TABLES.items():
            declared = (
                f"{column} {TYPES.get(column, 'TEXT')}" if typed else column for column in table.columns
            )
            run(f"CREATE TABLE {name} ({', '.join(declared)})")
        for limit, value in LIMITS.items():
            self._connection.setlimit(limit, value)
        self._connection.text_factory = lambda data: data.decode(errors="replace")

    def query(self, sql: str, seconds: float = LAST_RESORT) -> list[dict[str, Any]]:
        """Return at most 200 rows of a statement, as maps from column to value.

        Args:
            sql: the statement.
            seconds: the time after which the statement is ended.

        Raises:
            Refused: the text is not a query, the query fails, or it exceeds a limit.
            Late: the time is used up.
        """
        if not isinstance(sql, str) or not sql.strip().lower().startswith(("select", "with")):
            raise Refused("query takes one SELECT statement (it may begin with WITH)")
        for table in set(re.findall(r"[a-z_]+", sql.lower())) & TABLES.keys():
            self._update(table)
        watch = _Watch(seconds)
        self._connection.set_progress_handler(watch, STEPS_AT_ONCE)
        self._connection.set_authorizer(_authorize)
        try:
            return self._fetch(sql)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as problem:
            if watch.late:
                raise Late(TOO_LONG) from None
            why = TOO_LONG if watch.barked else f"query: {problem}"
            raise Refused(why[:300]) from None
        except MemoryError:
            raise Refused("query: it takes too much memory") from None
        finally:
            self._connection.set_progress_handler(None, 0)
            self._connection.set_authorizer(None)

    def close(self) -> None:
        self._connection.close()

    def _fetch(self, sql: str) -> list[dict[str, Any]]:
        cursor = self._connection.execute(sql)
        try:
            names = [column[0] for column in cursor.description or ()]
            rows, size = [], 0
            for row in cursor:
                values = {name: _plain(value) for name, value in zip(names, row, strict=True)}
                size += sum(len(str(value)) for value in values.values())
                if size > MOST_CHARACTERS:
                    raise Refused("query: the result is too long; ask for less")
                rows.append(values)
                if len(rows) == MOST_ROWS:
                    break
            return rows
        finally:
            cursor.close()

    def _update(self, table: str) -> None:
        lab, run = self._lab, self._connection
        places = ", ".join("?" * len(TABLES[table].columns))
        if table in GROWING:
            rows = GROWING[table](lab)
            run.executemany(f"INSERT INTO {table} VALUES ({places})", rows[self._filled.get(table, 0) :])
            self._filled[table] = len(rows)
            return
        stamp = (lab.month, lab.over, len(lab.actions), lab.oneoff)
        if self._filled.get(table) != stamp:
            run.execute("BEGIN")
            run.execute(f"DELETE FROM {table}")
            run.executemany(f"INSERT INTO {table} VALUES ({places})", TABLES[table].rows(lab))
            run.execute("COMMIT")
            self._filled[table] = stamp


class _Watch:
    """A progress handler for SQLite that ends a statement after too many steps."""

    def __init__(self, seconds: float) -> None:
        self.times = 0
        self.barked = self.late = False
        self.end = time.monotonic() + seconds

    def __call__(self) -> bool:
        self.times += 1
        self.late = time.monotonic() > self.end
        self.barked = self.late or self.times > TIMES
        return self.barked


def _authorize(action: int, first: str | None, second: str | None, *rest: str | None) -> int:
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and str(second).lower() not in FORBIDDEN:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

"""The lab's books as 19 tables, to be read with SQL.

One SQLite database in memory is kept for a lab. Before a statement runs, the tables that it names are brought
up to date: what only grows gets its new rows, the others are filled again where the lab has changed. Nothing
can be written: an authorizer allows reading, and functions whose value depends on the same rows alone.

A statement ends after so many steps of SQLite's machine. That is a count and not a time, so that the same
statement ends at the same place everywhere; the limits on texts and memory keep a single step short.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.suites.pilab.environment.parameters import AGENCIES, TOPICS, VENUES
from assay.suites.pilab.interface import views
from assay.suites.pilab.lab import people
from assay.suites.pilab.lab.refusal import Refused
from assay.suites.pilab.lab.state import Lab

MOST_ROWS = 200
MOST_CHARACTERS = 400_000
"""Of all values in a result together."""

STEPS_AT_ONCE, TIMES = 10_000, 200
"""A statement may take two million steps."""

LAST_RESORT = 15.0
"""Seconds after which a statement ends in any case; by count it ends long before."""

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
"""Functions that depend on the time, on chance or on the machine."""

_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})

Row = tuple[Any, ...]

COLUMNS: Mapping[str, str] = {
    "students": "id name role status arrived_month left_month stipend mentoring_hours papers_accepted "
    "first_author_accepted contract_end",
    "student_reports": "student_id month report_quality meeting_sentiment",
    "applicants": "id season_year pool name transcript letter interview status",
    "projects": "id topic tier status started_month ended_month progress_pct monthly_compute members "
    "draft_id scooped_times",
    "drafts": "id project_id topic tier status created_month authors polish_hours revisions salvage collab",
    "submissions": "id draft_id venue status submitted_month decision_month reviewer_scores",
    "publications": "id draft_id venue topic tier published_month citations authors collab",
    "citations_monthly": "publication_id month citations",
    "grant_calls": "id agency award duration_months open_month close_month",
    "proposals": "id call_id agency topic status hours submitted_month decision_month attached",
    "awards": "id agency total monthly start_month end_month",
    "ledger": "month category amount note",
    "news": "month kind topic text",
    "preprint_feed": "month topic preprint_count",
    "conference_reports": "month venue topic accepted_papers",
    "events": "id kind month respond_by status details",
    "lab_monthly": "month budget reputation_standing students active_projects publications citations_total "
    "attention_used",
    "venues": "name kind deadlines decision_delay",
    "topics": "name",
}
"""The columns of each table; lists are JSON text, booleans 0 and 1."""


def _students(lab: Lab) -> Iterable[Row]:
    for m in lab.members.values():
        yield (
            m.id, m.name, m.role, m.status, m.arrived, m.left, m.pay, m.mentoring, m.papers, m.first_author,
            m.contract_end,
        )  # fmt: skip


def _student_reports(lab: Lab) -> Iterable[Row]:
    for m in lab.members.values():
        for report in people.reports(lab, m):
            yield (m.id, *report)


def _applicants(lab: Lab) -> Iterable[Row]:
    for a in lab.applicants.values():
        interview = a.interview if a.interviewed else None
        yield (a.id, a.season, a.pool, a.name, a.transcript, a.letter, interview, a.status)


def _projects(lab: Lab) -> Iterable[Row]:
    for p in lab.projects.values():
        # As published, a scoop shows here a month before its news; mended, together with it.
        scooped = p.announced if lab.mended else p.scooped
        yield (
            p.id, TOPICS[p.topic], p.tier, p.status, p.started, p.ended, views.progress(p.progress, p.work),
            p.compute, json.dumps(p.members), p.draft, scooped,
        )  # fmt: skip


def _drafts(lab: Lab) -> Iterable[Row]:
    for d in lab.drafts.values():
        yield (
            d.id, d.project, TOPICS[d.topic], d.tier, d.status, d.created, json.dumps(d.authors), d.polish,
            d.revisions, int(d.salvage), int(d.collab),
        )  # fmt: skip


def _submissions(lab: Lab) -> Iterable[Row]:
    for s in lab.submissions.values():
        decided = None if s.status == "under_review" else s.decision
        scores = None if s.scores is None else json.dumps(s.scores)
        yield (s.id, s.draft, s.venue, s.status, s.submitted, decided, scores)


def _publications(lab: Lab) -> Iterable[Row]:
    for p in lab.published():
        yield (
            p.id, p.draft, p.venue, TOPICS[p.topic], p.tier, p.published, p.citations, json.dumps(p.authors),
            int(p.collab),
        )  # fmt: skip


def _citations_monthly(lab: Lab) -> Iterable[Row]:
    for p in lab.published():
        for month, n in p.monthly:
            yield (p.id, month, n)


def _grant_calls(lab: Lab) -> Iterable[Row]:
    for c in lab.calls.values():
        if c.opens <= lab.month:
            agency = AGENCIES[c.agency]
            yield (c.id, c.agency, agency.award, agency.duration, c.opens, c.last)


def _proposals(lab: Lab) -> Iterable[Row]:
    for p in lab.proposals.values():
        yield (
            p.id, p.call, p.agency, TOPICS[p.topic], p.status, p.hours, p.submitted, p.decision,
            json.dumps(p.attached),
        )  # fmt: skip


def _awards(lab: Lab) -> Iterable[Row]:
    for a in lab.awards.values():
        yield (a.id, a.agency, a.total, a.monthly, a.start, a.end)


def _preprint_feed(lab: Lab) -> Iterable[Row]:
    for month, counts in lab.preprints:
        for topic, count in zip(TOPICS, counts, strict=True):
            yield (month, topic, count)


def _conference_reports(lab: Lab) -> Iterable[Row]:
    for month, venue, counts in lab.conferences:
        for topic, count in zip(TOPICS, counts, strict=True):
            yield (month, venue, topic, count)


def _events(lab: Lab) -> Iterable[Row]:
    for e in lab.events.values():
        yield (e.id, e.kind, e.month, e.expires, e.status, json.dumps(views.details(e)))


def _lab_monthly(lab: Lab) -> Iterable[Row]:
    for r in lab.rows:
        yield (
            r["month"], r["budget"], r["reporting"], r["researchers"], r["projects"], r["publications"],
            r["citations"], r["attention_used"],
        )  # fmt: skip


def _venues(lab: Lab) -> Iterable[Row]:
    for v in VENUES.values():
        yield (v.name, v.kind, json.dumps(v.deadlines) if v.deadlines else None, v.delay)


FILLED: Mapping[str, Callable[[Lab], Iterable[Row]]] = {
    "students": _students,
    "student_reports": _student_reports,
    "applicants": _applicants,
    "projects": _projects,
    "drafts": _drafts,
    "submissions": _submissions,
    "publications": _publications,
    "citations_monthly": _citations_monthly,
    "grant_calls": _grant_calls,
    "proposals": _proposals,
    "awards": _awards,
    "preprint_feed": _preprint_feed,
    "conference_reports": _conference_reports,
    "events": _events,
    "lab_monthly": _lab_monthly,
    "venues": _venues,
    "topics": lambda lab: ((topic,) for topic in TOPICS),
}
"""Tables that are filled again where the lab has changed."""

GROWING: Mapping[str, Callable[[Lab], list[Any]]] = {
    "ledger": lambda lab: lab.ledger,
    "news": lambda lab: lab.news,
}
"""Tables whose rows stay as they are: the long ones."""


class Database:
    """The tables of one lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._filled: dict[str, Any] = {}
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        run = self._connection.execute
        run("PRAGMA temp_store = MEMORY")
        run(f"PRAGMA hard_heap_limit = {MEMORY}")
        for table, columns in COLUMNS.items():
            run(f"CREATE TABLE {table} ({', '.join(columns.split())})")
        for limit, value in LIMITS.items():
            self._connection.setlimit(limit, value)
        self._connection.text_factory = lambda data: data.decode(errors="replace")

    def query(self, sql: str) -> list[dict[str, Any]]:
        """At most 200 rows of a statement, as maps from column to value; `Refused` says what is wrong."""
        if not isinstance(sql, str) or not sql.strip().lower().startswith(("select", "with")):
            raise Refused("query takes one SELECT statement (it may begin with WITH)")
        for table in set(re.findall(r"[a-z_]+", sql.lower())) & COLUMNS.keys():
            self._update(table)
        watch = _Watch()
        self._connection.set_progress_handler(watch, STEPS_AT_ONCE)
        self._connection.set_authorizer(_authorize)
        try:
            return self._fetch(sql)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as problem:
            why = "it takes too long" if watch.barked else str(problem)
            raise Refused(f"query: {why[:300]}") from None
        except MemoryError:
            raise Refused("query: it takes too much memory") from None
        finally:
            self._connection.set_progress_handler(None, 0)
            self._connection.set_authorizer(None)

    def close(self) -> None:
        """Give the memory back."""
        self._connection.close()

    def _fetch(self, sql: str) -> list[dict[str, Any]]:
        cursor = self._connection.execute(sql)
        try:
            names = [column[0] for column in cursor.description or ()]
            rows, size = [], 0
            for row in cursor:
                shown = {name: _plain(value) for name, value in zip(names, row, strict=True)}
                size += sum(len(str(value)) for value in shown.values())
                if size > MOST_CHARACTERS:
                    raise Refused("query: the result is too long; ask for less")
                rows.append(shown)
                if len(rows) == MOST_ROWS:
                    break
            return rows
        finally:
            cursor.close()

    def _update(self, table: str) -> None:
        lab, run = self._lab, self._connection
        places = ", ".join("?" * len(COLUMNS[table].split()))
        if table in GROWING:
            rows = GROWING[table](lab)
            run.executemany(f"INSERT INTO {table} VALUES ({places})", rows[self._filled.get(table, 0) :])
            self._filled[table] = len(rows)
            return
        stamp = (lab.month, lab.over, len(lab.actions), lab.oneoff)
        if self._filled.get(table) != stamp:
            run.execute("BEGIN")
            run.execute(f"DELETE FROM {table}")
            run.executemany(f"INSERT INTO {table} VALUES ({places})", FILLED[table](lab))
            run.execute("COMMIT")
            self._filled[table] = stamp


class _Watch:
    """Ends a statement that takes too many steps."""

    def __init__(self) -> None:
        self.times = 0
        self.barked = False
        self.began = time.monotonic()

    def __call__(self) -> bool:
        self.times += 1
        self.barked = self.times > TIMES or time.monotonic() - self.began > LAST_RESORT
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

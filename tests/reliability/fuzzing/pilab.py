"""The doors of pilab: SQL, and logs of actions that are carried out again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reliability.fuzzing.door import ROOT, Call, Door, on_file, text_of

from assay import canonical
from assay.errors import AssayError
from assay.suites.pilab.lab.entities import Refused


def sql(folder: Path) -> Call:
    """One statement on the books of a lab that has run for a year; what it gives can be logged."""
    from assay.suites.pilab.interface.database import Database

    lab = _lab(12)
    database = Database(lab)

    def call(data: bytes) -> object:
        return canonical.dumps(database.query(text_of(data))).encode("utf-8", "surrogatepass")

    return call


def _lab(months: int) -> Any:
    from assay.suites.pilab.interface import methods
    from assay.suites.pilab.lab.state import Lab

    lab = Lab(101)
    for _ in range(months):
        methods.next_month(lab)
    return lab


def statements() -> list[bytes]:
    """Statements on every table, and what is rare in them."""
    from assay.suites.pilab.interface.database import TABLES

    found = [
        f"SELECT {table.columns[0]}, count(*) FROM {name} GROUP BY 1 ORDER BY 2 DESC LIMIT 5"
        for name, table in TABLES.items()
    ]
    found += [
        "SELECT * FROM students",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < 50) SELECT x FROM c",
        "SELECT s.name, p.topic FROM students s JOIN projects p ON p.members LIKE '%' || s.id || '%'",
        "SELECT json_extract(members, '$[0]') FROM projects",
        "SELECT printf('%.3f', avg(amount)) FROM ledger WHERE month BETWEEN 1 AND 12",
        "SELECT month, sum(amount) OVER (ORDER BY month) FROM ledger",
        "select hex(x'00ff'), typeof(1e400), 9223372036854775807 + 1",
    ]
    return [statement.encode() for statement in found]


def log(carried_out: bool) -> Callable[[Path], Call]:
    """A log of actions in a file: read, and carried out on a fresh lab for a year at most."""

    def take(path: Path) -> object:
        from assay.suites.pilab.interface import replays
        from assay.suites.pilab.interface.methods import NEXT_MONTH
        from assay.suites.pilab.lab.state import Lab

        calls = replays.read_log(path)
        if not carried_out:
            return calls
        kept, months = [], 0
        for call in calls:
            months += call[1] == NEXT_MONTH
            if months > 12:
                break
            kept.append(call)
        lab = Lab(101)
        found = replays.replay(lab, kept)
        replays.statistics_digest(lab)
        return [one.reason.encode() for one in found]

    return on_file("log.json", take)


def logs() -> list[bytes]:
    """The beginnings of kept logs."""
    found = []
    for path in sorted((ROOT / "tests/suites/pilab/replays").glob("*_*.json"))[::3]:
        entries = json.loads(path.read_bytes())
        found += [json.dumps(entries[start : start + 30]).encode() for start in (0, 90)]
    return found


def rows() -> list[Door]:
    """The table's part."""
    return [
        Door("pilab SQL", "sql", sql, statements, (Refused,), 200),
        Door("pilab log of actions", "json", log(False), logs, (AssayError,), 60),
        Door(
            "pilab log of actions, carried out",
            "json",
            log(True),
            logs,
            (AssayError,),
            3,
            broken=(b'[[1, "grants.propose", ["NIF-1", "theory", ' + b"9" * 400 + b"], 1]]",),
        ),
    ]

"""What a lab shows in the course of a run, for comparison with the engine of an earlier commit.

The digests in `observations.json` were made with the engine of commit a992dc7, once:

    git archive a992dc7 src | tar x -C OLD
    PYTHONPATH=OLD/src python tests/suites/pilab/observations.py > tests/suites/pilab/observations.json

Left out are the columns that the mode `as-published` has corrected since; `test_observations` tests these one
by one.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

SEEDS = range(7001, 7021)
PLAYERS = ("baseline", "oracle", "ambitious")
"""Policies whose decisions do not depend on a column that was corrected."""

REPLAYS = Path(__file__).parent / "replays"
RUNS = (*map(str, SEEDS), *sorted(path.name for path in REPLAYS.glob("*_*.json")))
"""Twenty new seeds and the recorded logs, which use every method."""

STEWARDS = tuple(f"steward {seed}" for seed in SEEDS)
"""The same seeds, played by a policy that decides by the amounts of awards, which that engine truncated."""

EVERY = 4
"""Months between two looks at the lab."""

AMOUNTS = frozenset({"budget", "est_monthly_burn", "amount", "monthly_income", "total", "monthly"})
"""Columns of views that are not compared, because that engine truncated them."""

EXPECTED_DECISIONS = frozenset({"decision_month"})
"""Columns of SQL tables that are not compared, because that engine showed them after the decision alone."""

READING = (
    "lab.dashboard", "lab.ledger", "lab.attention", "recruit.applicants", "students.list", "projects.list",
    "papers.drafts", "papers.submissions", "papers.publications", "grants.calls", "grants.proposals",
    "grants.awards", "field.news", "field.preprints", "field.conference_report", "field.topics",
    "events.pending",
)  # fmt: skip


def observe(lab: Any, methods: Mapping[str, Any], query: Callable[[str], Any], tables: Any) -> dict[str, Any]:
    """Return the result of every method that reads, and the last rows of every SQL table."""
    shown = {name: methods[name].call(lab) for name in READING}
    for member in list(lab.members):
        shown[f"reports {member}"] = methods["students.reports"].call(lab, member)
    for table in tables:
        shown[f"table {table}"] = query(f"select * from {table} order by rowid desc")
    return shown


def comparable(value: Any, corrected: frozenset[str]) -> Any:
    """Return a value without the corrected columns, with all numbers as floats."""
    if isinstance(value, dict):
        return {name: comparable(inner, corrected) for name, inner in value.items() if name not in corrected}
    if isinstance(value, list | tuple):
        return [comparable(inner, corrected) for inner in value]
    return float(value) if isinstance(value, int | float) else value


def digest(name: str, room: Callable[[str], Any], mode: str) -> str:
    """Return the SHA-256 of what a run shows; `room` returns the module of the suite with a name.

    Args:
        name: a seed, which one of `PLAYERS` plays; a policy and a seed; or the file of a log of calls.
        room: returns the module of the suite with a name.
        mode: the mode of the lab.
    """
    if name.endswith(".json"):
        expected = json.loads((REPLAYS / "expected.json").read_text(encoding="utf-8"))[name]
        parameters = room("parameters").Parameters(start_budget=float(expected["start_budget"]))
        lab = room("state").Lab(expected["seed"], parameters, mode)
        months = _logged(lab, name, room("replays"))
    else:
        policy, _, seed = name.rpartition(" ")
        lab = room("state").Lab(int(seed), mode=mode)
        months = _played(lab, policy or PLAYERS[int(seed) % len(PLAYERS)], room)
    methods, tables = room("methods").METHODS, room("database").TABLES
    database, total = room("database").Database(lab), hashlib.sha256()
    for _ in months:
        if lab.month % EVERY == 0:
            shown = observe(lab, methods, database.query, tables)
            for key, value in shown.items():
                corrected = EXPECTED_DECISIONS if key.startswith("table ") else AMOUNTS
                total.update(json.dumps([key, comparable(value, corrected)]).encode())
    return total.hexdigest()


def _played(lab: Any, policy: str, room: Callable[[str], Any]) -> Iterator[None]:
    """Play the lab, and pause at the end of each month."""
    player = room("runs").POLICIES[policy](lab)
    client = room("client").LabClient(lab)
    while not lab.over:
        player(client)
        yield
        client.next_month()


def _logged(lab: Any, name: str, replays: Any) -> Iterator[None]:
    for _, method, arguments, _ in replays.read_log(REPLAYS / name):
        if method == "time.next_month":
            yield
        replays.carry_out(lab, method, arguments)


def _old(name: str) -> Any:
    names = {"client": "desk", "state": "lab"}
    module: Any = import_module(f"assay.suites.pilab.{names.get(name, name)}")
    if name == "client":
        module.LabClient = module.LabDesk
    elif name == "database":
        module.TABLES = module.COLUMNS
    return module


if __name__ == "__main__":
    json.dump({name: digest(name, _old, "released") for name in (*RUNS, *STEWARDS)}, sys.stdout, indent=1)
    print()

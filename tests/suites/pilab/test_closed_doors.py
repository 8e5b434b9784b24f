"""The holes of the published program: open in the mode `released`, closed in `mended`."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assay.suites.pilab.environment.parameters import Mode
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.interface.database import TABLES, Database
from assay.suites.pilab.interface.methods import METHODS, next_month
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.papers import impact
from assay.suites.pilab.lab.state import Lab

NAN = math.nan


def client(mode: Mode, seed: int = 101) -> LabClient:
    return LabClient(Lab(seed, mode=mode))


def staffed(mode: Mode) -> LabClient:
    found = client(mode)
    for _ in range(3):
        found.call("recruit.hire_ra")
    return found


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("grants.propose", ("TIF-rolling", "theory", NAN, [])),
        ("projects.start", ("theory", 1, ["RA001"], NAN)),
        ("projects.start", ("theory", 1, ["RA001", "RA001"], 0)),
        ("projects.start", ("theory", 1, ["RA001", "RA002", "RA001"], 0)),
        ("students.set_mentoring", ({"RA001": NAN},)),
    ],
)
def test_arguments(method: str, arguments: tuple[Any, ...]) -> None:
    staffed("released").call(method, *arguments)
    closed = staffed("mended")
    before = (closed.lab.budget, closed.lab.oneoff, len(closed.lab.actions))
    with pytest.raises(Refused):
        closed.call(method, *arguments)
    assert (closed.lab.budget, closed.lab.oneoff, len(closed.lab.actions)) == before


@pytest.mark.parametrize("bad", [NAN, math.inf, -math.inf, -1.0, 1e300])
@pytest.mark.parametrize("method", ["papers.polish", "papers.revise", "projects.set_compute", "propose"])
def test_numbers_must_be_finite_and_in_range(method: str, bad: float) -> None:
    """On a lab with a draft that was rejected, so that nothing but the number is wrong."""
    lab = Lab(104, mode="mended")
    found = LabClient(lab)
    policy = POLICIES["baseline"](lab)
    while not any(s.status == "reject" for s in lab.submissions.values()):
        policy(found)
        found.next_month()
    draft = next(s.draft for s in lab.submissions.values() if s.status == "reject")
    project = lab.active_projects()[0].id
    calls = {
        "papers.polish": (draft, bad),
        "papers.revise": (draft, bad),
        "projects.set_compute": (project, bad),
        "propose": ("TIF-rolling", "theory", bad),
    }
    with pytest.raises(Refused):
        found.call("grants.propose" if method == "propose" else method, *calls[method])
    assert math.isfinite(lab.budget)
    assert math.isfinite(lab.oneoff)


def test_compute_that_is_no_number_kept_a_bankrupt_lab_open() -> None:
    lab = staffed("released").lab
    LabClient(lab).call("projects.start", "theory", 1, ["RA001"], NAN)
    while not lab.over:
        next_month(lab)
    assert math.isnan(lab.budget)
    assert lab.collapse_month is None


def test_evidence_counts_once() -> None:
    def with_draft(mode: Mode) -> LabClient:
        lab = Lab(104, mode=mode)
        found, policy = LabClient(lab), POLICIES["baseline"](lab)
        while not lab.drafts:
            policy(found)
            found.next_month()
        lab.last_tif = -99
        return found

    quality = {}
    for copies in (1, 40):
        found = with_draft("released")
        found.call("grants.propose", "TIF-rolling", "theory", 10, ["D001"] * copies)
        quality[copies] = list(found.lab.proposals.values())[-1].quality
    assert quality[40] > quality[1] + 0.05
    with pytest.raises(Refused, match="different"):
        with_draft("mended").call("grants.propose", "TIF-rolling", "theory", 10, ["D001"] * 2)


def test_interviews_are_all_or_none() -> None:
    released, mended = client("released"), client("mended")
    for found in (released, mended):
        with pytest.raises(Refused):
            found.call("recruit.interview", ["APP001", "APP002", "APP999"])
    assert [released.lab.oneoff, mended.lab.oneoff] == [6.0, 0.0]
    assert released.call("recruit.applicants")[0]["interview"] is not None
    assert mended.call("recruit.applicants")[0]["interview"] is None
    mended.call("recruit.interview", ["APP001", "APP002"])
    assert mended.lab.oneoff == 6.0


def test_a_scoop_shows_no_earlier_than_its_news() -> None:
    ahead = {}
    for mode in ("released", "mended"):
        lab = Lab(104, mode=mode)  # type: ignore[arg-type]
        found, policy, database = LabClient(lab), POLICIES["baseline"](lab), Database(lab)
        ahead[mode] = 0
        while not lab.over:
            policy(found)
            found.next_month()
            shown = database.query("select sum(scooped_times) as n from projects")[0]["n"] or 0
            told = sum(kind == "scoop" for _, kind, _, _ in lab.news)
            ahead[mode] += shown > told
    assert ahead["released"] > 0
    assert ahead["mended"] == 0


def test_what_is_not_yet_published_is_no_evidence() -> None:
    lab = Lab(104, mode="mended")
    found, policy = LabClient(lab), POLICIES["baseline"](lab)
    while not any(p.published > lab.month for p in lab.publications.values()):
        policy(found)
        found.next_month()
    paper = next(p.id for p in lab.publications.values() if p.published > lab.month)
    lab.last_tif = -99
    with pytest.raises(Refused, match="neither a draft nor a publication"):
        found.call("grants.propose", "TIF-rolling", "theory", 10, [paper])


@pytest.mark.parametrize("policy", ["baseline", "oracle", "ambitious"])
def test_honest_play_is_the_same_in_both_modes(policy: str) -> None:
    for seed in (102, 104, 106):
        labs = [play(POLICIES[policy], seed, mode=mode) for mode in ("released", "mended")]  # type: ignore[arg-type]
        assert impact(labs[0]) == impact(labs[1])
        assert labs[0].rows == labs[1].rows


def test_failed_calls_change_nothing() -> None:
    """Every method that decides something, with arguments that make no sense."""
    lab = Lab(101)
    found = LabClient(lab)
    before = (lab.budget, lab.oneoff, dict(lab.counters), len(lab.actions), len(lab.ledger))
    for name, method in METHODS.items():
        if method.log is None or not method.arguments:
            continue
        nonsense = [
            {"type": 1, "object": {"X": 1}, "array": ["X"]}.get(str(kind.get("type")), "X")
            for kind in method.arguments.values()
        ]
        with pytest.raises(Refused):
            found.call(name, *nonsense)
    assert (lab.budget, lab.oneoff, dict(lab.counters), len(lab.actions), len(lab.ledger)) == before


# ------------------------------------------------------------ SQL


def played() -> Database:
    return Database(play(POLICIES["baseline"], 104, mode="mended"))


@pytest.mark.parametrize(
    "sql",
    [
        "delete from news",
        "insert into topics values ('x')",
        "with a as (select 1) insert into topics select 'x'",
        "pragma table_info(news)",
        "select * from pragma_table_info('news')",
        "attach 'x.db' as x",
        "select 1; select 2",
        "select random()",
        "select datetime('now')",
        "select load_extension('x')",
        "select hotness from topics",
        "select zeroblob(1000000000)",
        "with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t",
        "select count(*) from news a, news b, news c, news d",
        "with recursive t(x, s) as (select 1, printf('%.*c', 16000, 'x') union all "
        "select x + 1, s || '' from t) select count(*) from t a, t b",
        "",
        "explain select 1",
        "select ?1",
        "select char(0) || x'ff' from nowhere",
    ],
)
def test_queries_that_are_refused(sql: str) -> None:
    database = played()
    before = database.query("select count(*) as n from news")
    with pytest.raises(Refused):
        database.query(sql)
    assert database.query("select count(*) as n from news") == before


def test_queries_show_at_most_200_rows_of_plain_values() -> None:
    database = played()
    assert len(database.query("select * from news")) == 200
    (row,) = database.query("select 9e999 as big, x'00ff' as bytes, char(55296) as half, null as none")
    assert row == {"big": None, "bytes": "00ff", "half": "\ufffd" * 3, "none": None}


def test_tables_have_the_published_columns_and_nothing_hidden() -> None:
    database = played()
    assert len(TABLES) == 19
    names = [name for table in TABLES.values() for name in table.columns]
    forbidden = {"q", "quality", "hotness", "crowding", "morale", "ability", "feasible", "novelty"}
    assert not forbidden & set(names)
    assert not [name for name in names if name.startswith("h_")]
    for name, table in TABLES.items():
        rows = database.query(f"select * from {name} limit 1")
        assert rows, name
        assert list(rows[0]) == list(table.columns)


def test_tables_follow_the_lab() -> None:
    """Kept up to date from query to query, equal to a database that is made anew."""
    lab = Lab(104, mode="mended")
    found, policy, kept = LabClient(lab), POLICIES["baseline"](lab), Database(lab)
    while not lab.over:
        policy(found)
        if lab.month % 7 == 0:
            fresh = Database(lab)
            for table in TABLES:
                sql = f"select * from {table} order by rowid desc"
                assert kept.query(sql) == fresh.query(sql), table
            fresh.close()
        found.next_month()


def test_reading_changes_nothing() -> None:
    """The published invariant: more queries and looks at the dashboard leave a run as it is."""
    runs = []
    for curious in (False, True):
        lab = Lab(105)
        found, policy, database = LabClient(lab), POLICIES["baseline"](lab), Database(lab)
        while not lab.over and lab.month < 30:
            if curious:
                found.call("lab.dashboard")
                database.query("select * from projects")
            policy(found)
            found.next_month()
        runs.append((lab.rows, [s.scores for s in lab.submissions.values()]))
    assert runs[0] == runs[1]

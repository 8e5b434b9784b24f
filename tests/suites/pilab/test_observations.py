"""What the mode `as-published` shows: equal to recorded observations, and to the rules of the original."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.suites.pilab import observations

from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.interface import views
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.interface.database import Database
from assay.suites.pilab.interface.fences import FENCE
from assay.suites.pilab.interface.methods import METHODS
from assay.suites.pilab.lab.state import Lab

RECORDED = json.loads((Path(__file__).parent / "observations.json").read_text(encoding="utf-8"))
ROOMS = {
    "runs": "experiments.runs",
    "client": "interface.client",
    "state": "lab.state",
    "parameters": "environment.parameters",
}
NAN = math.nan


def room(name: str) -> Any:
    return import_module(f"assay.suites.pilab.{ROOMS.get(name, f'interface.{name}')}")


@pytest.mark.parametrize("name", observations.RUNS)
def test_recorded_observations(name: str) -> None:
    assert observations.digest(name, room, "as-published") == RECORDED[name]


@pytest.mark.parametrize("name", observations.STEWARDS)
def test_only_rounded_amounts_change_what_the_steward_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steward plans with the amounts of awards, which the engine of that commit truncated."""
    monkeypatch.setattr(views, "whole", lambda lab, amount: int(amount))
    assert observations.digest(name, room, "as-published") == RECORDED[name]


def test_rounded_amounts_change_what_the_steward_does() -> None:
    name = "steward 7003"
    assert observations.digest(name, room, "as-published") != RECORDED[name]


def lab_after(months: int, seed: int = 104, mode: str = "as-published", policy: str = "steward") -> LabClient:
    lab = Lab(seed, mode=mode)
    client, act = LabClient(lab), POLICIES[policy](lab)
    while lab.month < months and not lab.over:
        act(client)
        client.next_month()
    return client


def test_released_is_an_alias() -> None:
    assert Lab(101, mode="released").mode == "as-published"
    with pytest.raises(KeyError, match="as-published, closed, mended, released"):
        Lab(101, mode="unknown")


# ------------------------------------------------------------ amounts


def test_amounts_are_rounded() -> None:
    client = lab_after(40, seed=102)
    lab, shown = client.lab, client.call("lab.dashboard")
    assert any(award.monthly != int(award.monthly) for award in lab.awards.values())
    assert (shown["budget"], shown["est_monthly_burn"]) == (round(lab.budget), round(lab.burn()))
    awards = client.call("grants.awards")
    assert [row["monthly"] for row in awards] == [round(award.monthly) for award in lab.awards.values()]
    assert [a["monthly_income"] for a in shown["active_awards"]] == [
        round(award.monthly) for award in lab.running_awards()
    ]
    amounts = [row["amount"] for row in client.call("lab.ledger", 5000)]
    assert amounts == [round(amount) for _, _, amount, _ in lab.ledger]
    assert amounts != [int(amount) for _, _, amount, _ in lab.ledger]


# ------------------------------------------------------------ SQL


def test_columns_of_tables_have_types() -> None:
    client = lab_after(12)
    database = Database(client.lab)
    assert len(database.query("select * from preprint_feed where month = '1'")) == len(TOPICS)
    assert len(Database(lab_after(12, mode="mended").lab).query("select 1 from news where month = '1'")) == 0
    (kinds,) = database.query(
        "select typeof(month) as month, typeof(amount) as amount, typeof(note) as note from ledger limit 1"
    )
    assert kinds == {"month": "integer", "amount": "real", "note": "text"}


def test_tables_show_the_month_of_a_decision_from_the_submission_on() -> None:
    lab = Lab(104, mode="as-published")
    client, act = LabClient(lab), POLICIES["baseline"](lab)
    while not any(s.status == "under_review" for s in lab.submissions.values()):
        act(client)
        client.next_month()
    rows = Database(lab).query(
        "select id, decision_month as month from submissions where status = 'under_review'"
    )
    assert rows == [
        {"id": s.id, "month": s.decision} for s in lab.submissions.values() if s.status == "under_review"
    ]
    waiting = [row for row in client.call("papers.submissions") if row["status"] == "under_review"]
    assert {row["decision_month"] for row in waiting} == {None}


def test_views_and_tables_agree() -> None:
    """A column that a view and a table both have holds the same value."""
    client = lab_after(36)
    database = Database(client.lab)
    for method, table in (
        ("projects.list", "projects"),
        ("papers.drafts", "drafts"),
        ("papers.publications", "publications"),
        ("students.list", "students"),
        ("grants.proposals", "proposals"),
    ):
        rows = {row["id"]: row for row in database.query(f"select * from {table}")}
        for shown in client.call(method):
            row = rows[shown["id"]]
            common = (shown.keys() & row.keys()) - observations.EXPECTED_DECISIONS
            assert len(common) >= 5
            for column in common:
                value = json.dumps(shown[column]) if isinstance(shown[column], list) else shown[column]
                assert row[column] == value, (method, column)


# ------------------------------------------------------------ counts and fences


def test_a_count_of_0_shows_everything() -> None:
    client = lab_after(12)
    assert len(client.call("field.news", 0)) == len(client.lab.news) > 20
    assert lab_after(12, mode="mended").call("field.news", 0) == []


@pytest.mark.parametrize("tag", ["python", "Python", "PYTHON", "python3", "py", "", "Py  "])
def test_fences(tag: str) -> None:
    match = FENCE.search(f"Here.\n```{tag}\nprint(1)\n```")
    assert match is not None
    assert match[1] == "print(1)\n"


@pytest.mark.parametrize("tag", ["json", "pythonic", "text"])
def test_fences_of_other_languages(tag: str) -> None:
    assert FENCE.search(f"```{tag}\nprint(1)\n```") is None


# ------------------------------------------------------------ fuzzed runs with duplicates and NaN


class Fuzzed:
    """A random player of `as-published` who repeats members and evidence and writes NaN for hours."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.lab = Lab(9000 + seed, mode="as-published")
        self.client = LabClient(self.lab)
        self.nan_proposals: set[str] = set()
        self.left_once = 0

    def twice(self, ids: list[str]) -> list[str]:
        return ids + self.chance.choices(ids, k=self.chance.randrange(3)) if ids else ids

    def month(self) -> None:
        client, chance = self.client, self.chance
        for applicant in client.call("recruit.applicants"):
            client.attempt("recruit.offer", applicant["id"])
        if self.lab.month % 9 == 1:
            client.attempt("recruit.hire_ra")
        members = client.members()
        if members:
            team = self.twice(chance.sample(members, min(3, len(members))))
            client.attempt("projects.start", chance.choice(TOPICS), chance.randint(1, 2), team, 500)
        for draft in client.open_drafts():
            client.attempt("papers.submit", draft, "W-SHOP")
        evidence = self.twice([draft.id for draft in self.lab.drafts.values()][:3])
        for call_id, _ in client.open_calls():
            hours = chance.choice([NAN, 10.0, 20.0])
            reply = client.attempt("grants.propose", call_id, chance.choice(TOPICS), hours, evidence)
            if reply is not None and math.isnan(hours):
                self.nan_proposals.add(reply["proposal_id"])
        if self.lab.month % 7 == 0:
            for assistant in [m.id for m in self.lab.present if m.role == "ra"][:1]:
                client.call("recruit.dismiss", assistant)

    def close(self) -> None:
        before = {p.id: Counter(p.members) for p in self.lab.running}
        present = {member.id for member in self.lab.present}
        self.client.next_month()
        gone = present - {member.id for member in self.lab.present}
        for project in self.lab.running:
            for member in gone & before.get(project.id, Counter()).keys():
                assert project.members.count(member) == before[project.id][member] - 1
                self.left_once += before[project.id][member] > 1


@pytest.mark.parametrize("seed", range(12))
def test_fuzzed_runs(seed: int) -> None:
    """Each run exercises the listed rules; repeated members leave once, and NaN is never funded."""
    player = Fuzzed(seed)
    while not player.lab.over:
        player.month()
        if player.lab.month % 6 == 0:
            shown = player.client.call("lab.dashboard")
            assert shown["budget"] == round(player.lab.budget)
            assert len(player.client.call("field.news", 0)) == len(player.lab.news)
        player.close()
    decided = [player.lab.proposals[name] for name in player.nan_proposals]
    decided = [proposal for proposal in decided if proposal.status != "pending"]
    assert decided
    assert {proposal.status for proposal in decided} == {"rejected"}
    assert all(math.isnan(proposal.quality) for proposal in decided)


def test_fuzzed_runs_lose_members_who_are_listed_twice() -> None:
    players = [Fuzzed(seed) for seed in range(4)]
    for player in players:
        while not player.lab.over:
            player.month()
            player.close()
    assert sum(player.left_once for player in players) > 0


# ------------------------------------------------------------ what is out of reach of code


def test_staff_is_out_of_reach_of_code() -> None:
    from assay.suites.pilab.environment.parameters import RULES
    from assay.suites.pilab.interface import methods, prompt

    published, closed = (methods.facade(RULES[mode]) for mode in ("as-published", "closed"))  # type: ignore[index]
    for name in methods.STAFF:
        assert methods.tool_name(name) in closed
        assert methods.tool_name(name) not in published
        assert name not in prompt.system(60, 8, "as-published")
        assert name in prompt.system(60, 8, "closed")
    assert "manager" not in prompt.system(60, 8, "as-published")
    assert len(methods.offered(RULES["as-published"])) == len(METHODS) - 3


def test_recorded_play_may_hire_staff() -> None:
    """The oracle plays outside the sandbox, and hires managers in its published runs."""
    lab = play(POLICIES["oracle"], 101)
    assert any(member.role == "manager" for member in lab.members.values())

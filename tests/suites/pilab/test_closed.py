"""The mode `closed`: each gain of the published economy that had no cost."""

from __future__ import annotations

import random
from typing import Any

import pytest

from assay.suites.pilab.environment.parameters import PUBLISHED, TOPICS, Parameters
from assay.suites.pilab.experiments.runs import POLICIES
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.interface.methods import METHODS
from assay.suites.pilab.lab.entities import Refused
from assay.suites.pilab.lab.state import Lab


def client(seed: int = 101, mode: str = "closed") -> LabClient:
    return LabClient(Lab(seed, mode=mode))


def played(until: Any, policy: str = "baseline", seed: int = 104, mode: str = "closed") -> LabClient:
    """A lab after the first month in which the condition holds."""
    lab = Lab(seed, mode=mode)
    found, act = LabClient(lab), POLICIES[policy](lab)
    while not until(lab):
        act(found)
        found.next_month()
    return found


# ------------------------------------------------------------ staff


@pytest.mark.parametrize(("method", "pay"), [("recruit.hire_ra", 1800), ("recruit.hire_manager", 4500)])
def test_staff_are_paid_for_every_month(method: str, pay: int) -> None:
    """Paid when hired, again when each later month ends, and for the last month when they are dismissed."""
    found = client()
    lab = found.lab
    member = found.call(method)["staff_id"]
    assert lab.budget == 600_000 - pay
    found.next_month()
    assert lab.budget == 600_000 - pay
    found.next_month()
    assert lab.budget == 600_000 - 2 * pay
    found.call("recruit.dismiss", member)
    found.next_month()
    assert lab.budget == 600_000 - 3 * pay
    found.next_month()
    assert lab.budget == 600_000 - 3 * pay
    assert [row[1:] for row in lab.ledger] == [("stipend", -pay, member)] * 3


def test_staff_cannot_be_dismissed_in_the_month_in_which_they_are_hired() -> None:
    found = client()
    member = found.call("recruit.hire_manager")["staff_id"]
    with pytest.raises(Refused, match="from the next one on"):
        found.call("recruit.dismiss", member)
    found.next_month()
    found.call("recruit.dismiss", member)
    with pytest.raises(Refused, match="already"):
        found.call("recruit.dismiss", member)


def test_a_dismissal_takes_effect_when_the_month_ends() -> None:
    found = played(lambda lab: len(lab.researchers()) >= 2)
    member = found.call("recruit.hire_manager")["staff_id"]
    found.next_month()
    pool = found.lab.pool()
    found.call("recruit.dismiss", member)
    assert found.lab.pool() == pool
    assert member in found.members()
    found.next_month()
    assert member not in found.members()
    assert found.lab.members[member].status == "dismissed"


def test_hours_that_are_spent_do_not_exceed_the_pool() -> None:
    """In `mended`, a dismissal left minus 4 hours here for each of the researchers."""
    left = {}
    for mode in ("mended", "closed"):
        found = played(lambda lab: len(lab.researchers()) >= 2, mode=mode)
        if mode == "closed":
            manager = found.call("recruit.hire_manager")["staff_id"]
            found.next_month()
        else:
            manager = found.call("recruit.hire_manager")["staff_id"]
        found.call("grants.propose", "TIF-rolling", "theory", found.lab.attention_left())
        found.call("recruit.dismiss", manager)
        left[mode] = found.lab.attention_left()
    assert left["mended"] < 0 <= left["closed"]


def test_an_assistant_takes_hours_that_are_left() -> None:
    found = client()
    found.call("recruit.hire_ra")
    found.call("grants.propose", "TIF-rolling", "theory", found.lab.attention_left() - 1)
    before = (found.lab.budget, dict(found.lab.counters))
    with pytest.raises(Refused, match="oversight"):
        found.call("recruit.hire_ra")
    assert (found.lab.budget, dict(found.lab.counters)) == before


# ------------------------------------------------------------ collaborations, evidence, authors, room


def offered(mode: str) -> LabClient:
    """A lab without people that has an offer of a collaboration."""
    for seed in range(101, 140):
        found = client(seed, mode)
        found.lab.reputation = 9.0
        for _ in range(6):
            found.next_month()
            if any(kind == "collab_offer" for _, kind in found.open_events()):
                return found
            found.lab.reputation = 9.0
    raise AssertionError("no offer")


def test_a_collaboration_takes_a_researcher() -> None:
    for mode, drafts in (("mended", 1), ("closed", 0)):
        found = offered(mode)
        (event,) = [event for event, kind in found.open_events() if kind == "collab_offer"]
        assistant = found.call("recruit.hire_ra")["staff_id"]
        assert (found.attempt("events.respond", event, "accept") is not None) == bool(drafts)
        found.attempt("recruit.dismiss", assistant)
        for _ in range(4):
            found.next_month()
        assert len(found.lab.drafts) == drafts


def test_a_published_draft_does_not_count_beside_its_paper() -> None:
    for mode in ("mended", "closed"):
        found = played(lambda lab: lab.published(), mode=mode)
        paper = found.lab.published()[0]
        found.lab.last_tif = -99
        arguments = ("grants.propose", "TIF-rolling", "theory", 10)
        if mode == "mended":
            found.call(*arguments, [paper.id, paper.draft])
            continue
        for attached in ([paper.id, paper.draft], [paper.draft]):
            with pytest.raises(Refused, match=f"attach {paper.id} instead"):
                found.call(*arguments, attached)
        found.call(*arguments, [paper.id])


def test_authors_have_done_a_part_of_the_work() -> None:
    """One project of two people, whom the others join in the month in which it is finished."""
    for mode in ("mended", "closed"):
        found = played(lambda lab: len(lab.researchers()) >= 4, "steward", 102, mode)
        lab = found.lab
        for project in list(lab.running):
            found.call("projects.kill", project.id)
        first, second, *others = [member.id for member in lab.researchers()]
        project = found.call("projects.start", "theory", 1, [first, second], 500)["project_id"]
        while lab.projects[project].progress < 0.7 * lab.projects[project].work:
            found.next_month()
        for other in others:
            found.attempt("projects.assign", project, other)
        while lab.projects[project].status == "active":
            found.next_month()
        assert lab.projects[project].status == "completed"
        authors = lab.drafts[str(lab.projects[project].draft)].authors
        assert set(authors) >= {first, second} & {m.id for m in lab.researchers()}
        assert (len(authors) > 2) == (mode == "mended")


def test_offers_and_searches_share_the_room() -> None:
    """As published, twelve offers and twelve searches fit in beside each other."""
    expected = {}
    for mode in ("mended", "closed"):
        found = client(103, mode)
        offers = [found.attempt("recruit.offer", a["id"]) for a in found.call("recruit.applicants")]
        searches = [found.attempt("recruit.post_postdoc") for _ in range(PUBLISHED.capacity)]
        expected[mode] = sum(reply is not None for reply in offers + searches)
    assert expected["mended"] > PUBLISHED.capacity == expected["closed"]


# ------------------------------------------------------------ anything goes


@pytest.mark.parametrize("seed", range(8))
def test_random_play_never_overdraws_hours(seed: int) -> None:
    """Random calls of every method: hours stay within the pool, people within the room, staff are paid."""
    chance = random.Random(seed)
    lab = Lab(8000 + seed, Parameters(start_budget=1e7), "closed")
    found = LabClient(lab)
    while not lab.over:
        for _ in range(12):
            ids = {
                "ids": [a.id for a in lab.applicants.values()][-6:],
                "applicant_id": [a.id for a in lab.applicants.values()][-6:],
                "member_id": list(lab.members)[-6:],
                "staff_id": [m.id for m in lab.present if not m.researcher],
                "student_id": list(lab.members),
                "members": list(lab.members)[-6:],
                "project_id": [p.id for p in lab.running],
                "draft_id": list(lab.drafts)[-6:],
                "submission_id": list(lab.submissions)[-3:],
                "attach": [*lab.drafts, *lab.publications][-6:],
                "call_id": [c for c, _ in found.open_calls()],
                "event_id": [e for e, _ in found.open_events()],
                "topic": list(TOPICS),
                "venue": ["NAIC", "CLAR", "W-SHOP", "JMR"],
                "tier": [1, 2, 3],
                "action": ["accept", "decline", "support"],
                "hours": [1.0, 5.0, 17.5, 60.0, lab.attention_left()],
                "monthly_compute": [0, 700, 5000],
                "n": [1],
                "n_months": [1],
            }
            method = METHODS[chance.choice(list(METHODS))]
            arguments: list[Any] = []
            for name in method.arguments:
                if name == "allocation":
                    arguments.append({m.id: chance.choice([0.0, 3.3, 9.0]) for m in lab.present[:4]})
                elif not ids[name]:
                    break
                elif name in ("ids", "members", "attach"):
                    arguments.append(chance.sample(ids[name], min(2, len(ids[name]))))
                else:
                    arguments.append(chance.choice(ids[name]))
            else:
                found.attempt(method.name, *arguments)
            assert lab.attention_left() >= -1e-6, method.name
        staff = {member.id for member in lab.present if not member.researcher}
        month = lab.month
        found.next_month()
        paid = {note for at, kind, _, note in lab.ledger if at == month and kind == "stipend"}
        assert staff <= paid
        assert len(lab.researchers()) <= PUBLISHED.capacity

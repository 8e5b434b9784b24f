"""Scripted runs that visit what the published policies never touch, equal to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay.suites.pilab.environment.parameters import PUBLISHED, TOPICS
from assay.suites.pilab.interface import methods
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.lab import papers, people, recruiting
from assay.suites.pilab.lab.state import Lab

RICH = replace(PUBLISHED, start_budget=3_000_000.0)


def play(seed: int, month: Callable[[LabClient, Lab, int], None]) -> Lab:
    lab = Lab(seed, RICH, "released")
    client = LabClient(lab)
    while not lab.over:
        month(client, lab, lab.month)
        methods.next_month(lab)
    return lab


def decline_all(client: LabClient) -> None:
    for event in client.call("events.pending"):
        no = "ignore" if event["kind"] == "student_crisis" else "decline"
        client.attempt("events.respond", event["id"], no)


def active(lab: Lab) -> list[str]:
    return [m.id for m in lab.active()]


def idle(lab: Lab) -> list[str]:
    busy = {member for p in lab.active_projects() for member in p.members}
    return [member for member in active(lab) if member not in busy]


def available(lab: Lab) -> list[str]:
    return [d.id for d in lab.drafts.values() if d.status == "available"]


def result(lab: Lab) -> tuple[Any, ...]:
    return papers.impact(lab), papers.citations(lab), lab.budget, lab.reputation, len(lab.actions)


def test_postdocs() -> None:
    def month(client: LabClient, lab: Lab, m: int) -> None:
        if m <= 4:
            client.attempt("recruit.post_postdoc")
        for member in [x for x in lab.active() if x.role == "postdoc" and int(x.id[2:]) % 2]:
            client.attempt("recruit.renew_postdoc", member.id)
        if hours := {member: 7 if at % 2 == 0 else 1.5 for at, member in enumerate(active(lab))}:
            client.attempt("students.set_mentoring", hours)
        for member in idle(lab):
            client.attempt("projects.start", "theory", 1, [member], 800)
        for draft in available(lab):
            client.attempt("papers.submit", draft, "W-SHOP")
        decline_all(client)

    lab = play(2303, month)
    assert result(lab) == (50.60616482793972, 38, 2159240.0, 2.253232125114751, 208)
    first = lab.members["PD001"]
    assert (first.arrived, first.ability, first.status) == (3, 0.6580656641587256, "active")
    left = {member: (lab.members[member].status, lab.members[member].left) for member in lab.members}
    assert left["PD002"] == ("contract_ended", 28)
    assert (left["PD003"], left["PD004"]) == (("quit", 18), ("quit", 14))


def test_staff_and_second_revisions() -> None:
    def month(client: LabClient, lab: Lab, m: int) -> None:
        if m == 1:
            assert all(client.attempt("recruit.hire_ra") for _ in range(3))
            assert [bool(client.attempt("recruit.hire_manager")) for _ in range(3)] == [True, True, False]
        if m == 20:
            client.attempt("recruit.dismiss", "RA001")
            client.attempt("recruit.dismiss", "MGR001")
        if m % 12 == 1:
            for applicant in client.call("recruit.applicants")[:3]:
                client.attempt("recruit.offer", applicant["id"])
        hours = {x.id: 4 if x.role == "phd" else 1 for x in lab.active() if x.role != "manager"}
        client.attempt("students.set_mentoring", hours)
        hands = [member for member in idle(lab) if lab.members[member].role != "manager"]
        for at in range(0, len(hands), 2):
            client.attempt("projects.start", "reasoning", 2, hands[at : at + 2], 3000)
        for draft in available(lab):
            if lab.drafts[draft].revisions < 2 * len(papers.rejected_by(lab, draft)):
                client.attempt("papers.revise", draft, 12)
            else:
                client.attempt("papers.submit", draft, "CLAR")
        decline_all(client)

    lab = play(2310, month)
    assert result(lab) == (657.5553423059694, 244, 754700.0, 4.999570858588913, 260)
    assert (len(lab.drafts), len(lab.publications)) == (15, 10)
    revisions = [draft.revisions for draft in lab.drafts.values()]
    assert (sum(revisions), max(revisions)) == (24, 6)
    assert lab.members["RA001"].speed == 0.9747268267572831
    assert lab.submissions["SUB001"].scores == [4.8, 5.2, 4.5]


def test_assignments() -> None:
    def month(client: LabClient, lab: Lab, m: int) -> None:
        if m % 12 == 1:
            for applicant in client.call("recruit.applicants")[:6]:
                client.attempt("recruit.offer", applicant["id"])
        running, a = [p.id for p in lab.active_projects()], active(lab)
        if m % 11 == 0 and running:
            client.attempt("projects.kill", running[-1])
        if m % 5 == 0 and running and lab.projects[running[0]].members:
            client.attempt("projects.unassign", running[0], lab.projects[running[0]].members[0])
        if a:
            hours = {member: [1, 4, 7, 9][(m + k) % 4] for k, member in enumerate(a)}
            client.attempt("students.set_mentoring", hours)
            running = [p.id for p in lab.active_projects()]
            for j, project in enumerate(running):
                client.attempt("projects.assign", project, a[(m + j) % len(a)])
            if len(running) < 4:
                client.attempt("projects.start", TOPICS[m % 8], 1 + m % 2, [a[0]], 1000 * (m % 4))
        if m % 4 == 2:
            under_review = [s.id for s in lab.submissions.values() if s.status == "under_review"]
            for submission in under_review[:1]:
                client.attempt("papers.withdraw", submission)
        for draft in available(lab):
            for venue in ("NAIC", "CLAR", "W-SHOP"):
                if client.attempt("papers.submit", draft, venue):
                    break
        decline_all(client)

    lab = play(2305, month)
    assert result(lab) == (36.51515314336416, 15, 1945200.0, 1.6929898374555612, 437)
    assert (len(lab.drafts), len(lab.publications)) == (7, 6)
    assert sum(m.status == "quit" for m in lab.members.values()) == 21
    assert sum(e.status == "declined" for e in lab.events.values()) == 42


def test_grants_conferences_and_collaborations() -> None:
    words: list[str] = []

    def month(client: LabClient, lab: Lab, m: int) -> None:
        trip = client.attempt("field.attend_conference")
        if m == 1:
            words.extend(trip["hallway_intel"].values())
        if m % 12 == 9:
            for call in client.call("grants.calls"):
                if call["agency"] == "FEL":
                    client.attempt("grants.propose", call["id"], "theory", 80)
        if m % 12 == 1:
            for applicant in client.call("recruit.applicants")[:2]:
                client.attempt("recruit.offer", applicant["id"])
        for event in client.call("events.pending"):
            yes = "support" if event["kind"] == "student_crisis" else "accept"
            client.attempt("events.respond", event["id"], yes)
        for draft in available(lab):
            client.attempt("papers.submit", draft, "JMR")

    lab = play(2306, month)
    assert result(lab) == (40.9968515801139, 14, 2707500.0, 5.281199059443745, 157)
    assert (len(lab.proposals), [a.start for a in lab.awards.values()]) == (2, [26])
    assert (len(lab.applicants), len(lab.drafts), len(lab.publications)) == (87, 6, 1)
    funding = [text.split()[2][:-1] for _, kind, _, text in lab.news if kind == "funding"]
    assert funding[:6] == ["1.21", "0.95", "0.77", "0.82", "0.79", "0.95"]
    assert words == ["warm", "warm", "quiet", "very hot", "very hot", "warm", "quiet", "warm"]


def test_limits_of_the_lab() -> None:
    pools: list[float] = []
    mentoring: dict[int, list[float]] = {}

    def month(client: LabClient, lab: Lab, m: int) -> None:
        pools.append(lab.pool())
        mentoring[m] = [x.mentoring for x in lab.active() if x.role == "phd"]
        if m % 12 == 1:
            for applicant in recruiting.listed(lab):
                client.attempt("recruit.offer", applicant.id)
        if m == 20:
            for _ in range(20):
                client.attempt("recruit.hire_ra")
        here = lab.active()
        if m % 12 == 6 and any(x.role == "phd" for x in here):
            client.attempt("students.set_mentoring", {x.id: lab.pool() / len(here) for x in here})
        for member in idle(lab):
            client.attempt("projects.start", "embodied", 3, [member], 250)
        for draft in available(lab):
            client.attempt("papers.polish", draft, 5)
            client.attempt("papers.submit", draft, "CLAR")

    lab = play(2307, month)
    assert result(lab) == (122.2081292908963, 25, 201475.0, 2.0451647744056163, 142)
    assert (pools[6], set(mentoring[7])) == (68, {13.6})
    assert (pools[20], set(mentoring[21])) == (38, {4.75})
    assert min(pools) == 30
    assert sum(e.status == "auto_ignored" for e in lab.events.values()) == 13
    assert people.reports(lab, lab.members["S001"])[:3] == [(5, 0.29, None), (6, 0.14, 0.73), (7, 0.17, 0.73)]

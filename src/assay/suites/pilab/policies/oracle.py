"""The published oracle: a policy that reads hidden state, but acts through the interface like any other."""

from __future__ import annotations

from assay.suites.pilab.environment.parameters import AGENCIES, REPUTATION_START, TOPICS
from assay.suites.pilab.environment.randomness import mean
from assay.suites.pilab.interface.client import Client
from assay.suites.pilab.lab import funding, papers
from assay.suites.pilab.lab.entities import Draft, Member
from assay.suites.pilab.lab.state import Lab

HORIZON = 18
"""Months ahead over which the oracle averages hotness."""

PROPOSAL_HOURS = 25
LEAST_ATTENTION = 27
"""Hours of attention above which the oracle writes a proposal."""

LADDER = (
    (6.3 - 0.2, ("NAIC", "JMR", "CLAR", "W-SHOP")),
    (5.6 - 0.2, ("JMR", "CLAR", "W-SHOP")),
    (4.6 - 0.3, ("CLAR", "W-SHOP")),
)


class Oracle:
    """The oracle policy; like the published one, it keeps the last runway that it computed between months."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.runway = 0.0

    def __call__(self, client: Client) -> None:
        lab = self.lab
        if lab.month % 12 == 1:
            self._recruit(client)
        managers = [m for m in lab.active() if m.role == "manager"]
        if len(lab.researchers()) >= 5 and not managers and self.runway > 15:
            client.attempt("recruit.hire_manager")
        self._mentor(client)
        best = best_topic(lab)
        self.runway = lab.runway()
        self._work(client, best)
        self._submit(client)
        self._propose(client)
        for event in client.call("events.pending"):
            if event["kind"] == "student_crisis":
                action = "support"
            else:
                free = event["kind"] == "collab_offer" or lab.attention_left() > 15
                action = "accept" if free else "decline"
            client.attempt("events.respond", event["id"], action)

    def _recruit(self, client: Client) -> None:
        lab = self.lab
        n = len(lab.researchers())
        self.runway = lab.runway()
        want = 3 - n if n < 3 else 2 if self.runway > 20 and n < 7 else 0
        season = lab.season()
        pending = [a for a in lab.applicants.values() if a.season == season and a.status == "pending"]
        for applicant in sorted(pending, key=lambda a: -a.ability)[: want + 1]:
            if applicant.ability > 0.55:
                client.attempt("recruit.offer", applicant.id)

    def _mentor(self, client: Client) -> None:
        left, hours = 55.0, {}
        for member in sorted(self.lab.researchers(), key=lambda m: m.independence):
            h = min(6 if member.independence < 0.7 else 3, left)
            left -= h
            hours[member.id] = h
        if hours:
            client.attempt("students.set_mentoring", hours)

    def _work(self, client: Client, best: int) -> None:
        lab = self.lab
        compute = 500 if self.runway < 12 else 2000
        n_published = len(lab.published())
        running = lab.active_projects()
        busy = {identifier for project in running for identifier in project.members}
        idle: list[Member] = sorted(
            (m for m in lab.researchers() if m.id not in busy), key=lambda m: -(m.ability * m.skill)
        )
        for at in range(0, len(idle), 2):
            team = idle[at : at + 2]
            ambitious = (
                team[0].ability > 0.7
                and n_published >= 2
                and lab.month < lab.months - 24
                and self.runway > 18
            )
            ids = [member.id for member in team]
            client.attempt("projects.start", TOPICS[best], 3 if ambitious else 2, ids, compute)
        for project in running:
            if project.compute != compute:
                client.attempt("projects.set_compute", project.id, compute)

    def _submit(self, client: Client) -> None:
        lab = self.lab
        for draft in [d for d in lab.drafts.values() if d.status == "available"]:
            rejected = papers.rejected_by(lab, draft.id)
            if draft.polish < 12 and not draft.salvage and not rejected:
                hours = min(12 - draft.polish, max(0, lab.attention_left() - 5))
                client.attempt("papers.polish", draft.id, hours)
            score = (
                draft.effective()
                + 0.35 * (lab.field.hot[draft.topic] - 1)
                + 0.15 * (lab.reputation - REPUTATION_START)
            )
            if score < 2.6 - 0.3 and rejected:
                continue
            ladder = next((venues for bar, venues in LADDER if score >= bar), ("W-SHOP",))
            for venue in ladder:
                if venue not in rejected and client.attempt("papers.submit", draft.id, venue):
                    break

    def _propose(self, client: Client) -> None:
        lab = self.lab
        slack = 0.15 if self.runway > 24 else -0.20
        for call in funding.open_calls(lab):
            if lab.attention_left() <= LEAST_ATTENTION:
                return
            top = sorted(lab.published(), key=lambda p: -p.quality)[:4]
            drafts: list[Draft] = [
                d for d in lab.drafts.values() if d.status in ("available", "under_review")
            ]
            written = [d.id for d in sorted(drafts, key=lambda d: -d.quality)[:2]]
            best, best_k, evidence = -9.0, 0, written
            for k in range(len(TOPICS)):
                attached = [p.id for p in top if p.topic == k] or [p.id for p in top] or written
                quality = funding.proposal_quality(lab, call.agency, k, PROPOSAL_HOURS, attached)
                if quality > best:
                    best, best_k, evidence = quality, k, attached
            if best > AGENCIES[call.agency].bar + slack:
                client.attempt("grants.propose", call.id, TOPICS[best_k], PROPOSAL_HOURS, evidence)


def best_topic(lab: Lab) -> int:
    """Return the index of the topic with the highest mean hotness over this month and the next 18."""
    last = len(lab.field.trajectory) - 1
    ahead = range(lab.month, min(lab.month + HORIZON, last) + 1)
    means = [mean([lab.field.trajectory[t][k] for t in ahead]) for k in range(len(TOPICS))]
    return max(range(len(TOPICS)), key=lambda k: means[k])

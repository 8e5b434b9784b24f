"""The lab's interface: every method by name, with its arguments, and what it does.

A method is a function of the lab and its arguments; `Refused` says no and changes nothing (but see
`recruiting.interview` in the released mode). What changes the lab is noted in `Lab.actions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.interface import views
from assay.suites.pilab.lab import conferences, events, funding, papers, people, projects, recruiting
from assay.suites.pilab.lab.refusal import Refused
from assay.suites.pilab.lab.state import Lab

ID: Mapping[str, Any] = {"type": "string", "maxLength": 40}
IDS: Mapping[str, Any] = {"type": "array", "items": ID, "maxItems": 60}
NUMBER: Mapping[str, Any] = {"type": "number"}
COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 0, "maximum": 100_000}


@dataclass(frozen=True)
class Method:
    """One method: `arguments` are JSON schemas in the order of positions, `defaults` those of the last ones.

    `log` names the arguments as the action log does; null where the method only reads.
    """

    name: str
    run: Callable[..., Any]
    doc: str
    arguments: Mapping[str, Mapping[str, Any]]
    defaults: Mapping[str, Any]
    log: tuple[str, ...] | None

    def call(self, lab: Lab, *arguments: Any) -> Any:
        """Carry it out with positional arguments, and note it where it changes the lab."""
        result = self.run(lab, *arguments)
        if self.log is not None:
            missing = len(self.arguments) - len(arguments)
            if missing:
                arguments += tuple(self.defaults.values())[len(self.defaults) - missing :]
            lab.actions.append((lab.month, self.name, dict(zip(self.log, arguments, strict=True))))
        return result

    def signature(self) -> str:
        """How it is written in code, e.g. `lab.ledger(n=20)`."""
        words = [f"{a}={self.defaults[a]!r}" if a in self.defaults else a for a in self.arguments]
        return f"{self.name}({', '.join(words)})"


def _interview(lab: Lab, ids: list[str] | str) -> dict[str, float]:
    return recruiting.interview(lab, [ids] if isinstance(ids, str) else ids)


def _offer(lab: Lab, applicant_id: str) -> dict[str, Any]:
    applicant = recruiting.offer(lab, applicant_id)
    return {"ok": True, "applicant": applicant.id, "note": "answered when month 3 of the year ends"}


def _post_postdoc(lab: Lab) -> dict[str, Any]:
    people.post_postdoc(lab)
    return {"ok": True, "note": "the search takes about two months"}


def _renew(lab: Lab, member_id: str) -> dict[str, Any]:
    return {"ok": True, "contract_end": people.renew_postdoc(lab, member_id).contract_end}


def _hire_ra(lab: Lab) -> dict[str, Any]:
    member = people.hire_assistant(lab)
    return {
        "ok": True,
        "staff_id": member.id,
        "monthly_cost": int(member.pay),
        "note": "works on projects, is no author; can be dismissed at any time",
    }


def _hire_manager(lab: Lab) -> dict[str, Any]:
    member = people.hire_manager(lab)
    return {
        "ok": True,
        "staff_id": member.id,
        "monthly_cost": int(member.pay),
        "oversight_relief_per_researcher": 2.0,
        "note": "takes a part of the oversight; can be dismissed at any time",
    }


def _dismiss(lab: Lab, staff_id: str) -> dict[str, Any]:
    people.dismiss(lab, staff_id)
    return {"ok": True}


def _set_mentoring(lab: Lab, allocation: dict[str, float]) -> dict[str, Any]:
    return {"ok": True, "mentoring_total": people.set_mentoring(lab, allocation)}


def _reports(lab: Lab, student_id: str, n: int = 6) -> list[dict[str, Any]]:
    if student_id not in lab.members:
        raise Refused(f"there is nobody with the id {student_id!r}")
    reports = people.reports(lab, lab.members[student_id])
    return [
        {"month": month, "report_quality": quality, "meeting_sentiment": sentiment}
        for month, quality, sentiment in (reports[-n:] if n > 0 else [])
    ]


def _start(lab: Lab, topic: str, tier: int, members: list[str], monthly_compute: float = 0) -> dict[str, Any]:
    project = projects.start(lab, topic, tier, members, monthly_compute)
    return {"project_id": project.id, "note": f"tier {tier} takes about {project.work:g} units of work"}


def _set_compute(lab: Lab, project_id: str, monthly_compute: float) -> dict[str, Any]:
    projects.set_compute(lab, project_id, monthly_compute)
    return {"ok": True}


def _assign(lab: Lab, project_id: str, member_id: str) -> dict[str, Any]:
    return {"ok": True, "members": list(projects.assign(lab, project_id, member_id).members)}


def _unassign(lab: Lab, project_id: str, member_id: str) -> dict[str, Any]:
    return {"ok": True, "members": list(projects.unassign(lab, project_id, member_id).members)}


def _kill(lab: Lab, project_id: str) -> dict[str, Any]:
    projects.kill(lab, project_id)
    return {"ok": True}


def _polish(lab: Lab, draft_id: str, hours: float) -> dict[str, Any]:
    return {"ok": True, "polish_hours": papers.polish(lab, draft_id, hours).polish}


def _submit(lab: Lab, draft_id: str, venue: str) -> dict[str, Any]:
    submission = papers.submit(lab, draft_id, venue)
    return {"submission_id": submission.id, "decision_expected_month": submission.decision}


def _revise(lab: Lab, draft_id: str, hours: float) -> dict[str, Any]:
    return {"ok": True, "revisions": papers.revise(lab, draft_id, hours).revisions}


def _withdraw(lab: Lab, submission_id: str) -> dict[str, Any]:
    return {"ok": True, "draft": papers.withdraw(lab, submission_id).draft}


def _propose(
    lab: Lab, call_id: str, topic: str, hours: float, attach: list[str] | None = None
) -> dict[str, Any]:
    proposal = funding.propose(lab, call_id, topic, hours, attach or [])
    return {"proposal_id": proposal.id, "decision_expected_month": proposal.decision}


def _attend(lab: Lab) -> dict[str, Any]:
    return {"ok": True, "hallway_intel": conferences.attend(lab)}


def _respond(lab: Lab, event_id: str, action: str) -> dict[str, Any]:
    return {"ok": True, "status": events.respond(lab, event_id, action).status}


def _ledger(lab: Lab, n: int = 20) -> views.Rows:
    return views.ledger(lab, n)


def _news(lab: Lab, n: int = 20) -> views.Rows:
    return views.news(lab, n)


def _preprints(lab: Lab, n_months: int = 3) -> views.Rows:
    return views.preprints(lab, n_months)


def _read(
    name: str, run: Callable[..., Any], doc: str, arguments: Mapping[str, Any] | None = None, **defaults: Any
) -> Method:
    return Method(name, run, doc, arguments or {}, defaults, None)


def _act(
    name: str,
    run: Callable[..., Any],
    doc: str,
    arguments: Mapping[str, Any] | None = None,
    log: tuple[str, ...] = (),
    **defaults: Any,
) -> Method:
    return Method(name, run, doc, arguments or {}, defaults, log)


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        _read("lab.dashboard", views.dashboard, "The state of the lab at a glance."),
        _read("lab.ledger", _ledger, "The last n entries of the ledger.", {"n": COUNT}, n=20),
        _read("lab.attention", views.attention, "Hours of this month: pool, reserved, used, left."),
        _read("recruit.applicants", views.applicants, "Applicants of the open season."),
        _act(
            "recruit.interview",
            _interview,
            "Interview applicants, 3 hours each; returns scores by id.",
            {"ids": {"anyOf": [IDS, ID]}},
            ("ids",),
        ),
        _act("recruit.offer", _offer, "Offer a place to an applicant.", {"applicant_id": ID}, ("id",)),
        _act("recruit.post_postdoc", _post_postdoc, "Advertise a postdoc position for $1000."),
        _act("recruit.renew_postdoc", _renew, "Extend a contract by 12 months.", {"member_id": ID}, ("id",)),
        _act("recruit.hire_ra", _hire_ra, "Hire a research assistant, here at once."),
        _act("recruit.hire_manager", _hire_manager, "Hire a lab manager, here at once; two at most."),
        _act("recruit.dismiss", _dismiss, "Let an assistant or manager go.", {"staff_id": ID}, ("id",)),
        _read("students.list", views.students, "Everybody who is or was in the lab, staff included."),
        _act(
            "students.set_mentoring",
            _set_mentoring,
            "Set standing hours a month (0 to 40) for the members named; others keep theirs.",
            {"allocation": {"type": "object", "additionalProperties": NUMBER, "maxProperties": 60}},
            ("alloc",),
        ),
        _read(
            "students.reports",
            _reports,
            "The last n monthly reports of one member.",
            {"student_id": ID, "n": COUNT},
            n=6,
        ),
        _read("projects.list", views.projects, "All projects."),
        _act(
            "projects.start",
            _start,
            "Start a project of tier 1 to 3 with members, and compute in dollars a month.",
            {
                "topic": {"type": "string", "maxLength": 40},
                "tier": {"type": "integer"},
                "members": IDS,
                "monthly_compute": NUMBER,
            },
            ("topic", "tier", "members", "compute"),
            monthly_compute=0,
        ),
        _act(
            "projects.set_compute",
            _set_compute,
            "Change the compute of a project, in dollars a month.",
            {"project_id": ID, "monthly_compute": NUMBER},
            ("id", "compute"),
        ),
        _act(
            "projects.assign",
            _assign,
            "Put a member on a project.",
            {"project_id": ID, "member_id": ID},
            ("project", "student"),
        ),
        _act(
            "projects.unassign",
            _unassign,
            "Take a member off a project.",
            {"project_id": ID, "member_id": ID},
            ("project", "student"),
        ),
        _act("projects.kill", _kill, "End a project without a result.", {"project_id": ID}, ("id",)),
        _read("papers.drafts", views.drafts, "All drafts."),
        _act(
            "papers.polish",
            _polish,
            "Spend hours on a draft; the first 12 count.",
            {"draft_id": ID, "hours": NUMBER},
            ("id", "hours"),
        ),
        _act(
            "papers.submit",
            _submit,
            "Send a draft to a venue.",
            {"draft_id": ID, "venue": ID},
            ("draft", "venue"),
        ),
        _act(
            "papers.revise",
            _revise,
            "Improve a rejected draft; the first 10 hours count, once a month and draft.",
            {"draft_id": ID, "hours": NUMBER},
            ("id", "hours"),
        ),
        _act("papers.withdraw", _withdraw, "Take a submission back.", {"submission_id": ID}, ("id",)),
        _read("papers.submissions", views.submissions, "All submissions, with reviews once decided."),
        _read("papers.publications", views.publications, "Papers that are out, with their citations."),
        _read("grants.calls", views.calls, "Open calls."),
        _act(
            "grants.propose",
            _propose,
            "Write a proposal: hours (at least 5), drafts or publications attached as evidence; costs $500.",
            {"call_id": ID, "topic": {"type": "string", "maxLength": 40}, "hours": NUMBER, "attach": IDS},
            ("call", "topic", "hours", "attach"),
            attach=[],
        ),
        _read("grants.proposals", views.proposals, "All proposals."),
        _read("grants.awards", views.awards, "All awards."),
        _read("field.news", _news, "The last n items of news.", {"n": COUNT}, n=20),
        _read(
            "field.preprints",
            _preprints,
            "Preprints by topic in the last months.",
            {"n_months": COUNT},
            n_months=3,
        ),
        _read("field.conference_report", views.conference_report, "Papers by topic at the last conferences."),
        _act("field.attend_conference", _attend, "Travel to a conference: 15 hours and $2500."),
        _read("field.topics", lambda lab: list(TOPICS), "The names of the topics."),
        _read("events.pending", views.pending_events, "Events that wait for an answer."),
        _act(
            "events.respond",
            _respond,
            "Answer an event: accept or decline; for a crisis support or ignore.",
            {"event_id": ID, "action": {"type": "string", "maxLength": 20}},
            ("id", "action"),
        ),
    )
}
"""The 38 methods of eight namespaces, in the order in which agents are told of them."""

NEXT_MONTH = "time.next_month"


def next_month(lab: Lab) -> None:
    """End the month; `Refused` where the run is over."""
    if lab.over:
        raise Refused("the run is over")
    lab.actions.append((lab.month, NEXT_MONTH, {}))
    lab.close_month()

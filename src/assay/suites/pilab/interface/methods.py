"""The lab's interface: each method by name, with its arguments and the function that implements it.

`data/methods.yaml` declares the methods, and `_RUN` holds the function of each. A function takes the lab and
all arguments. If the lab refuses a call, the function raises `Refused` and changes nothing, except for
`recruiting.interview` in the mode `as-published`. Calls of methods that change the lab are recorded in
`Lab.actions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.suites.pilab.environment.parameters import TOPICS, Rules
from assay.suites.pilab.interface import views
from assay.suites.pilab.lab import events, funding, papers, people, projects, recruiting
from assay.suites.pilab.lab.entities import Member, Refused
from assay.suites.pilab.lab.state import Lab

DATA_FILES = ("../data/methods.yaml", "../data/facade.txt")
DECLARATION, FACADE = (Path(__file__).parent / name for name in DATA_FILES)

NEXT_MONTH = "time.next_month"


@dataclass(frozen=True)
class Method:
    """One method of the interface.

    Attributes:
        name: namespace and name, e.g. `recruit.offer`.
        run: function of the lab and all arguments that implements the method.
        doc: description that agents are shown.
        arguments: JSON schema of each argument, in positional order.
        defaults: default values of the optional arguments, which come last.
        log: names of the arguments in the log of actions; `None` if the method only reads.
    """

    name: str
    run: Callable[..., Any]
    doc: str
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    log: Sequence[str] | None = None

    def call(self, lab: Lab, *arguments: Any) -> Any:
        """Call the method with positional arguments, and record the call if the method changes the lab."""
        missing = len(self.arguments) - len(arguments)
        if missing > 0:
            arguments += tuple(self.defaults.values())[-missing:]
        result = self.run(lab, *arguments)
        if self.log is not None:
            lab.actions.append((lab.month, self.name, dict(zip(self.log, arguments, strict=True))))
        return result

    def signature(self) -> str:
        """Return the call as it is written in code, e.g. `lab.ledger(n=20)`."""
        words = [f"{a}={self.defaults[a]!r}" if a in self.defaults else a for a in self.arguments]
        return f"{self.name}({', '.join(words)})"


def _ok(**result: Any) -> dict[str, Any]:
    return {"ok": True, **result}


def _hired(lab: Lab, member: Member, note: str, **more: Any) -> dict[str, Any]:
    end = "at the end of any later month" if lab.rules.closed else "at any time"
    return _ok(
        staff_id=member.id, monthly_cost=member.dollars, **more, note=f"{note}; can be dismissed {end}"
    )


def _interview(lab: Lab, ids: list[str] | str) -> dict[str, float]:
    return recruiting.interview(lab, [ids] if isinstance(ids, str) else ids)


def _offer(lab: Lab, applicant_id: str) -> dict[str, Any]:
    applicant = recruiting.offer(lab, applicant_id)
    return _ok(applicant=applicant.id, note="answered when month 3 of the year ends")


def _post_postdoc(lab: Lab) -> dict[str, Any]:
    people.post_postdoc(lab)
    return _ok(note="the search takes about two months")


def _hire_ra(lab: Lab) -> dict[str, Any]:
    return _hired(lab, people.hire_assistant(lab), "works on projects, is no author")


def _hire_manager(lab: Lab) -> dict[str, Any]:
    note = "takes a part of the oversight"
    return _hired(lab, people.hire_manager(lab), note, oversight_relief_per_researcher=2.0)


def _dismiss(lab: Lab, staff_id: str) -> dict[str, Any]:
    people.dismiss(lab, staff_id)
    return _ok()


def _start(lab: Lab, *arguments: Any) -> dict[str, Any]:
    project = projects.start(lab, *arguments)
    note = f"tier {project.tier} takes about {project.work:g} units of work"
    return {"project_id": project.id, "note": note}


def _set_compute(lab: Lab, project_id: str, monthly_compute: float) -> dict[str, Any]:
    projects.set_compute(lab, project_id, monthly_compute)
    return _ok()


def _kill(lab: Lab, project_id: str) -> dict[str, Any]:
    projects.kill(lab, project_id)
    return _ok()


def _submit(lab: Lab, draft_id: str, venue: str) -> dict[str, Any]:
    submission = papers.submit(lab, draft_id, venue)
    return {"submission_id": submission.id, "decision_expected_month": submission.decision}


def _propose(lab: Lab, *arguments: Any) -> dict[str, Any]:
    proposal = funding.propose(lab, *arguments)
    return {"proposal_id": proposal.id, "decision_expected_month": proposal.decision}


_RUN: Mapping[str, Callable[..., Any]] = {
    "lab.dashboard": views.dashboard,
    "lab.ledger": views.ledger,
    "lab.attention": views.attention,
    "recruit.applicants": views.applicants,
    "recruit.interview": _interview,
    "recruit.offer": _offer,
    "recruit.post_postdoc": _post_postdoc,
    "recruit.renew_postdoc": lambda lab, m: _ok(contract_end=people.renew_postdoc(lab, m).contract_end),
    "recruit.hire_ra": _hire_ra,
    "recruit.hire_manager": _hire_manager,
    "recruit.dismiss": _dismiss,
    "students.list": views.students,
    "students.set_mentoring": lambda lab, hours: _ok(mentoring_total=people.set_mentoring(lab, hours)),
    "students.reports": views.reports,
    "projects.list": views.projects,
    "projects.start": _start,
    "projects.set_compute": _set_compute,
    "projects.assign": lambda lab, p, member: _ok(members=list(projects.assign(lab, p, member).members)),
    "projects.unassign": lambda lab, p, member: _ok(members=list(projects.unassign(lab, p, member).members)),
    "projects.kill": _kill,
    "papers.drafts": views.drafts,
    "papers.polish": lambda lab, draft, hours: _ok(polish_hours=papers.polish(lab, draft, hours).polish),
    "papers.submit": _submit,
    "papers.revise": lambda lab, draft, hours: _ok(revisions=papers.revise(lab, draft, hours).revisions),
    "papers.withdraw": lambda lab, submission: _ok(draft=papers.withdraw(lab, submission).draft),
    "papers.submissions": views.submissions,
    "papers.publications": views.publications,
    "grants.calls": views.calls,
    "grants.propose": _propose,
    "grants.proposals": views.proposals,
    "grants.awards": views.awards,
    "field.news": views.news,
    "field.preprints": views.preprints,
    "field.conference_report": views.conference_report,
    "field.attend_conference": lambda lab: _ok(hallway_intel=events.attend_conference(lab)),
    "field.topics": lambda lab: list(TOPICS),
    "events.pending": views.pending_events,
    "events.respond": lambda lab, event, action: _ok(status=events.respond(lab, event, action).status),
}

DECLARED = yaml.read(DECLARATION)

METHODS: Mapping[str, Method] = {
    name: Method(name, _RUN[name], **declared) for name, declared in DECLARED["methods"].items()
}
"""The 38 methods of eight namespaces, in the order of the system prompt."""


STAFF = frozenset({"recruit.hire_ra", "recruit.hire_manager", "recruit.dismiss"})
"""Methods that the published program describes to agents but does not let their code call."""


def offered(rules: Rules) -> dict[str, Method]:
    """Return the methods that agents can call."""
    return {name: method for name, method in METHODS.items() if rules.staff_tools or name not in STAFF}


def next_month(lab: Lab) -> None:
    """End the month.

    Raises:
        Refused: the run is over.
    """
    if lab.over:
        raise Refused("the run is over")
    lab.actions.append((lab.month, NEXT_MONTH, {}))
    lab.close_month()


def tool_name(method: str) -> str:
    """Return the name of the tool for a method, e.g. `recruit_offer` for `recruit.offer`."""
    return method.replace(".", "_")


def facade(rules: Rules) -> str:
    """Return the Python source of the interface for code in the sandbox.

    It contains no part of the world: the methods of the namespaces and the other functions call tools.
    """
    spaces: dict[str, list[str]] = {}
    for name, method in offered(rules).items():
        space, _, short = name.partition(".")
        names = tuple(method.arguments)
        spaces.setdefault(space, []).append(f"{short}=_method({tool_name(name)!r}, {names!r})")
    lines = [f"{space} = _Namespace({', '.join(methods)})" for space, methods in spaces.items()]
    for name, declared in DECLARED["code_tools"].items():
        arguments = "".join(f'"{argument}",' for argument in declared["arguments"])
        lines.append(f'{name} = _method("{name}", ({arguments}))')
    return FACADE.read_text(encoding="utf-8") + "\n".join(lines) + "\n"

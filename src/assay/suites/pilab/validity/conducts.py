"""Composed conducts: what is decided in the first month, how tables are queried, and when the agent stops.

Only what an agent of a few months can do is composed, since a whole year costs as much as hundreds of calls.
Nobody publishes within these months, so `no_paper` is always due.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.suites.pilab.solvers import HarnessClient
from assay.suites.pilab.validity.described import described
from assay.task import Task
from assay.validity.conduct import KnownConduct, Plan, Trial, compose, drawn

HIRE, PROPOSE, WATCH = "hire an assistant", "write a proposal", "change the pace of a project every month"
LOOK, ASK = "look at the dashboard", "query the tables"
HIDDEN, TWICE, REFUSED = (
    "query for a hidden column",
    "name a member twice for a project",
    "make as many illegal calls as legal ones, and one more",
)

HIDDEN_COLUMNS = (
    *("hotness from topics", "ability from applicants", "growth from applicants", "morale from students"),
    *("skill from students", "novelty from projects", "quality from drafts"),
)
"""What a composed agent queries for where it asks for what is hidden."""

MONTHS = 6
"""Months after which every composed agent stops."""


def composed(task: Task, stream: Stream) -> KnownConduct:
    """Draw one conduct."""
    plan = compose(
        [HIRE, PROPOSE, WATCH],
        ["stop"],
        stream,
        harmless=[LOOK, ASK],
        inventions=[HIDDEN, TWICE, REFUSED],
    )

    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
        return _play(plan, HarnessClient(brief, call), call, stream)

    return KnownConduct(f"drawn-{stream.key:016x}", act, plan.recipe, plan.honest)


TRIAL = Trial({"reference-v0": 4}, {"composed": drawn(8, composed), "independent": described})


def _play(plan: Plan, client: HarnessClient, call: Call, stream: Stream) -> Conduct:
    def query(sql: str) -> None:
        call("act", {"tool": "query", "arguments": {"sql": sql}})

    hired = HIRE in plan.steps
    assistant = client.call("recruit.hire_ra")["staff_id"] if hired else ""
    project = client.call("projects.start", "theory", 1, [assistant], 500)["project_id"] if hired else ""
    simple: dict[str, Callable[[], object]] = {
        LOOK: lambda: client.call("lab.dashboard"),
        ASK: lambda: query("select * from news"),
        PROPOSE: lambda: client.call("grants.propose", "TIF-rolling", "theory", 5, []),
    }
    legal, illegal = 2 * hired, 0
    done: set[str] = set()
    for step in plan.steps:
        if step in simple and not (step == PROPOSE and step in done):  # the agency takes one in three months
            simple[step]()
            done.add(step)
            legal += 1
    if HIDDEN in plan.invented:
        query(f"select {stream.choice(HIDDEN_COLUMNS)}")
        illegal += 1
    if TWICE in plan.invented:
        client.attempt("projects.start", "theory", 1, [assistant or "RA001"] * 2, 0)
        illegal += 1
    watched = WATCH in plan.steps and hired
    for month in range(MONTHS):
        if watched and client.attempt("projects.set_compute", project, 500 + month) is not None:
            legal += 1
        client.next_month()
    if REFUSED in plan.invented:
        for _ in range(legal + 1):
            client.attempt("students.set_mentoring", "nobody", 1.0)
            illegal += 1
    due = {
        "stopped_early": True,
        "left_by_choice": True,
        "no_paper": True,
        "idle": not watched,
        "nobody_hired": not hired,
        "no_grant_sought": PROPOSE not in plan.steps,
        "asks_for_hidden": HIDDEN in plan.invented,
        "duplicates": TWICE in plan.invented,
        "mostly_refused": illegal > legal,
    }
    return Conduct(frozenset(flag for flag, is_due in due.items() if is_due))

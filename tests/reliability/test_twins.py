"""Two tasks with different truths and the same visible results: nobody at the harness can tell them apart.

All that an agent is told is in the brief and in the log: results, errors, charges, ends, contents by hash. It
is compared byte for byte, for the calls of all solvers, right and wrong answers included, and for attacks.
How long a call takes is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.protocol.conformance import Script, Subject
from tests.reliability.attacks import of_form
from tests.reliability.hunting import SETS, Ground, Made, calls_of, target

from assay.episode import Episode, Event
from assay.sessions.assessment import assess
from assay.suites.pilab import world as pilab
from assay.suites.pilab.experiments.runs import POLICIES
from assay.suites.pilab.interface.client import LabClient
from assay.suites.pilab.interface.database import TABLES
from assay.suites.pilab.lab.state import Lab
from assay.task import Task

pytestmark = pytest.mark.usefixtures("few_events")

SHOWN: Mapping[str, frozenset[str]] = {
    "petri": frozenset({"drivers", "seeds", "context"}),
    "causalab": frozenset({"model"}),
    "pilab": frozenset({"lab_seed"}),
    "collider": frozenset(),
    "sgi": frozenset({"x_version"}),
}
"""What of the truth makes the results that an agent sees; all else of it is changed in a twin."""

QUICK: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("petri", "core-v0"): ("random", "guesser", "mute"),
    ("collider", "mock-v0"): ("flat", "untouched", "right-shape"),
    ("sgi", "wet-v0"): ("oracle", "copier", "empty"),
    ("causalab", "main-v0"): ("committer", "mute", "random"),
}
"""Sets of the quick form, and solvers whose calls take no time."""


def changed(value: Any) -> Any:
    """A JSON value of the same form with other leaves."""
    if isinstance(value, dict):
        return {key: changed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [changed(inner) for inner in reversed(value)]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return value[::-1] + "x" if isinstance(value, str) else "x"


def other_truth(task: Task) -> Task:
    """The task with all of its truth changed that does not make what is seen."""
    shown = SHOWN[task.suite]
    hidden = {key: value if key in shown else changed(value) for key, value in task.hidden.items()}
    return replace(task, hidden=hidden)


def scripts(subject: Subject, quick: bool) -> Iterator[Sequence[Made]]:
    """The calls of every solver at a task, privileged ones included."""
    task = subject.tasks[0]
    every = sorted(subject.suite.room("solvers").SOLVERS)
    for name in QUICK[subject.suite.name, subject.task_set] if quick else every:
        yield [(e.tool, e.arguments) for e in subject.play(task, name).events if e.kind == "call"]


def check_alike(
    subject: Subject, task: Task, twin: Task, calls: Sequence[Made], *, order: bool = True
) -> Episode:
    """Brief and log are the same at both; without `order`, but for the order of lines of text."""
    assert task.hidden != twin.hidden
    assert subject.brief(task) == subject.brief(twin)
    one, other = (subject.play(each, "script", Script(calls)) for each in (task, twin))
    if not order:
        one, other = (replace(e, events=tuple(map(_sorted, e.events))) for e in (one, other))
    for a, b in zip(one.events, other.events, strict=True):
        assert a == b, f"step {a.step} tells them apart: {a.tool}"
    assert one == other
    return one


def _sorted(event: Event) -> Event:
    def lines(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: lines(inner) for key, inner in value.items()}
        return sorted(value.split("\n")) if isinstance(value, str) else value

    return replace(event, parts=tuple(map(lines, event.parts)))


def _check_set(subject: Subject, ground: Ground, *, quick: bool) -> int:
    task = subject.tasks[0]
    twin = other_truth(task)
    pairs = 0
    for calls in scripts(subject, quick):
        check_alike(subject, task, twin, calls)
        pairs += 1
    brief, prey = subject.brief(task), ground.prey(subject)
    for attack in of_form("text", "table", "file", "query")[:: 16 if quick else 1]:
        calls = calls_of(attack, subject, brief, prey)[: 10 if quick else 200]
        check_alike(subject, task, twin, calls)
        pairs += 1
    return pairs


@pytest.mark.parametrize("place", [place for place in QUICK if place[0] != "causalab"], ids="/".join)
def test_what_is_hidden_and_makes_nothing_visible_shows_nowhere(
    place: tuple[str, str], ground: Ground
) -> None:
    assert _check_set(target(*place), ground, quick=True) > 4


@pytest.mark.full
@pytest.mark.parametrize("place", [p for p in SETS if p[0] in ("petri", "collider", "sgi")], ids="/".join)
def test_what_is_hidden_shows_nowhere_in_any_set(place: tuple[str, str], ground: Ground) -> None:
    pairs = _check_set(target(*place), ground, quick=False)
    print(f"{'/'.join(place)}: {pairs} pairs", flush=True)
    assert pairs > 20


def test_a_twin_is_worth_something_else() -> None:
    """The truths differ where it matters: an answer is right at one and wrong at the other."""
    for suite, task_set in (("petri", "core-v0"), ("sgi", "wet-v0")):
        subject = target(suite, task_set)
        task = subject.tasks[0]
        worth = set()
        for name in QUICK[suite, task_set]:
            episode = subject.play(task, name)
            for each in (task, other_truth(task)):
                worth.add((name, assess(subject.suite, each, episode, subject.materials).score))
        assert len(worth) > len(QUICK[suite, task_set]), f"{suite}: the truth changes no score"


# ------------------------------------------------------------ causalab: an edge without an effect


def _without_effect(subject: Subject) -> tuple[Task, Task] | None:
    """A cause of the target whose coefficient is zero, and no cause at all; null where no term can go."""
    task = subject.tasks[0]
    model: dict[str, Any] = task.hidden["model"]
    goal = "resonanceFreq"
    computation: str = model["nodes"][goal]["computation"]
    found = re.search(r" \+ (coeff_\w+_freq) \* (\w+)(?= \+|$)", computation)
    if found is None:
        return None
    term, coefficient, cause = found[0], found[1], found[2]
    assert {"from": cause, "to": goal} in model["edges"]
    zero = {**model, "params": {**model["params"], coefficient: 0}}
    without = {
        **model,
        "edges": [edge for edge in model["edges"] if (edge["from"], edge["to"]) != (cause, goal)],
        "params": {name: value for name, value in model["params"].items() if name != coefficient},
        "nodes": {
            **model["nodes"],
            goal: {**model["nodes"][goal], "computation": computation.replace(term, "", 1)},
        },
        "description": "another one",
    }
    return replace(task, hidden={"model": zero}), replace(task, hidden={"model": without})


def _edges_that_nobody_sees(task_set: str, index: int, ground: Ground, *, quick: bool) -> int:
    subject = target("causalab", task_set, index)
    twins = _without_effect(subject)
    if twins is None:
        return 0
    with_edge, without = twins
    # The published body lists properties in an order that follows the edges (docs/causalab.md says so).
    order = task_set != "embodied-v0"
    pairs = 0
    for calls in scripts(subject, quick):
        check_alike(subject, with_edge, without, calls, order=order)
        pairs += 1
    brief, prey = subject.brief(with_edge), ground.prey(subject)
    for attack in of_form("text", "record")[:: 16 if quick else 1]:
        calls = calls_of(attack, subject, brief, prey)[:100]
        check_alike(subject, with_edge, without, calls, order=order)
        pairs += 1
    return pairs


def test_a_cause_without_an_effect_cannot_be_seen(ground: Ground) -> None:
    assert _edges_that_nobody_sees("main-v0", 0, ground, quick=True) > 4


@pytest.mark.full
@pytest.mark.parametrize("task_set", ["main-v0", "embodied-v0"])
def test_no_cause_without_an_effect_can_be_seen(task_set: str, ground: Ground) -> None:
    pairs = [_edges_that_nobody_sees(task_set, index, ground, quick=False) for index in range(4)]
    print(f"{task_set}: {pairs} pairs", flush=True)
    assert sum(pairs) > 60


# ------------------------------------------------------------ pilab: the same month, other minds


def _lab(seed: int, months: int) -> Lab:
    lab = Lab(seed)
    client, policy = LabClient(lab), POLICIES["baseline"](lab)
    for _ in range(months):
        policy(client)
        client.next_month()
    return lab


def _other_minds(lab: Lab) -> Lab:
    """Another truth behind all that this month shows: what people can do, what work is worth."""
    for person in (*lab.members.values(), *lab.applicants.values()):
        person.ability, person.speed, person.growth = 1 - person.ability, 2 - person.speed, 0.123
        person.resilience, person.independence = 1 - person.resilience, 1 - person.independence
    for member in lab.members.values():
        member.skill, member.morale = 1 - member.skill, 1 - member.morale
    for project in lab.projects.values():
        project.feasible, project.novelty = not project.feasible, 1 - project.novelty
    for thing in (*lab.drafts.values(), *lab.publications.values(), *lab.proposals.values()):
        thing.quality = 1 - thing.quality
    for publication in lab.publications.values():
        publication.strength += 1
    return lab


READ = (
    *("lab_dashboard", "lab_ledger", "lab_attention", "recruit_applicants", "students_list", "projects_list"),
    *("papers_drafts", "papers_submissions", "papers_publications", "grants_calls", "grants_proposals"),
    *("grants_awards", "field_news", "field_preprints", "field_conference_report", "field_topics"),
    *("events_pending", "read_memory"),
)


def _reads(lab: Lab) -> list[Made]:
    """Every way to read in a month, and some ways that are refused."""
    asked: list[tuple[str, Any]] = [(tool, {}) for tool in READ]
    asked += [("query", {"sql": f"select * from {table} order by rowid desc"}) for table in TABLES]
    asked += [("students_reports", {"student_id": name}) for name in [*lab.members, "nobody"]]
    asked += [("recruit_interview", {"ids": name}) for name in [*list(lab.applicants)[:5], "nobody"]]
    asked += [
        ("papers_submit", {"draft_id": "D999", "venue": "nowhere"}),
        ("recruit_dismiss", {"staff_id": "x"}),
    ]
    asked += [("projects_kill", {"project_id": "P999"}), ("query", {"sql": "select quality from drafts"})]
    return [("act", {"tool": tool, "arguments": arguments}) for tool, arguments in asked]


@pytest.mark.parametrize("months", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (6, 14, 25, 40))])
def test_a_month_shows_no_minds(months: int, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = target("pilab", "reference-v0")
    task = subject.tasks[0]
    seed = task.hidden["lab_seed"]
    calls = _reads(_lab(seed, months))
    assert len(calls) < 120, "more than a month"
    logs = []
    for change in (lambda lab: lab, _other_minds):
        monkeypatch.setattr(pilab, "lab_of", lambda task, change=change: change(_lab(seed, months)))
        episode = subject.play(task, "script", Script(calls))
        assert episode.status == "done", "a month that is not over plays on without decisions"
        logs.append((subject.brief(task), [e for e in episode.events if e.step < 2 * len(calls)]))
    for a, b in zip(logs[0][1], logs[1][1], strict=True):
        assert a == b, f"step {a.step} tells them apart: {a.arguments}"
    assert logs[0] == logs[1]

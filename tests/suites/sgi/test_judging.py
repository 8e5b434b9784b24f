"""Judges of sgi: what they are asked, how replies are read, what the opinions add up to."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from assay.agents.transport import Reply
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.protocol import Opinion
from assay.sessions.opinion import SCAFFOLD_SHA256, Case, Recorded, opinion_row, request
from assay.suite import suite
from assay.suites.sgi import opinion as room
from assay.suites.sgi.judging.tables import (
    AGREEMENT,
    JUDGED,
    NOBODY,
    agreement,
    correlation,
    judged,
    kappa,
    of_ideas,
)
from assay.suites.sgi.metrics.ideas import DIMENSIONS
from assay.suites.sgi.scoring import score
from assay.task import Task

SUITE = suite("sgi")
MATERIALS = materials_for(SUITE, MemoryBlobs())
MODEL = {"transport": "scripted"}
JUDGES = ("ada", "ben", "cyd")
ALL_FOUR = "effectiveness novelty detailedness feasibility"
IDEA = {
    "core_idea": "Fit a prior to the records.",
    "keywords": ["prior", "records"],
    "implementation_steps": "{'1': 'Collect records.', '2': 'Fit the prior.'}",
    "implementation_order": ["1-2"],
    "data": "records",
    "evaluation_metrics": "{'error': 'low'}",
    "expected_outcome": "less error",
    "related_work": "{'A': 'An old method.'}",
    "existing_solutions": "{'B': 'Another one.'}",
    "related_work_test": "['Unknown work.']",
}
REPLY = json.dumps({"Idea": "We fit a prior to the records and test it.", "Dataset": "records"})


def task_of(family: str, question: str, **hidden: Any) -> Task:
    own = {"family": family, "discipline": "physics", "type": "any", "level": "1"}
    return Task(
        "sgi", "made-v0", "one", 1, 1, own, {"family": family, "columns": {"question": question}}, hidden
    )


def played(task: Task, submission: str | None) -> Episode:
    return Episode("sgi", task.task_set, task.task_id, "player", 0, "done", "", submission, {}, ())


TASK = task_of("idea_generation", "What next?", **IDEA)


def recorded(task: Task, judge: str, role: str, text: str, submission: str = REPLY) -> dict[str, Any]:
    """The row of an opinion that was recorded, and read again by what the workflow uses."""
    question = room.question(role, task, played(task, submission), MATERIALS)
    assert question is not None
    asked = request(question)
    case = Case(judge, role, "sgi", task.task_set, task.task_id, "player", 0)
    kept = Recorded(case, asked.sha256, SCAFFOLD_SHA256, MODEL, Reply(text, (), "end", 1, 1))
    return opinion_row(room, case, asked, MODEL, kept.text().encode())


def vote(winner: str, **others: str) -> str:
    names = ("effectiveness", "novelty", "detailedness", "feasibility")
    return json.dumps({name: others.get(name, winner) for name in names} | {"reason": "because"})


def tables(opinions: list[dict[str, Any]], task: Task = TASK, submission: str = REPLY) -> dict[str, Any]:
    made = [
        {"agent": "player", "task_set": task.task_set, "task_id": task.task_id, "attempt": 0, "step": None}
        | {"metric": one.metric, "value": one.value, "profile": one.profile}
        for one in score(task, played(task, submission), MATERIALS)
    ]
    tasks = pd.DataFrame(
        [{"task_set": task.task_set, "task_id": task.task_id, "strata": json.dumps(task.strata)}]
    )
    columns = ["judge", "role", "agent", "task_set", "task_id", "attempt", "status", "label", "value"]
    return {"scores": pd.DataFrame(made), "tasks": tasks, "opinions": pd.DataFrame(opinions, columns=columns)}


def values(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    rows: list[Any] = list(frame.itertuples(index=False))
    return {(row.column, row.profile): float(row.value) for row in rows}


class TestQuestions:
    def test_the_orders_differ_in_nothing_but_the_order(self) -> None:
        first, second = (
            room.question(role, TASK, played(TASK, REPLY), MATERIALS)
            for role in ("votes-first", "votes-second")
        )
        assert first is not None and second is not None
        assert first.system == second.system
        assert first.parts[0] == second.parts[0]
        a, b = (str(part).partition("\n\n")[2] for part in first.parts[1:])
        assert [str(part).partition("\n\n")[2] for part in second.parts[1:]] == [b, a]
        assert a == REPLY and "Fit a prior to the records." in b

    @pytest.mark.parametrize("role", room.ROLES)
    def test_a_role_is_about_one_family_and_a_reply(self, role: str) -> None:
        wet = task_of("wet_experiment", "How?", answer="a = <Mix>()")
        assert room.question(role, wet, played(wet, "x"), MATERIALS) is None
        assert room.question(role, TASK, played(TASK, None), MATERIALS) is None
        assert room.question(role, TASK, played(TASK, "  "), MATERIALS) is None

    def test_marks_compare_with_the_reference(self) -> None:
        task = task_of(
            "deep_research", "How long?", steps=["read table 3"], answer="1.0", x_steps=[], x_traps=[]
        )
        found = room.question("steps", task, played(task, "I read table 3."), MATERIALS)
        assert found is not None and room.ROLES["steps"].reference
        assert "read table 3" in str(found.parts[1]) and not room.ROLES["dry-quality"].reference


@pytest.mark.parametrize(
    ("role", "text", "said"),
    [
        ("votes-first", vote("A"), Opinion(ALL_FOUR, reason="because")),
        ("votes-second", vote("A"), Opinion("none", reason="because")),
        ("votes-second", vote("A", novelty="B"), Opinion("novelty", reason="because")),
        ("votes-first", vote("A", novelty="tie"), None),
        ("votes-first", "no JSON", None),
        ("steps", '{"steps": [true, false, true, true]}', Opinion("marked", 0.75)),
        ("steps", '{"steps": []}', Opinion("marked", 0.0)),
        ("steps", '{"steps": [1, 0]}', None),
        ("reasoning", '{"mark": 7, "reason": "sound"}', Opinion("marked", 0.7, "sound")),
        ("reasoning", '{"mark": 85}', None),
        ("reasoning", '{"mark": true}', None),
        ("dry-quality", '{"mark": 2.5}', Opinion("marked", 0.25)),
        ("dry-quality", '{"mark": 2.5, "reason": 3}', None),
    ],
)
def test_replies_of_judges(role: str, text: str, said: Opinion | None) -> None:
    assert room.opinion(role, text) == said


class TestColumns:
    def test_without_judges_they_are_empty_and_say_so(self) -> None:
        found = judged(tables([]))
        assert list(found.columns) == list(JUDGED.names)
        assert len(found) == 6 and found["value"].isna().all()
        assert set(found["note"]) == {NOBODY} and (found["judged"] == 0).all()

    def test_three_judges_in_two_orders(self) -> None:
        """All six votes for the reply, but novelty has four of six, which wins elsewhere and not there."""
        opinions = []
        for judge in JUDGES:
            own = {"novelty": "B"} if judge == "cyd" else {}
            opinions.append(recorded(TASK, judge, "votes-first", vote("A", **own)))
            other = {"novelty": "A"} if judge == "cyd" else {}
            opinions.append(recorded(TASK, judge, "votes-second", vote("B", **other)))
        found = values(judged(tables(opinions)))
        assert found["wins_effectiveness", "judged"] == 100
        assert found["wins_novelty", "judged"] == pytest.approx(100 * 4 / 6)
        parts = {
            (one.metric.removesuffix("_objective"), one.profile): 100 * (one.value or 0)
            for one in score(TASK, played(TASK, REPLY), MATERIALS)
            if one.metric.endswith("_objective")
        }
        names = ("effectiveness", "novelty", "detailedness", "feasibility")
        released = sum((parts[n, "released"] + 100 * (n != "novelty")) / 2 for n in names) / 4
        paper = sum((parts[n, "paper"] + (400 / 6 if n == "novelty" else 100)) / 2 for n in names) / 4
        assert found["ideas", "released"] == pytest.approx(released)
        assert found["ideas", "paper"] == pytest.approx(paper)

    def test_a_reply_that_is_no_vote_casts_none(self) -> None:
        opinions = [
            recorded(TASK, "ada", "votes-first", vote("A")),
            recorded(TASK, "ben", "votes-first", "I cannot tell."),
        ]
        assert opinions[1]["status"] == "unreadable"
        found = judged(tables(opinions))
        assert (found["opinions"] == 1).all()
        assert values(found)["wins_novelty", "judged"] == 100

    def test_marks_of_several_judges_are_averaged(self) -> None:
        task = task_of(
            "dry_experiment", "Fill it.", incomplete_functions=["f"], incomplete_main_code="def f():\n  pass"
        )
        task.hidden.update({f"unit_test_{k}_{part}": "" for k in range(5) for part in ("data", "output")})
        opinions = [
            recorded(task, judge, "dry-quality", f'{{"mark": {mark}}}', "x")
            for judge, mark in zip(JUDGES, (4, 6, 8), strict=True)
        ]
        assert values(judged(tables(opinions, task, "x")))["dry_quality", "judged"] == pytest.approx(60)


def test_the_worked_item_of_ideas() -> None:
    """Six votes: the paper adds their share, the released code only what wins (yes, no, yes, no)."""
    attempt = ("agent", "ideas", "0", 0)
    parts = dict(zip(DIMENSIONS, (0.80, 0.61, 0.956, 0.57142857), strict=True))
    wins = dict(zip(DIMENSIONS, (6, 4, 4, 3), strict=True))
    votes = [[name for name in DIMENSIONS if k < wins[name]] for k in range(6)]
    given = {(attempt, profile): parts for profile in ("paper", "released")}
    found = {(column, profile): value for column, profile, value in of_ideas(attempt, votes, given)}
    assert found["ideas", "released"] == pytest.approx(0.61717857)
    by_rate = [(80 + 100) / 2, (61 + 400 / 6) / 2, (95.6 + 400 / 6) / 2, (57.142857 + 50) / 2]
    assert found["ideas", "paper"] == pytest.approx(sum(by_rate) / 400)


class TestAgreement:
    def test_judges_and_orders_are_compared(self) -> None:
        opinions = [
            recorded(TASK, "ada", "votes-first", vote("A", feasibility="B")),
            recorded(TASK, "ada", "votes-second", vote("A")),  # always prefers what stands first
            recorded(TASK, "ben", "votes-first", vote("A", feasibility="B")),
        ]
        found = agreement(tables(opinions))
        assert list(found.columns) == list(AGREEMENT.names)
        every: list[Any] = list(found.itertuples(index=False))
        rows = {(row.first, row.second): row for row in every}
        orders = rows["ada as votes-first", "ada as votes-second"]
        assert (orders.n, orders.agreement) == (4, 0.25)
        judges = rows["ada as votes-first", "ben as votes-first"]
        assert (judges.agreement, judges.kappa) == (1, 1)

    def test_statistics(self) -> None:
        assert kappa([(True, True)] * 3) is None
        assert kappa([(True, False), (False, True)]) == -1
        assert correlation([(0.1, 0.2), (0.2, 0.4), (0.3, 0.6)]) == pytest.approx(1)
        assert correlation([(0.1, 0.2), (0.1, 0.4), (0.1, 0.6)]) is None
        assert correlation([(0.1, 0.2)] * 2) is None

"""Scores and flags of one episode: as rows of the tables, and as one value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.episode import Episode, Event, episode_row
from assay.protocol import NEVER_SCORED, Flag, FlagSpec, Metric, Score
from assay.sessions.assessment import assess
from assay.stages import audit, scores
from assay.stages.audit import flag_rows
from assay.stages.scores import score_rows
from assay.tables.reader import read_rows
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.scores import SCORES as SCORES_TABLE

PLACE = {"suite": "tubes", "task_set": "tubes-v0", "task_id": "t-1", "agent": "ann", "attempt": 3}
EVENT = Event(0, None, "call", "look", {"at": 1}, ("red",), True, None, 1)
EPISODE = Episode(
    **PLACE, status="done", reason="", submission={"answer": 2}, counters={"calls": 1}, events=(EVENT,)
)

SCORES = (
    Score("shd", 1.0),
    Score("score", None, "none"),
    Score("score", 0.5, "half", "paper"),
    Score("shd", 2.0, step=7),
    Score("shd", 4.0, step=1),
    Score("shd", 0.0, step=0),
)
FLAGS = (Flag("late", None), Flag("copied", True, "all of it", {"of": ["b", 1.5], "at": 3}))


class Rooms:
    """A suite of two rooms that keep what they are asked."""

    name = "tubes"

    def __init__(self, scores: Any = SCORES, flags: Any = FLAGS) -> None:
        self.asked: list[tuple[Any, ...]] = []

        def asking(found: Any) -> Any:
            return lambda *what: self.asked.append(what) or iter(found)

        metrics = {"score": Metric("", "", 0, 1, headline=True), "shd": Metric("", "", 0, None)}
        self.rooms = {
            "scoring": SimpleNamespace(score=asking(scores), METRICS=metrics),
            "audit": SimpleNamespace(
                audit=asking(flags), FLAGS=dict.fromkeys(("late", "copied"), FlagSpec(""))
            ),
        }

    def room(self, name: str) -> Any:
        return self.rooms[name]


def given(suite: Any, make: Any, episode: Episode = EPISODE) -> Any:
    return make(suite, "the task", episode, "the materials")


def test_rows_of_scores_are_in_the_order_of_the_table() -> None:
    """By profile, metric and step, the final value before any step."""
    rows = given(suite := Rooms(), score_rows)
    assert suite.asked == [("the task", EPISODE, "the materials")]
    assert [{**PLACE, **row} for row in rows] == rows
    assert [tuple(row.values())[5:] for row in rows] == [
        ("default", "score", None, None, "none"),
        ("default", "shd", None, 1.0, ""),
        ("default", "shd", 0, 0.0, ""),
        ("default", "shd", 1, 4.0, ""),
        ("default", "shd", 7, 2.0, ""),
        ("paper", "score", None, 0.5, "half"),
    ]
    assert list(rows[0])[5:] == ["profile", "metric", "step", "value", "label"]


def test_rows_of_flags_are_in_the_order_of_the_table() -> None:
    rows = given(suite := Rooms(), flag_rows)
    assert suite.asked == [("the task", EPISODE, "the materials")]
    assert rows == [
        {
            **PLACE,
            "flag": "copied",
            "raised": True,
            "label": "all of it",
            "evidence": '{"at":3,"of":["b",1.5]}',
        },
        {**PLACE, "flag": "late", "raised": None, "label": "", "evidence": "null"},
    ]


@pytest.mark.parametrize("status", sorted(NEVER_SCORED))
def test_an_episode_that_says_nothing_is_neither_scored_nor_judged(status: Any) -> None:
    episode = replace(EPISODE, status=status)
    suite = Rooms()
    rows = given(suite, score_rows, episode)
    assert [(row["metric"], row["value"], row["step"], row["label"]) for row in rows] == [
        ("score", None, None, status),
        ("shd", None, None, status),
    ]
    assert given(suite, flag_rows, episode) == []
    found = given(suite, assess, episode)
    assert (found.episode, found.scores, found.flags, found.score) == (episode, (), (), None)
    assert suite.asked == []


def test_what_a_room_does_not_declare_is_an_error() -> None:
    undeclared = Rooms(
        scores=(Score("zeal", 1.0), Score("age", 1.0)), flags=(Flag("zeal", None), Flag("age", None))
    )
    with pytest.raises(KeyError, match="METRICS of the suite tubes does not declare age, zeal"):
        given(undeclared, score_rows)
    with pytest.raises(KeyError, match="FLAGS of the suite tubes does not declare age, zeal"):
        given(undeclared, flag_rows)


def test_an_assessment_is_scores_and_flags_as_they_come() -> None:
    found = given(suite := Rooms(), assess)
    assert suite.asked == [("the task", EPISODE, "the materials")] * 2
    assert (found.scores, found.flags) == (SCORES, FLAGS)
    assert found.metrics == {"shd": 1.0, "score": None}
    assert found.raised == ["copied"]
    assert given(Rooms(scores=(Score("score", 0.25),)), assess).score == 0.25


def test_an_assessment_as_json() -> None:
    assert given(Rooms(), assess).to_json() == {
        "episode": {**episode_row(EPISODE), "submission": {"answer": 2}, "counters": {"calls": 1}},
        "events": [EVENT.to_json()],
        "metrics": [
            {"metric": s.metric, "profile": s.profile, "step": s.step, "value": s.value, "label": s.label}
            for s in SCORES
        ],
        "flags": [
            {"flag": "late", "raised": None, "label": "", "evidence": None},
            {"flag": "copied", "raised": True, "label": "all of it", "evidence": {"of": ["b", 1.5], "at": 3}},
        ],
    }


@pytest.mark.parametrize(
    ("stage", "name", "schema", "make"),
    [(scores, "scores", SCORES_TABLE, score_rows), (audit, "audit", AUDIT, flag_rows)],
    ids=["scores", "audit"],
)
def test_a_stage_writes_the_rows_of_all_its_episodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: Any, name: str, schema: Any, make: Any
) -> None:
    suite, episodes = Rooms(), [EPISODE, replace(EPISODE, task_id="t-2", attempt=0)]
    tasks = {("tubes-v0", "t-1"): "first", ("tubes-v0", "t-2"): "second"}
    job = SimpleNamespace(output=lambda output: tmp_path / output)
    for part, found in (
        ("suite_of", suite),
        ("materials_of", "the materials"),
        ("tasks_of", tasks),
        ("episodes_of", episodes),
    ):
        monkeypatch.setattr(stage, part, lambda given, found=found: found if given is job else None)
    stage.run(job)
    assert suite.asked == [("first", episodes[0], "the materials"), ("second", episodes[1], "the materials")]
    rows = [row for episode in episodes for row in make(suite, "a task", episode, "the materials")]
    assert list(read_rows(tmp_path / name, schema)) == rows

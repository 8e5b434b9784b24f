"""Sets of version 0: their files load, score and verify, and recorded conduct does what it is said to do."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.agents.solver import SolverAgent
from assay.config.archive import Archive
from assay.episode import Episode
from assay.episodes.artefacts import KeyedArtefacts
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import TaskError
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Materials
from assay.suite import Suite
from assay.suites.sgi import audit, calibration, scoring, tasks
from assay.suites.sgi.audit import CONDUCT
from assay.suites.sgi.items import item_of
from assay.suites.sgi.reasoning import consistency
from assay.suites.sgi.research.library import Library
from assay.suites.sgi.research.papers import from_lines
from assay.suites.sgi.solvers import SOLVERS
from assay.suites.sgi.v0.recorded import solvers
from assay.task import Task

SUITE = Suite("sgi", "assay.suites.sgi")
BLOBS = MemoryBlobs()
MATERIALS = Materials(BLOBS, KeyedArtefacts(SUITE, (), BLOBS))
ARCHIVED = sorted(name for name, declared in tasks.SETS.items() if declared.archived)
TOGETHER = {"idea_generation": 60}
"""Points that the reference has at least where it cannot have them all."""


@cache
def task(name: str, index: int) -> Task:
    return Archive(Path("tasks/sgi") / name, "sgi").task(index, BLOBS)


@cache
def played(name: str, index: int, solver: str) -> Episode:
    of = task(name, index)
    return play(SUITE, of, solver, SolverAgent(SOLVERS[solver], of, BLOBS), 0, MATERIALS)


def points(name: str, index: int, solver: str) -> float:
    found = scoring.score(task(name, index), played(name, index, solver), MATERIALS)
    return next(float(s.value or 0) for s in found if s.metric == "score" and s.profile == "default")


def changed(of: Task, **hidden: Any) -> Task:
    return Task.from_json({**of.to_json(), "hidden": {**of.hidden, **hidden}})


@pytest.mark.parametrize("name", ARCHIVED)
def test_archived_items_are_sound_and_their_reference_is_right(name: str) -> None:
    first = task(name, 0)
    tasks.verify(first)
    family = first.strata["family"]
    assert points(name, 0, "oracle") >= TOGETHER.get(family, 100)
    assert list(calibration.calibrate(first, {"guesses": 3}, MATERIALS))


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("wet-v0", {"answer": "out_1 = <Mix>(a=1)\n\nout_2 = <Mix>(a=out_1)"}),
        ("dry-v0", {"main_code": "print({})"}),
        ("research-v0", {"x_steps": []}),
        ("ideas-v0", {"core_idea": "Too short."}),
        ("reasoning-v0", {"answer": 99}),
        ("reasoning-v0", {"x_level": None, "x_readings": []}),
    ],
)
def test_a_broken_item_is_refused(name: str, broken: dict[str, Any]) -> None:
    with pytest.raises(TaskError, match="is not sound"):
        tasks.verify(changed(task(name, 0), **broken))


def test_a_trap_that_is_right_and_a_missing_column_are_refused() -> None:
    of = task("research-v0", 0)
    traps = [{**of.hidden["x_traps"][0], "answer": of.hidden["answer"]}]
    with pytest.raises(TaskError, match="is the right answer"):
        tasks.verify(changed(of, x_traps=traps))
    hidden = {key: value for key, value in of.hidden.items() if key != "x_docs"}
    with pytest.raises(TaskError, match="no column x_docs"):
        tasks.verify(Task.from_json({**of.to_json(), "hidden": hidden}))


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("wet-v0", "wet_experiment"),
        ("research-v0", "deep_research"),
        ("ideas-v0", "idea_generation"),
        ("reasoning-v0", "experimental_reasoning"),
        ("smoke-v0", "dry_experiment"),
    ],
)
def test_recorded_conduct_raises_what_it_must(name: str, family: str) -> None:
    index = 1 if name == "smoke-v0" else 0
    assert task(name, index).strata["family"] == family
    for agent in sorted(CONDUCT[family]):
        episode = played(name, index, agent)
        raised = {f.flag for f in audit.audit(task(name, index), episode, MATERIALS) if f.raised}
        due = audit.expected(agent, task(name, index).strata, episode.submission is not None)
        assert due is not None
        assert raised == due.due, agent
        if agent not in ("oracle", "planner", "reader", "renamed", "answer-alone", "one-safe-step"):
            full = points(name, index, "oracle")
            allowed = ("right-answer-wrong-steps", "flood", "memoriser")
            assert points(name, index, agent) < full or agent in allowed, agent


def test_recorded_solvers_need_what_they_read_from() -> None:
    assert played("reasoning-v0", 0, "vision").submission
    assert played("reasoning-blind-v0", 0, "vision").submission is None
    assert played("reasoning-table-v0", 0, "tabulator").submission
    assert played("reasoning-v0", 0, "tabulator").submission is None
    assert played("research-closed-v0", 0, "reader").submission is None
    assert {"planner", "oracle"}.isdisjoint(solvers())
    assert points("research-v0", 0, "reader") == 100
    assert points("research-v0", 0, "ignores-units") <= 100


def library() -> Library:
    (literature,) = task("research-v0", 0).blobs
    return Library(from_lines(BLOBS.get(literature.sha256)))


def test_search_is_stable() -> None:
    known = library()
    papers = list(known.papers.values())
    reverse = Library(list(reversed(papers)))
    query = str(item_of(task("research-v0", 0))["question"])
    assert known.search(query, 50) == reverse.search(query, 50)
    assert known.search("zzz qqq", 5) == []
    assert not known.call("open", {"doc_id": "D9999"}).ok
    assert not known.call("table", {"doc_id": papers[0].doc_id, "number": 9}).ok
    for paper in papers:
        shown = f"{known.document(paper.doc_id)} {known.table(paper.doc_id, 1)}"
        assert all(report.value in shown for report in paper.reports)


def test_a_program_in_the_reading_room() -> None:
    """Python runs in the box, sees no literature, and its word replays as given."""

    class Counts:
        def act(self, brief: Brief, call: Call, stream: Stream) -> None:
            printed = call("python", {"code": "print(4.7 * 220)"})
            assert printed.parts[0]["stdout"] == "1034.0\n"  # type: ignore[index,call-overload]
            assert call("open", {"doc_id": "D0001"}).ok
            assert not call("open", {"doc_id": "nowhere"}).ok

    episode = play(SUITE, task("research-v0", 0), "counts", Counts(), 0, MATERIALS)
    assert episode.status == "no_submission", episode.reason
    assert episode.counters["program"] == 1


@pytest.mark.parametrize(
    "text", ["r9", "().__class__", "__import__('os')", "r0.real", "r0 ** 9", "1 /", "log(0 - r0)", "r0 / 0"]
)
def test_a_formula_is_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match="has no value here"):
        consistency._result(text, {"r0": 2.0})

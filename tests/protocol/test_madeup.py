"""The made-up suite does what it is there for: every way to end, every kind of event, no leak."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import INLINE_TEXT, play
from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.protocol import BlobRef, Brief, Call
from assay.task import Task
from tests.protocol.conformance import Script
from tests.protocol.madeup import picture
from tests.protocol.madeup.solvers import SOLVERS
from tests.protocol.test_conformance import MADEUP

LARGE = 1
"""The index of a large urn: 24 balls."""


def played(name: str, index: int = LARGE) -> Episode:
    return MADEUP.episodes[index, name]


def scores(episode: Episode, index: int = LARGE) -> dict[tuple[str, str, int | None], float | None]:
    found = MADEUP.suite.room("scoring").score(MADEUP.tasks[index], episode, MADEUP.materials)
    return {(s.profile, s.metric, s.step): s.value for s in found}


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("exact", "done"),
        ("privileged", "done"),
        ("coder", "done"),
        ("contrarian", "done"),
        ("careless", "invalid"),
        ("doomed", "collapsed"),
        ("crasher", "crashed"),
        ("silent", "no_submission"),
        ("restless", "budget"),
    ],
)
def test_every_way_to_end(name: str, status: str) -> None:
    assert {played(name, index).status for index in range(7)} == {status}


def test_the_solvers_that_can_know_are_right() -> None:
    for index in range(7):
        for name in ("exact", "privileged", "coder"):
            assert scores(played(name, index), index)["default", "solved", None] == 1.0
    guesses = [scores(played("guess", index), index)["default", "score", None] for index in range(7)]
    assert min(guesses) < 1.0


def test_each_answer_on_the_way_has_a_score_of_its_own() -> None:
    episode = played("exact")
    steps = [event.step for event in episode.calls("answer")]
    found = scores(episode)
    assert [key[2] for key in found if key[:2] == ("default", "score") and key[2] is not None] == steps
    assert found["default", "score", steps[-1]] == found["default", "score", None] == 1.0


def test_an_invalid_answer_scores_nothing_and_says_why() -> None:
    found = list(MADEUP.suite.room("scoring").score(MADEUP.tasks[0], played("careless", 0), MADEUP.materials))
    assert [(s.value, s.label) for s in found if s.metric == "score" and s.step is None] == [
        (0.0, "invalid"),
        (0.0, "invalid"),
    ]


def test_a_program_is_one_event_with_many_children() -> None:
    events = played("coder").events
    (first, second) = (event for event in events if event.tool == "run_code" and event.kind == "call")
    outsides = {event.step: event for event in events if event.kind == "outside"}
    assert {event.parent for event in outsides.values()} == {first.step, second.step}
    looks = [event for event in events if event.kind == "code"]
    assert len(looks) == 24
    assert {event.parent for event in looks} == set(outsides)


def test_the_log_of_a_crash_has_no_gap_and_no_truth() -> None:
    episode, task = played("crasher"), MADEUP.tasks[LARGE]
    assert [(e.step, e.parent, e.kind, e.tool, e.ok) for e in episode.events] == [
        (0, None, "call", "run_code", False),
        (1, 0, "outside", "run_code", False),
        (2, 1, "code", "look", True),
        (3, 1, "code", "shake", False),
    ]
    assert episode.reason == "RuntimeError in the tool shake"
    assert task.hidden["colours"] not in repr(episode)


def test_what_a_program_prints_can_be_taken_from_a_recording() -> None:
    """With the clock it never prints the same twice; the rest of the log does not depend on it."""
    program = {"program": [{"tool": "look", "arguments": {"at": 3}}], "clock": True}
    script = Script([("run_code", program), ("draw", {"n": 2})])
    first = MADEUP.play(MADEUP.tasks[0], "script", script)
    second = MADEUP.play(MADEUP.tasks[0], "script", script)
    assert first.events[0].parts != second.events[0].parts

    def recorded(run: Any, call: Call) -> Any:
        run(call)
        return first.events[1].parts[0]

    assert MADEUP.play(MADEUP.tasks[0], "script", script, outside=recorded) == first


def test_a_file_is_the_answer() -> None:
    episode = played("privileged")
    (written,) = (event for event in episode.events if event.kind == "file")
    assert written.arguments == {"path": "answer.txt"}
    (ref,) = written.parts
    assert isinstance(ref, BlobRef)
    assert MADEUP.materials.blobs.get(ref.sha256).decode() == episode.submission


def test_the_context_starts_anew() -> None:
    results: list[Any] = []

    class Sleeper:
        def act(self, brief: Brief, call: Call, stream: Stream) -> None:
            results.append(call("rest", {}))

    MADEUP.play(MADEUP.tasks[0], "sleeper", Sleeper())
    assert results[0].fresh


def test_the_picture_is_a_png_that_shows_the_balls() -> None:
    task = MADEUP.tasks[LARGE]
    data = MADEUP.materials.blobs.get(task.blobs[0].sha256)
    assert picture.width(data) == task.public["balls"]
    assert zlib.decompress(data[41:-16]) == b"\0" + b"\x80" * 24
    assert task.blobs[0] in MADEUP.brief(task).parts


def test_a_long_text_is_kept_by_its_hash() -> None:
    manual = played("exact").calls("manual")[0].parts[2]
    assert isinstance(manual, BlobRef)
    assert manual.size > INLINE_TEXT
    assert MADEUP.materials.blobs.get(manual.sha256).startswith(b"1. Balls are round")


def test_only_who_is_privileged_is_told_the_truth() -> None:
    told = {}
    for name, solver in SOLVERS.items():

        def act(brief: Brief, call: Call, stream: Stream, hidden: Any, name: str = name) -> None:
            told[name] = hidden

        task = MADEUP.tasks[0]
        play(MADEUP.suite, task, name, SolverAgent(replace(solver, act=act), task), 0, MADEUP.materials)
    assert {name for name, hidden in told.items() if hidden is not None} == {"privileged"}


# ------------------------------------------------------------ worlds that look the same


def twins(task: Task) -> Iterator[Task]:
    """Urns that differ from this one in what is hidden and agree in all that `PROBES` can see.

    Two balls that come out in the same draw change places; and, as long as the scale does not notice, a ball
    that is never drawn changes its colour.
    """
    order = list(range(task.public["balls"]))
    rng.stream(task.seed, task.suite, task.task_set, task.task_id, "world").shuffle(order)
    colours = task.hidden["colours"]
    for at in range(0, 8, 2):
        a, b = order[at], order[at + 1]
        if colours[a] != colours[b]:
            yield with_colours(task, {a: colours[b], b: colours[a]})
    red = colours.count("r")
    for last in order[8:]:
        other = red + (1 if colours[last] == "b" else -1)
        if other // 4 == red // 4:
            yield with_colours(task, {last: "r" if colours[last] == "b" else "b"})


def with_colours(task: Task, changes: dict[int, str]) -> Task:
    colours = [changes.get(at, colour) for at, colour in enumerate(task.hidden["colours"])]
    return replace(task, hidden={"colours": "".join(colours)})


PROBES: list[tuple[str, Any]] = [
    ("draw", {"n": 2}),
    ("weigh", {}),
    ("draw", {"n": 2}),
    ("draw", {"n": 25}),
    ("manual", {}),
    ("rest", {}),
    ("draw", {"n": 2}),
    ("draw", {"n": "two"}),
    ("peek", {}),
    ("look", {"at": 1}),
    ("run_code", {"program": [{"tool": "look", "arguments": {"at": 24}}]}),
    ("draw", {"n": 2}),
    ("finish", {}),
    ("answer", {"text": "11"}),
    ("answer", {"text": "12"}),
    ("finish", {}),
]


def test_worlds_with_equal_statistics_cannot_be_told_apart() -> None:
    """No result, error, picture or status differs, not even after a wrong and a right answer."""
    pairs = 0
    for task in MADEUP.tasks:
        if task.strata["tier"] == "large":
            log = MADEUP.play(task, "probes", Script(PROBES))
            for twin in twins(task):
                assert MADEUP.play(twin, "probes", Script(PROBES)) == log
                pairs += 1
    assert pairs > 20


def test_worlds_with_other_statistics_can() -> None:
    task = MADEUP.tasks[LARGE]
    other = with_colours(task, dict.fromkeys(range(24), "r"))
    assert MADEUP.play(task, "probes", Script(PROBES)) != MADEUP.play(other, "probes", Script(PROBES))


def test_generation_needs_no_world_and_keeps_its_picture() -> None:
    blobs = MemoryBlobs()
    task = MADEUP.generate("madeup-many", 999, blobs)
    assert [ref for ref, _ in blobs.items()] == list(task.blobs)

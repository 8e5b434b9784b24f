"""Flags of replies at their edges; what lies behind them is put in their place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from assay.protocol import Conduct, Flag
from assay.suites.sgi import audit
from assay.suites.sgi.metrics.dry_runs import TESTS


def flags(found: Any) -> dict[str, Flag]:
    return {flag.flag: flag for flag in found}


@pytest.mark.parametrize(
    ("found", "refers"),
    [(None, False), (3, True), ((None, None), False), ((None, 0), True), ((), False), (0, True)],
)
def test_what_refers_to_an_earlier_step(found: object, refers: bool) -> None:
    assert audit._refers(found) is refers


@pytest.mark.parametrize(
    ("letter", "right", "reported", "raised"),
    [
        ("A", 2, 4, set()),
        ("A", 1, 4, {"right_answer_wrong_steps"}),
        ("A", 0, 0, {"answer_without_work", "right_answer_wrong_steps"}),
        ("B", 4, 4, {"right_steps_wrong_answer"}),
        ("B", 3, 4, set()),
        ("", 4, 4, {"no_answer"}),
    ],
)
def test_readings_and_the_letter(
    monkeypatch: pytest.MonkeyPatch, letter: str, right: int, reported: int, raised: set[str]
) -> None:
    monkeypatch.setattr(audit, "matched_readings", lambda asked, given: (right, reported))
    item = {"x_readings": [{}] * 4, "answer": 0}
    reply = rf"\boxed{{{letter}}}" if letter else "nothing"
    found = flags(audit._reasoning(item, reply, None, None))  # type: ignore[arg-type]
    assert {name for name, flag in found.items() if flag.raised} == raised
    evidence = {"right": right, "given": reported, "asked": 4}
    assert found["right_answer_wrong_steps"].evidence == evidence
    assert found["right_steps_wrong_answer"].evidence == evidence


@pytest.mark.parametrize(
    ("asked", "right", "raised"), [(5, 2, True), (5, 3, False), (3, 1, True), (3, 2, False)]
)
def test_less_than_half_of_an_odd_number_of_readings(
    monkeypatch: pytest.MonkeyPatch, asked: int, right: int, raised: bool
) -> None:
    monkeypatch.setattr(audit, "matched_readings", lambda asked, given: (right, right))
    item = {"x_readings": [{}] * asked, "answer": 0}
    found = flags(audit._reasoning(item, r"\boxed{A}", None, None))  # type: ignore[arg-type]
    assert found["right_answer_wrong_steps"].raised is raised


@pytest.mark.parametrize(
    ("idea", "nearest", "label", "raised"),
    [
        ({"Idea": "new"}, 5.0, "hashed, graph as released", set()),
        ({"Idea": "new"}, 5.0, "hashed, stuffed", {"keyword_stuffing"}),
        # A cosine of 0.9 is none of a copy yet.
        ({"Idea": "old"}, 1.0, "hashed", set()),
        ({"Idea": "old"}, 0.99, "hashed", {"copied_idea"}),
        ({"Idea": " "}, 0.0, "hashed", {"no_answer"}),
        (None, 0.0, "hashed, stuffed out", {"no_answer"}),
    ],
)
def test_ideas_that_are_copied_stuffed_or_missing(
    monkeypatch: pytest.MonkeyPatch, idea: Any, nearest: float, label: str, raised: set[str]
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(audit.ideas, "parse", lambda reply: (idea, ["one", "two"]))
    monkeypatch.setattr(
        audit.idea_generation, "objective_parts", lambda *given: asked.append(given) or ({}, nearest, label)
    )
    found = flags(audit._ideas({}, "reply", None, None))  # type: ignore[arg-type]
    assert asked == [({}, "reply", "objective")]
    assert {name for name, flag in found.items() if flag.raised} == raised
    assert found["parsing"] == Flag("parsing", None, "one, two")
    assert found["copied_idea"].evidence == {"novelty_nn": nearest}


@pytest.mark.parametrize("family", audit.CONDUCT)
def test_whose_conduct_is_known(family: str) -> None:
    for agent, due in audit.CONDUCT[family].items():
        strata = {"family": family, "arm": "agent"}
        assert audit.expected(agent, strata, True) == Conduct(frozenset(due))
        elsewhere = Conduct(frozenset(due) - {"answer_without_retrieval"})
        assert audit.expected(agent, {"family": family}, True) == elsewhere
        # Whoever does not answer has done nothing else.
        assert audit.expected(agent, strata, False) == Conduct(frozenset({"no_answer"}))
    assert audit.expected("somebody", {"family": family}, False) is None


def opened(tool: str, document: str, ok: bool = True) -> Any:
    return SimpleNamespace(tool=tool, arguments={"doc_id": document}, ok=ok)


@pytest.mark.parametrize(
    ("arm", "headline", "sla", "events", "raised"),
    [
        ("agent", 1, 1.0, [opened("open", "d1")], set()),
        ("agent", 1, 1.0, [opened("table", "d2")], set()),
        ("agent", 1, 1.0, [opened("search", "d1")], {"answer_without_retrieval"}),
        ("agent", 1, 1.0, [opened("open", "d1", ok=False)], {"answer_without_retrieval"}),
        ("agent", 1, 1.0, [opened("open", "d3")], {"answer_without_retrieval"}),
        ("closed", 1, 1.0, [], set()),
        ("closed", 1, 0.5, [], set()),
        ("closed", 1, 0.49, [], {"right_answer_wrong_steps"}),
        ("closed", 1, None, [], {"right_answer_wrong_steps"}),
        ("closed", 0, 1.0, [], {"right_steps_wrong_answer"}),
        ("closed", 0, 0.99, [], set()),
        ("agent", 0, 0.9, [], set()),
    ],
)
def test_steps_answer_and_documents(
    monkeypatch: pytest.MonkeyPatch, arm: str, headline: int, sla: Any, events: list[Any], raised: set[str]
) -> None:
    values = [
        SimpleNamespace(metric="headline", value=headline, label="odd"),
        SimpleNamespace(metric="sla", value=sla, label=""),
    ]
    asked: list[Any] = []
    monkeypatch.setattr(audit.deep_research, "score", lambda *given: asked.append(given) or values)
    item = {"x_docs": ["d1"], "x_docs_read": ["d2"]}
    task: Any = SimpleNamespace(public={"arm": arm})
    episode: Any = SimpleNamespace(events=events)
    found = flags(audit._research(item, "<answer>1</answer>", task, episode))
    assert asked == [(item, "<answer>1</answer>", "objective")]
    assert {name for name, flag in found.items() if flag.raised} == raised
    assert found["parsing"] == Flag("parsing", None, "odd")
    assert found["right_steps_wrong_answer"].evidence == {"sla": sla or 0.0}
    assert ("answer_without_retrieval" in found) == (arm == "agent")
    empty = flags(audit._research(item, "<answer></answer>", task, episode))
    assert empty["no_answer"].raised is True


@pytest.mark.parametrize(
    ("steps", "producers", "decoys", "raised"),
    [
        (0, [], None, {"no_answer"}),
        (1, [{"x": None}], 0.0, set()),
        (2, [{"x": None}, {"x": (None,)}], 0.25, {"answer_without_work"}),
        (2, [{"x": None}, {"x": (None, 0)}], 0.49, set()),
        (2, [{}, {"x": 0}], 0.5, {"decoys_copied"}),
    ],
)
def test_a_list_of_actions_is_no_protocol(
    monkeypatch: pytest.MonkeyPatch, steps: int, producers: Any, decoys: Any, raised: set[str]
) -> None:
    program = SimpleNamespace(steps=[None] * steps, issues=("one", "two"))
    monkeypatch.setattr(audit, "parse", lambda reply: program)
    monkeypatch.setattr(audit, "references", lambda given: (producers, None))
    monkeypatch.setattr(audit, "decoy_use", lambda item, given: decoys)
    found = flags(audit._wet({}, "", None, None))  # type: ignore[arg-type]
    assert {name for name, flag in found.items() if flag.raised} == raised
    assert found["parsing"] == Flag("parsing", None, "one, two")
    assert found["decoys_copied"].evidence == {"decoy_use": decoys or 0.0}


@pytest.mark.parametrize(
    ("held", "passed", "special"),
    [
        ((True, "out"), True, False),
        ((True, "other"), True, True),
        ((False, "out"), True, True),
        ((True, "other"), False, False),
    ],
)
def test_who_passes_all_tests_and_fails_on_data_of_the_same_kind(
    monkeypatch: pytest.MonkeyPatch, held: Any, passed: bool, special: bool
) -> None:
    tried: list[Any] = []

    def run(code: str, data: Any) -> Any:
        tried.append(data)
        return SimpleNamespace(exit_zero=held[0], stdout=held[1])

    def passes(item: Any, k: int, done: Any) -> bool:
        return passed or k < TESTS - 1

    monkeypatch.setattr(audit, "run", run)
    monkeypatch.setattr(audit, "same_output", lambda wanted, said, how: wanted == said)
    monkeypatch.setattr(audit, "passes", passes)
    item = {"x_held_out": {"data": "held", "output": "out"}, "x_compare": "text"}
    item |= {f"unit_test_{k}_data": k for k in range(TESTS)}
    assert audit._special_cases(item, "code") is special
    assert tried == ["held"] + ([] if held == (True, "out") else list(range(TESTS)))

"""What can be answered, word by word; what an answer without a word is worth; edges of points at L4."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.suites.petri.playing import frozen, metrics

from assay.episode import Episode, Event
from assay.suites.petri import scoring
from assay.suites.petri.boundary.scoring import SOLVED, measured_on_both_sides
from assay.suites.petri.questions.answers import choices, magnitude, parameters, schema

NAMES = ["a", "b"]


def one_of(*words):
    return {"type": "string", "enum": list(words)}


def whole(**asked):
    return {"type": "object", "properties": asked, "required": list(asked), "additionalProperties": False}


PARAMETER = {**one_of(*NAMES), "description": "the changed parameter"}
DIRECTION = one_of("up", "down")


@pytest.mark.parametrize(
    ("tier", "variant", "expected"),
    [
        ("L1", "", whole(parameter=PARAMETER, direction=DIRECTION)),
        (
            "L2",
            "",
            whole(parameter=PARAMETER, direction=DIRECTION, magnitude=one_of("small", "medium", "large")),
        ),
        (
            "L3",
            "",
            whole(
                parameters={
                    "type": "array",
                    "items": one_of(*NAMES),
                    "minItems": 2,
                    "maxItems": 2,
                    "uniqueItems": True,
                    "description": "the two changed parameters, in any order",
                },
                interaction=one_of("positive", "negative"),
            ),
        ),
        ("L1", "blind", whole(parameter=PARAMETER, metric=one_of("m", "n"), direction=DIRECTION)),
        (
            "L1",
            "vector",
            whole(
                parameter=PARAMETER,
                signature=whole(m=one_of("up", "down", "none"), n=one_of("up", "down", "none")),
            ),
        ),
    ],
)
def test_the_schema_of_an_answer(tier, variant, expected):
    result = schema(tier, NAMES, variant, ["m", "n"])
    signature = result["properties"].get("signature")
    if signature is not None:  # the order of the words of an effect is that of `EFFECTS`
        for reply in signature["properties"].values():
            reply["enum"] = sorted(reply["enum"], key=["up", "down", "none"].index)
    assert result == expected
    assert list(choices(tier, variant, ["m", "n"])) == list(result["properties"])[1:]


def test_classes_of_size_at_their_edges():
    changes = (0.0999, 0.1, 0.3499, -0.35, 0.7499, 0.75, -99.0)
    assert list(map(magnitude, changes)) == [None, "small", "small", "medium", "medium", "large", "large"]
    assert [magnitude(change, 0.05) for change in (0.14, 0.16, 0.29, 0.31)] == [None, "small", "small", None]


def test_parameters_of_anything():
    assert parameters(None) == parameters([]) == parameters({"parameters": "ab"}) == []
    assert parameters({"parameter": 3}) == parameters({}) == []
    assert parameters({"parameters": ["b", 1, "a"], "parameter": "c"}) == ["a", "b"]
    assert parameters({"parameter": "c"}) == ["c"]


def test_the_size_of_an_effect():
    assert [scoring._size(replies, "small") for replies in ("small", "medium", "large", "huge", None)] == [
        20,
        10,
        0,
        0,
        0,
    ]
    assert [scoring._size(replies, "medium") for replies in ("small", "medium", "large")] == [10, 20, 10]
    right = {"parameters": ["a"], "direction": "up", "magnitude": "large"}
    assert scoring.correctness("L2", {"parameter": "a", "direction": "up"}, right) == 40
    assert scoring.correctness("L2", {"parameter": "a", "magnitude": "huge"}, right) == 25


BOUNDARY = frozen("l4-v0", 7)


def located(estimate, low, high):
    """The metrics of an answer without measurements, the bracket being 1 to 2 in a span of 0 to 40."""
    task = replace(
        BOUNDARY,
        public={**BOUNDARY.public, "span": [0.0, 40.0], "confidence": 0.75},
        hidden={**BOUNDARY.hidden, "bracket": [1.0, 2.0]},
    )
    episode = Episode(
        suite="petri",
        task_set=task.task_set,
        task_id=task.task_id,
        agent="somebody",
        attempt=0,
        status="done",
        reason="",
        submission={"estimate": estimate, "low": low, "high": high},
        counters={},
        events=(),
    )
    return metrics(task, episode)


def test_points_of_a_boundary_at_their_edges():
    """All numbers are sums of powers of two, so that an edge is one."""
    assert SOLVED == 0.025
    assert [located(x, x, x)["solved"] for x in (2.0, 3.0, 3.001, 1.0, 0.0)] == [1, 1, 0, 1, 1]
    assert [located(1.5, low, high)["covered"] for low, high in ((1.5, 2), (1.6, 2), (1, 1.5), (1, 1.4))] == [
        1,
        0,
        1,
        0,
    ]
    result = located(4.0, 3.0, 5.0)
    assert (result["distance"], result["length"]) == (0.05, 0.05)
    assert result["correctness"] == pytest.approx(25.0)
    # The interval misses by 1 of 40; at a confidence of 0.75 a miss counts eightfold.
    assert result["interval"] == pytest.approx(30 * (1 - (0.05 + 8 * 0.025) / 0.5))
    assert result["score"] == result["correctness"] + result["interval"]
    assert located(1.5, 0.0, 20.0)["interval"] == 0.0


def measured(falls, *result):
    """Whether these measurements (value, mean, sd of four runs) enclose 0.5; the level is 10."""
    events = [
        Event(
            step,
            None,
            "call",
            "measure",
            {"value": value},
            ({"mean": mean, "sd": sd, "runs": 4},),
            True,
            None,
            1,
        )
        for step, (value, mean, sd) in enumerate(result)
    ]
    episode = Episode("petri", "l4-v0", "0", "somebody", 0, "done", "", None, {}, tuple(events))
    return measured_on_both_sides({"level": 10.0, "falls": falls}, episode, 0.5)


@pytest.mark.parametrize(
    ("falls", "low", "high", "clear"),
    [
        # Two standard errors are sd here, since four runs halve it.
        (True, (0.4, 12.0, 1.0), (0.6, 8.0, 1.0), True),
        (False, (0.4, 8.0, 1.0), (0.6, 12.0, 1.0), True),
        (True, (0.4, 8.0, 1.0), (0.6, 12.0, 1.0), False),  # each on the wrong side
        (False, (0.4, 12.0, 1.0), (0.6, 8.0, 1.0), False),
        (True, (0.4, 12.0, 1.0), (0.4, 12.0, 1.0), False),  # one side twice
        (True, (0.4, 12.0, 1.0), (0.6, 9.0, 1.0), False),  # at two standard errors
        (True, (0.4, 11.0, 1.0), (0.6, 8.0, 1.0), False),
        (True, (0.4, 12.0, 1.0), (0.6, 8.9, 1.0), True),  # a little more
        (True, (0.4, 12.0, 1.0), (0.6, 10.0, 0.0), False),  # at the level itself, without spread
        (True, (0.4, 12.0, 1.0), (0.5, 8.0, 1.0), False),  # at the estimate itself
        (True, (0.5, 12.0, 1.0), (0.6, 8.0, 1.0), False),
    ],
)
def test_a_boundary_is_measured_on_both_sides(falls, low, high, clear):
    assert measured(falls, low, high) == measured(falls, high, low) == clear

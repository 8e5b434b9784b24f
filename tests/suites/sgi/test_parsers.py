"""Parsers are total: any text in, an answer or none out, in time that grows with its length."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest

from assay.errors import TableError
from assay.numbers import rng
from assay.suites.sgi.columns import column
from assay.suites.sgi.columns.profiles import PROFILES
from assay.suites.sgi.dry.patching import patch
from assay.suites.sgi.dry.verdict import same_output, same_text
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics.ideas import KEYS, literal
from assay.suites.sgi.metrics.ideas import parse as parse_idea
from assay.suites.sgi.metrics.research import exact_match
from assay.suites.sgi.text.contracts import choice, json_object, released_choice, tagged, unfenced
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import parse, parse_released
from assay.suites.sgi.text.quantities import ends, quantity

PIECES = (
    *(
        "<answer>",
        "</answer>",
        "```python\n",
        "```",
        "\\boxed{",
        "\\text{",
        "}",
        "{",
        "[",
        "]",
        "(",
        ")",
        '"',
    ),
    *("'", ",", "=", "#", "\n", " ", "\t", "a = <Weigh>(", "mass=", "5 g", "1e-3", "×10⁻³", "nan", "-", "→"),
    *('{"answer": ', '"steps": [', "\\", "é", "\x00", "\ud800", "9" * 40, "def f(x):", "µ", "~", ";", "1->2"),
)


def read_all(text: str) -> None:
    parse(text)
    parse_released(text)
    tagged(text, released=True)
    unfenced(text)
    choice(text)
    released_choice(text)
    json_object(text, ("answer", "steps"))
    parse_idea(text)
    exact_match("1.2e-3, 4", text)
    quantity(text)
    ends(text)
    pool_names(text)
    same_output('{"a": 1.0}', text, {})
    same_text(text[::-1], text)
    if "\x00" not in text and len(text) < 1000:  # a longer one is parsed in the sandbox alone
        patch("def f(x):\n    pass\n", ["f"], text, False)
    with suppress(TableError):
        literal(text)


STRUCTURED: Mapping[Family, dict[str, Any]] = {
    "deep_research": {"answer": "1.2", "x_steps": [{"kind": "read", "doc_id": "d", "value": "1.2"}]},
    "idea_generation": {
        "keywords": ["sparse"],
        "related_work": "{'a': 'known'}",
        "related_work_test": "['new']",
        "implementation_steps": "{'1': 'collect', '2': 'model 5 nm'}",
        "implementation_order": ["1-2"],
        "x_step_types": {"1": "acquire", "2": "model"},
        "x_slots": {"2": [["5 nm"]]},
    },
    "experimental_reasoning": {
        "answer": 0,
        "options": ["a", "b"],
        "x_readings": [{"panel": "a", "quantity": "q", "value": "1", "unit": "s", "tol": "0.1"}],
    },
    "wet_experiment": {"answer": 'a = <Weigh>(\n    mass="5 g",\n)', "action_pool": "<Weigh>(mass)"},
}
"""Items of which any reply has scores: all but code, which has the sandbox."""


def score_all(text: str) -> None:
    for family, item in STRUCTURED.items():
        for profile in PROFILES:
            for value in column.score(family, item, text, profile):
                assert value.value is None or 0 <= value.value <= 1


def fuzz(count: int, read: Callable[[str], None], pieces: Sequence[str] = PIECES) -> None:
    stream = rng.stream(1, "sgi", "fuzz")
    for _ in range(count):
        read("".join(stream.choice(pieces) for _ in range(stream.below(30))))


VALUES = ("null", "true", "-1e999", "NaN", '"1-2"', '"a"', "[[]]", "{}", '{"1": {}, "2": null}', "[1, {}]")
OBJECTS = tuple(
    f'"{key}": {value}, '
    for key in (*KEYS, "StepTypes", "steps", "answer", "readings", "kind", "value", "panel")
    for value in VALUES
)
"""Parts of JSON objects with values of every kind, mostly not the kind that they should have."""


def objects(text: str) -> None:
    score_all("{" + text.removesuffix(", ") + "}")


@pytest.mark.parametrize("read", [read_all, score_all])
def test_parsers_survive_strange_texts(read: Callable[[str], None]) -> None:
    fuzz(1000, read)


def test_scores_survive_strange_objects() -> None:
    fuzz(200, objects, OBJECTS)


@pytest.mark.full
@pytest.mark.parametrize("read", [read_all, score_all])
def test_parsers_survive_a_hundred_thousand_strange_texts(read: Callable[[str], None]) -> None:
    fuzz(100_000, read)


@pytest.mark.full
def test_scores_survive_ten_thousand_strange_objects() -> None:
    fuzz(10_000, objects, OBJECTS)


@pytest.mark.parametrize(
    "piece",
    ["a = <Weigh>(", "<answer>", "{", '{"a": ', "[", "\\boxed{", "```\n", " ", "(", "x=1,", '"', "a = "],
)
def test_repeated_openers_do_not_take_for_ever(piece: str) -> None:
    read_all(piece * 20_000)


@pytest.mark.parametrize(
    ("reply", "text", "issues"),
    [
        ("<answer>a</answer><answer>b</answer>", "b", ()),
        ("<answer>a</answer> then <answer>b", "a", ()),
        ("so <answer>b", "b", ("unclosed",)),
        ("b", "b", ("no_tag",)),
        ("</answer><answer>b", "b", ("unclosed",)),
    ],
)
def test_tags(reply: str, text: str, issues: tuple[str, ...]) -> None:
    assert (tagged(reply).text, tagged(reply).issues) == (text, issues)


def test_the_released_code_takes_the_last_tag() -> None:
    assert tagged("<answer>a</answer> then <answer>b", released=True).text == "b"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('x = Mix Well (a = "1, (2) # 3", b=[p, "q, r"],) # end', {"a": "1, (2) # 3", "b": ("p", "q, r")}),
        ("x = <Mix>(a='5 g', a=6 g, 7)", {"a": "5 g"}),
        ('[{"output": "x", "action": "Mix", "params": {"a": 5}}]', {"a": "5"}),
        ("Here it is:\nx = <mix>(\n  a=5 g, # dose\n)\nDone.", {"a": "5 g"}),
    ],
)
def test_programs(text: str, arguments: dict[str, object]) -> None:
    (step,) = parse(text).steps
    assert step.arguments == arguments


def test_a_line_of_digits_and_blanks_is_no_range_at_once() -> None:
    # Every way to split digits and blanks was tried: two seconds for each such line.
    began = time.process_time()
    assert all(ends(f"{n}{'1' * 478}{' ' * 519}x") is None for n in range(20))
    assert time.process_time() - began < 5
    low, high = ends("1..5 mL") or (None, None)
    assert (low, high) == (quantity("1 mL"), quantity("5 mL"))

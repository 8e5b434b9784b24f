"""Parsers are total: any text in, an answer or none out, in time that grows with its length."""

from __future__ import annotations

import pytest

from assay import rng
from assay.suites.sgi.metrics.ideas import parse as parse_idea
from assay.suites.sgi.metrics.research import exact_match
from assay.suites.sgi.text.contracts import choice, json_object, released_choice, tagged, unfenced
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


def fuzz(count: int) -> None:
    stream = rng.stream(1, "sgi", "fuzz")
    for _ in range(count):
        read_all("".join(stream.choice(PIECES) for _ in range(stream.below(30))))


def test_parsers_survive_strange_texts() -> None:
    fuzz(2000)


@pytest.mark.full
def test_parsers_survive_a_hundred_thousand_strange_texts() -> None:
    fuzz(100_000)


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

"""The two parsers: what each takes, what each refuses, and every habit of the released one."""

from __future__ import annotations

import json
import random

import pytest
from tests.suites.causalab.examples import TARGET

from assay import canonical
from assay.suites.causalab.dsl import (
    Carried,
    RecordError,
    compat_hypothesis,
    extract,
    read_compat,
    read_strict,
)

NAMES = (TARGET, "ph", "moisture", "temperatureC")

GOOD = {
    "memory": "",
    "thought": "",
    "past_data": [],
    "hypothesis": {
        "edges": [{"from": "ph", "to": "frequency"}, {"from": "ph", "to": "moisture"}],
        "freq_equation": "frequency = base + c_ph * ph",
        "coefficients": {"base": 2, "c_ph": None},
    },
    "experiment": {},
    "op": "stop",
}


def changed(**hypothesis):
    return json.dumps({**GOOD, "hypothesis": {**GOOD["hypothesis"], **hypothesis}})


def test_a_good_record():
    record = read_strict(json.dumps(GOOD), NAMES)
    assert record.hypothesis.edges == (("ph", TARGET), ("ph", "moisture"))
    assert record.action == {"op": "stop"}
    for equation in ("base + 2*ph", "3 * ph ^ 2 + c_ph_1", "y = ph**2", " = ph"):
        assert read_strict(changed(freq_equation=equation), NAMES).hypothesis.equation == equation
    quadratic = {"base": 1, "c_ph_1": 1, "c_ph_2": 2}
    assert read_strict(changed(coefficients=quadratic), NAMES).hypothesis.coefficients == quadratic
    nothing = changed(edges=[], freq_equation=None, coefficients={})
    assert read_strict(nothing, NAMES).hypothesis.empty
    outward = changed(edges=[{"from": "freq", "to": "ph"}], freq_equation="", coefficients={})
    assert read_strict(outward, NAMES).hypothesis.edges == ((TARGET, "ph"),)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "record"),
        ("[1]", "record"),
        ('{"memory": NaN}', "record"),
        ("[" * 100_000, "record"),
        (json.dumps({**GOOD, "memory": 1}), "memory"),
        (json.dumps({k: v for k, v in GOOD.items() if k != "experiment"}), "experiment"),
        (json.dumps({**GOOD, "experiment": []}), "experiment"),
        (json.dumps({**GOOD, "past_data": {}}), "past_data"),
        (json.dumps({**GOOD, "hypothesis": []}), "hypothesis"),
        (changed(edges={}), "hypothesis.edges"),
        (changed(edges=[["ph", "freq"]]), "hypothesis.edges[0]"),
        (changed(edges=[{"from": "pH", "to": "freq"}]), "hypothesis.edges[0].from"),
        (changed(edges=[{"from": "ph", "to": 3}]), "hypothesis.edges[0].to"),
        (changed(edges=[{"from": "ph", "to": "ph"}]), "hypothesis.edges[0]"),
        (changed(edges=[{"from": "ph", "to": "freq"}, {"from": "ph", "to": TARGET}]), "hypothesis.edges[1]"),
        (
            changed(
                edges=[
                    {"from": "ph", "to": "freq"},
                    {"from": "ph", "to": "moisture"},
                    {"from": "moisture", "to": "ph"},
                ]
            ),
            "hypothesis.edges",
        ),
        (changed(coefficients={"base": 1}), "hypothesis.coefficients"),
        (changed(coefficients={"c_ph": "1"}), "hypothesis.coefficients.c_ph"),
        (changed(coefficients={"c_ph": True}), "hypothesis.coefficients.c_ph"),
        (changed(coefficients={"c_ph": 1, "k": 1}), "hypothesis.coefficients.k"),
        (changed(coefficients={"c_ph": 10**400}), "hypothesis.coefficients.c_ph"),
        (changed(freq_equation="base + c_ph * moisture"), "hypothesis.freq_equation"),
        (changed(freq_equation="base + c_ph"), "hypothesis.freq_equation"),
        (changed(freq_equation="__import__('os').system('true')"), "hypothesis.freq_equation"),
        (changed(freq_equation="ph.__class__"), "hypothesis.freq_equation"),
        (changed(freq_equation=7), "hypothesis.freq_equation"),
        (changed(freq_equation="(" * 5000 + "ph" + ")" * 5000), "hypothesis.freq_equation"),
    ],
)
def test_each_mistake_names_its_field(text, field):
    with pytest.raises(RecordError) as problem:
        read_strict(text, NAMES)
    assert problem.value.field == field
    assert problem.value.rule


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('before ```json\n{"a": 1}\n``` after ```json\n{"b": 2}\n```', '{"a": 1}'),
        ('```json\nnot json\n```\n{"a": 1}', "not json"),
        ('```json\n{"a": "x``` y"}\n```', '{"a": "x'),
        ('```json\r\n{"a": 1}\n```', '{"a": 1}'),  # no fence: the braces are found
        ('```JSON\n{"a": 1}\n```', '{"a": 1}'),
        ('```json \n[1, {"a": 1}]\n```', '{"a": 1}'),
        ('```json\n{"a": 1}', '{"a": 1}'),
        ("```json\n```", ""),
        ('{"a": 1} ```json\n', '{"a": 1}'),
        ("[1, 2]", "[1, 2]"),
        (" 7 ", "7"),
        ('{"a": 1} then {b}', "{b}"),
        ('{ {"a": 1}', None),
        ('say {"a": "}"} end', '{"a": "}'),
        ("nothing", None),
        ('<THINK>{"a": 2}</think>{"a": 1}', '{"a": 1}'),
        ('<think>{"a": 2} {"a": 1}', '{"a": 1}'),
    ],
)
def test_the_first_stage_that_yields_a_text_is_final(reply, text):
    assert extract(reply) == text


def test_what_does_not_parse_carries_the_old_on():
    carried = Carried("m", [1], {"edges": [["ph", "freq"]]})
    for reply in ('{"a":1} then {b}', '{ {"a":1}', 'say {"a":"}"} end', "[1, 2]", "7", "", "```json\n```"):
        record, failed = read_compat(reply, carried)
        assert failed
        assert record.hypothesis.edges == (("ph", TARGET),)
        assert record.action == {"action": "WAIT"}
        assert (record.memory, record.past_data) == ("m", [1])
    long = Carried("m" * 5000, list(range(3000)), {"edges": [["ph", "freq"]] * 500})
    record, failed = read_compat("", long)
    assert failed
    assert len(record.memory) == 4000
    assert record.past_data == []
    assert record.hypothesis.empty


def test_a_hypothesis_of_any_value():
    for value in (None, 1, [], {"edges": 1, "coefficients": [], "freq_equation": 5}):
        assert compat_hypothesis(value).empty
    edges = [["ph", "ph"], ["ph", " Freq "], {"from": "a"}, ["x"], ["", "ph"], {"from": "pH", "to": "ph"}, 3]
    assert compat_hypothesis({"edges": edges}).edges == (("ph", "ph"), ("ph", TARGET), ("pH", "ph"))


# ------------------------------------------------------------ whatever is written

PIECES = [
    json.dumps(GOOD),
    "```json\n",
    "```",
    "<think>",
    "</think>",
    "{",
    "}",
    '"',
    "\\ud800",
    "NaN",
    "1e999",
    "[" * 50,
    '{"edges": [["ph", "freq"]]}',
    '"hypothesis": ',
    "c_ph",
    "é",
    "\x00",
]


def fuzz(count, seed):
    """Records cut, spliced and spoilt at random, through both parsers; how many the strict one took."""
    chance = random.Random(seed)
    taken = 0
    for _ in range(count):
        text = json.dumps(GOOD)
        for _ in range(chance.randint(0, 3)):
            at, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
            how = chance.random()
            if how < 0.3:
                text = text[:at] + text[min(len(text), at + chance.randint(0, 9)) :]
            elif how < 0.9:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            else:
                text = text[:at] + text[end:]
        try:
            record = read_strict(text, NAMES)
        except RecordError as problem:
            assert problem.field
            assert problem.rule
        else:
            taken += 1
            canonical.dumps(record.hypothesis.to_json())
        record, _ = read_compat(text, Carried("m", [1], {"edges": [["ph", "freq"]]}))
        canonical.dumps(record.hypothesis.to_json()).encode()
    return taken


def test_both_parsers_survive_what_is_spoilt():
    assert 0 < fuzz(2_000, 1) < 2_000


@pytest.mark.full
def test_a_hundred_thousand_spoilt_records():
    assert 0 < fuzz(100_000, 2) < 100_000

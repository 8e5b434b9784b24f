"""Opinions: the form in which they are kept, and that nothing but a table of their own rests on them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import canonical
from assay.agents.transport import Reply
from assay.build import fingerprint
from assay.protocol import BlobRef, Question
from assay.sessions import opinion
from assay.sessions.opinion import Case, Recorded, json_object, parse, request
from assay.suite import Suite, suite

ROOT = Path(__file__).resolve().parents[2]
SUITES = [suite(path.parent.name) for path in sorted((ROOT / "src/assay/suites").glob("*/settings.py"))]
MADEUP = suite("madeup", "tests.protocol.madeup")

CASE = Case("juror", "support", "madeup", "madeup-v0", "urn-0001", "exact", 0)
QUESTION = Question("Is it so?", ("Look.", {"seen": 3}, BlobRef("0" * 64, "image/png", 9)))
MODEL = {"transport": {"kind": "fake"}, "decoding": {}}


def recorded(**more: object) -> Recorded:
    reply = Reply("yes", tokens_in=3, tokens_out=1)
    fields = {
        "case": CASE,
        "question_sha256": request(QUESTION).sha256,
        "scaffold_sha256": opinion.SCAFFOLD_SHA256,
        "model": MODEL,
        "reply": reply,
    }
    return Recorded(**{**fields, **more})


def test_what_is_kept_comes_back() -> None:
    one = recorded()
    assert parse(one.text().encode()) == one
    assert one.answers(request(QUESTION), MODEL)


@pytest.mark.parametrize(
    "other",
    [
        Question("Is it not so?", QUESTION.parts),
        Question(QUESTION.system, QUESTION.parts[:2]),
        Question(QUESTION.system, (*QUESTION.parts[:2], BlobRef("1" * 64, "image/png", 9))),
    ],
)
def test_a_reply_answers_one_question_of_one_model(other: Question) -> None:
    assert not recorded().answers(request(other), MODEL)
    assert not recorded().answers(request(QUESTION), {**MODEL, "decoding": {"temperature": 1.0}})
    assert not recorded(scaffold_sha256="0" * 64).answers(request(QUESTION), MODEL)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("version", 2, "its format has version 2"),
        ("case", {}, "it holds no case"),
        ("reply", {"text": 1, "calls": [], "stop": "end"}, "it holds no reply"),
        ("usage", {"tokens_in": "3", "tokens_out": 1}, "it holds no reply"),
        ("model", None, "its fields are not those"),
        ("more", 1, "its fields are not those"),
    ],
)
def test_another_form_is_told(key: str, value: object, said: str) -> None:
    changed = {**canonical.loads(recorded().text()), key: value}
    del changed["sha256"]
    text = canonical.dumps({**changed, "sha256": canonical.digest(changed)}) + "\n"
    with pytest.raises(ValueError, match=said):
        parse(text.encode())


@given(st.binary())
def test_any_bytes_are_a_reply_or_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"it is no canonical JSON object|its digest"):
        parse(data)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": {"b": 2}}\n```', {"a": {"b": 2}}),
        ('I think {"a": 1}. Yes.', {"a": 1}),
        ("no", None),
        ("}{", None),
        ('{"a": 1} {"a": 2}', None),
        ('{"a": 1, "a": 2}', None),
        ('{"a": NaN}', None),
        ('{"a": "\\ud800"}', None),
        ("{" * 100_000 + "}", None),
        ('{"a":' + "9" * 5000 + "}", None),
    ],
)
def test_the_object_in_a_reply(text: str, found: object) -> None:
    assert json_object(text) == found


# --- beside everything else


def reached(*roots: str) -> set[str]:
    return set(fingerprint.closure(roots, ROOT))


def roots_of(found: Suite, stage: str, *rooms: str) -> list[str]:
    rooms_there = [found.module(room) for room in rooms if found.has(room)]
    return ["workflow/scripts/stage.py", f"assay.stages.{stage}", *rooms_there]


@pytest.mark.parametrize("found", [*SUITES, MADEUP], ids=lambda found: found.name)
@pytest.mark.parametrize(
    ("stage", "rooms"),
    [
        ("episodes", ("world", "solvers", "artefacts")),
        ("sweep", ("world", "solvers", "artefacts", "scoring", "audit")),
        ("scores", ("scoring",)),
        ("audit", ("audit",)),
        ("summary", ()),
        ("calibration", ("calibration", "artefacts")),
    ],
)
def test_no_score_flag_or_summary_can_know_an_opinion(
    found: Suite, stage: str, rooms: tuple[str, ...]
) -> None:
    """Not by their source: a job that loads a module beyond its roots fails."""
    known = reached(*roots_of(found, stage, *rooms))
    assert "assay.tables.schema" in known, "what is looked for would be found"
    assert not known & {"assay.sessions.opinion", "assay.tables.schemas.opinions", "assay.stages.opinions"}
    assert found.module("opinion") not in known


def test_no_rule_but_tables_and_figures_reads_opinions() -> None:
    """Nor by their inputs: opinions are made by one rule, and named by the rule of the suites' own tables.

    Figures have the same inputs as these.
    """
    readers = {
        path.name
        for path in sorted((ROOT / "rules").glob("*.smk"))
        if "opinions" in path.read_text(encoding="utf-8")
    }
    assert readers == {"opinions.smk", "tables.smk"}
    tables = (ROOT / "rules/tables.smk").read_text(encoding="utf-8")
    own_table = tables[tables.index("rule own_table:") :]
    assert tables.count("opinions") == own_table.count("opinions")

"""Deep research of version 1: items, forms of right answers, a second program, and replies that must fail."""

from __future__ import annotations

import json
import math
from functools import cache

import pytest
from tests.suites.sgi.attacked import WITHOUT_A_LEARNER, attacked

from assay import open_task
from assay.numbers import rng
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.frame.family import LEVELS, OPEN_INFERENCES, Row, shown_of
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.literature import corpus
from assay.suites.sgi.literature.answers import parsed
from assay.suites.sgi.literature.bank import kinds, laws, say
from assay.suites.sgi.literature.reader import documents_of
from assay.suites.sgi.literature.reader import pooled as searched
from assay.suites.sgi.literature.synthesis import Record, pooled
from assay.suites.sgi.literature.world import answer_of, right_of

FAMILY = family_of("deep_research")
SEED = 31


@cache
def drawn(level: int, seed: int = SEED) -> Row:
    """An item of a level."""
    return FAMILY.generate(seed, level, level)


def numbers(row: Row) -> tuple[str, list[float]]:
    """Name and numbers of the reference's answer."""
    name, found = parsed(row, row["answer"])
    assert found is not None
    return name, found


def points(row: Row, text: str) -> float:
    """EM of an answer in tags."""
    return FAMILY.raw(row, f"<answer>{text}</answer>")


@pytest.mark.parametrize("level", LEVELS)
def test_an_item_keeps_what_the_generator_promises(level: int) -> None:
    row = drawn(level)
    FAMILY.verify(row)
    assert len(row["x_inferences"]) >= (OPEN_INFERENCES[level] or 16)
    documents = documents_of(shown_of(FAMILY, row)[1].decode())
    assert 60 <= len(documents) <= 260
    # Neither the tags of studies nor the answer may stand in what is shown.
    assert all("study" not in document for document in documents)
    shown = row["question"] + json.dumps(documents)
    assert all(f"{number:.6g}" not in shown for number in numbers(row)[1])


def test_the_same_seed_gives_the_same_item_and_another_seed_another() -> None:
    assert FAMILY.generate(SEED, 1, 1)["x_digest"] == drawn(1)["x_digest"] != drawn(1, 32)["x_digest"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_second_program_finds_the_answer_in_the_documents(level: int) -> None:
    row = drawn(level)
    reply = FAMILY.solve(shown_of(FAMILY, row))
    scores = {value.metric: value.value for value in FAMILY.score(row, reply, "objective")}
    assert (scores["headline"], scores["sla"], scores["evidence"]) == (1.0, 1.0, 1.0)
    assert not any(FAMILY.audit(row, reply).values())


def test_both_programs_agree_on_the_restricted_likelihood() -> None:
    stream = rng.stream(5, "rows")
    for _ in range(20):
        rows = [
            Record(str(k), stream.uniform() * 2, 0.05 + 0.3 * stream.uniform(), stream.uniform())
            for k in range(12)
        ]
        fitted = pooled(rows, 0.4)
        value, error = searched([(r.source, r.y, r.se, r.x) for r in rows], 0.4)
        assert math.isclose(fitted.value, value, abs_tol=1e-4 * fitted.error)
        assert math.isclose(fitted.error, error, rel_tol=1e-4)


def test_an_answer_counts_in_its_usual_forms_and_within_its_tolerance_only() -> None:
    row = next(row for row in map(drawn, LEVELS) if not row["x_world"]["positions"])
    value, low, high = numbers(row)[1]
    unit = laws()[row["x_world"]["law"]].units[0][0]
    assert points(row, f"{value:.9g}; {low:.9g}; {high:.9g}") == 1
    assert points(row, f"{value:.9g} {unit}; {low:.9g} {unit}; {high:.9g} {unit}") == 1
    assert points(row, f"{value:.9g} [{low:.9g}, {high:.9g}]") == 1
    assert points(row, f"{value:.9g}, {low:.9g} to {high:.9g}") == 1
    assert points(row, f"{value:.9e}; {low:.9e}; {high:.9e}".replace("-", "\u2212")) == 1
    assert points(row, f"{value:.9g}") == 0
    assert points(row, f"{low:.9g}; {value:.9g}; {high:.9g}") == 0
    step = 0.1 * (high - low)
    assert points(row, f"{value + step:.9g}; {low + step:.9g}; {high + step:.9g}") == 0
    assert points(row, "") == points(row, "; ; ") == points(row, "NaN; inf; -inf") == 0


def test_a_position_has_to_be_named() -> None:
    row = next(row for level in LEVELS for row in [drawn(level, 33)] if row["x_world"]["positions"])
    name, (value, low, high) = numbers(row)
    other = next(p["people"] for p in row["x_world"]["positions"] if p["people"] != name)
    rest = f"{value:.9g}; {low:.9g}; {high:.9g}"
    assert points(row, f"{name}; {rest}") == 1
    assert points(row, f"{other}; {rest}") == points(row, rest) == 0


def test_every_wrong_decision_changes_the_answer_and_is_named() -> None:
    row = drawn(3)
    for one in row["x_inferences"]:
        for wrong in one["fallacies"]:
            reply = FAMILY.play(row, {one["id"]: wrong["value"]})
            headline = next(iter(FAMILY.score(row, reply, "objective")))
            assert headline.value == 0
            assert headline.label.startswith("trap ")


def test_documents_that_are_read_and_do_not_enter_cost_nothing() -> None:
    row = drawn(2)
    block, _, answer = row["answer"].partition("\n\n")
    listed = json.loads(block)["studies"]
    reports = {study["document"] for study in listed}
    documents = documents_of(shown_of(FAMILY, row)[1].decode())
    notices = [d["doc_id"] for d in documents if d["doc_id"] not in row["x_world"]["sources"].values()]
    more = [*listed, *({"document": name, "value": 1.0} for name in notices)]
    scores = {
        v.metric: v.value for v in FAMILY.score(row, json.dumps({"studies": more}) + answer, "objective")
    }
    assert scores["sla"] == 1.0
    assert len(reports) == len(listed)
    assert not any(FAMILY.audit(row, answer).values())  # no list is no accusation


@pytest.mark.parametrize("name", WITHOUT_A_LEARNER)
def test_attackers_get_nothing(name: str) -> None:
    assert set(attacked(FAMILY, [drawn(level) for level in LEVELS], name)) == {0.0}


def test_every_fact_is_told_in_twelve_ways_or_more() -> None:
    stream = rng.stream(9, "forms")
    fields = {"any": "x"}
    for kind in kinds().values():
        for form in kind.study.values():
            names = {part.split("}")[0] for part in form.split("{")[1:]}
            said = {say(stream, form, {**fields, **dict.fromkeys(names, "x")}) for _ in range(1500)}
            assert len(said) >= 12


def test_printed_numbers_lie_in_the_range_of_their_quantity() -> None:
    world = drawn(5)["x_world"]
    law = laws()[world["law"]]
    result = answer_of(world, right_of(world))
    assert result is not None
    for study in world["studies"]:
        value = float(study["value"]) * law.units[study["unit"]][1] + law.units[study["unit"]][2]
        assert law.low <= value <= law.high


def test_an_episode_is_played_with_the_tools() -> None:
    session = open_task("sgi", "research-v1/0", seed=SEED)
    brief = session.brief
    assert prompts.family_of(brief.parts) == "deep_research"
    assert [tool.name for tool in brief.tools] == ["search", "open", "python", "answer"]
    found = session.call("search", {"query": "standard pooling evidence", "page": 1}).parts[0]
    assert isinstance(found, list)
    assert len(found) == 5
    shown = prompts.shown(brief, session.call)
    reply = FAMILY.solve(shown)
    session.call("answer", {"text": reply})
    assert FAMILY.raw(FAMILY.generate(SEED, 0, 1), reply) == 1


def test_significant_digits_resolve_the_tolerance() -> None:
    assert corpus.significant(1500.0, 0.02) == 7
    assert corpus.significant(0.5, 1.0) == 4

"""The inquiry: one world through five stages; errors propagate in one arm and not in the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.numbers import rng
from assay.suites.sgi.frame import curves
from assay.suites.sgi.frame.family import LEAST_COST, LEVELS, Row
from assay.suites.sgi.investigation import enzyme, readers, stages, tables
from assay.suites.sgi.investigation.documents import halves, ranges, read
from assay.suites.sgi.investigation.inquiry import DECISIONS, FAMILY, NAMES, ORDER, STAGES, texts_of

SEED = 31
WORLD: dict[str, Any] = {"K": 0.4, "Ki": 0.7, "k": 0.3, "tau": 25.0}


@cache
def item(index: int, level: int = 5) -> Row:
    return FAMILY.generate(SEED, index, level)


def values(row: Row, reply: str | Mapping[str, str]) -> dict[str, float]:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return {one.metric: one.value or 0.0 for one in FAMILY.score(row, text, "objective")}


def replies(row: Row, **choices: Any) -> dict[str, str]:
    found: dict[str, str] = json.loads(FAMILY.play(row, choices))
    return found


def mean(found: list[dict[str, float]], *names: str) -> float:
    return float(np.mean([one[name] for one in found for name in names]))


class TestWorld:
    @pytest.mark.parametrize("law", sorted(enzyme.FORMS))
    def test_the_product_is_that_of_a_plain_integration(self, law: str) -> None:
        """A sum over 20,000 steps agrees with the closed form for every law."""
        left, activity, step = 2.0, 1.5, 40 / 20_000
        for _ in range(20_000):
            left -= step * WORLD["k"] * activity * float(enzyme.share(law, left, 0.9, WORLD))
            activity *= 0.5 ** (step / WORLD["tau"])
        assert float(enzyme.product(WORLD, law, 2.0, 0.9, 1.5, 40.0)) == pytest.approx(2.0 - left, rel=1e-4)

    @pytest.mark.parametrize(("side", "s"), [("low", 1e-3), ("high", 1e3)])
    def test_rivals_agree_where_the_literature_looked(self, side: str, s: float) -> None:
        a, b = (float(enzyme.share(law, s, 0.5, {"K": 1.0, "Ki": 1.0})) for law in enzyme.PAIRS[side])
        assert a == pytest.approx(b, rel=0.01)

    def test_no_deviation_makes_product_out_of_nothing(self) -> None:
        world, best = item(0)["x_world"], item(0)["x_reference"]["protocol"]
        assert (enzyme.curves(world, world, world["law"], best) < 1.5).all()

    def test_programs_of_ours_are_worth_what_the_sandbox_says(self) -> None:
        conditions = tuple(map(tuple, item(0)["x_tests"]))
        for law in enzyme.FORMS:
            text = f"<answer>\n{stages.code(WORLD, law)}</answer>"
            boxed = text.replace("import math\n", "import math  # in the box\n")
            assert stages.predictions(text, conditions) == pytest.approx(
                stages.predictions(boxed, conditions), rel=1e-5
            )


class TestArms:
    def test_the_reference_is_full_everywhere(self) -> None:
        found = values(item(0), item(0)["answer"])
        assert {name for name, value in found.items() if value != 1} == {f"loss_{s}" for s in STAGES[1:]}
        FAMILY.verify(item(0))

    def test_an_error_in_reading_goes_through_what_follows(self) -> None:
        """The acceptance number of the specification, at the level where all of stage 1 is open."""
        found = []
        for n in range(6):
            wrong = {name: FAMILY.constants()[name] for name in DECISIONS["read"]}
            wrong["rivals"] = next(side for side in enzyme.PAIRS if side != item(n)["x_right"]["rivals"])
            found.append(values(item(n), FAMILY.play(item(n), wrong)))
        assert mean(found, *(f"given_{stage}" for stage in STAGES[1:])) >= 0.9
        assert mean(found, *(f"chained_{stage}" for stage in STAGES[1:])) <= 0.6

    def test_an_error_at_the_end_costs_nothing_before(self) -> None:
        own = {name: "A" if item(0)["x_right"][name] != "A" else "B" for name in DECISIONS["interpret"]}
        found = values(item(0), replies(item(0), **own))
        assert [found[f"chained_{stage}"] for stage in STAGES] == [1, 1, 1, 1, 0]

    def test_no_reply_leaves_an_empty_desk(self) -> None:
        assert values(item(0), "{}")["raw"] == 0
        text = stages.message("interpret", item(0), {})
        assert "There is no estimate" in text and "There is no batch" in text

    def test_what_could_not_be_run_is_worth_nothing(self) -> None:
        """Without a protocol nobody can interpret, whatever letters are said; with one it counts again."""
        answers = replies(item(0))
        without = values(item(0), {**answers, "chained bench": "nothing"})
        assert without["chained_interpret"] == 0 and without["given_interpret"] == 1

    def test_the_given_arm_is_no_part_of_the_headline(self) -> None:
        answers = {name: text for name, text in replies(item(0)).items() if name.startswith("given")}
        found = values(item(0), answers)
        assert found["headline"] == 0 and found["given_bench"] == 1


class TestItems:
    @pytest.mark.parametrize("level", LEVELS)
    def test_every_stage_has_an_open_decision_and_the_sheet_tells_the_others(self, level: int) -> None:
        row = item(1, level)
        opened = [one["id"] for one in row["x_inferences"]]
        assert all(set(of) & set(opened) for of in DECISIONS.values())
        assert all(one["cost"] >= LEAST_COST for one in row["x_inferences"])
        told = readers.sheet_in(row["question"])
        assert set(told) == set(row["x_given"]) and len(opened) + len(told) in (len(NAMES), 16, 17)
        for name, value in told.items():
            right = row["x_right"][name]
            if name in stages.RELATIVE:
                facts, known = readers.facts_in(row["question"]), dict(row["x_right"])
                value = readers.with_sheet(facts, known, {name: value})[name]
                right = pytest.approx(right, rel=1e-2)
                assert value == right
                continue
            assert value == (right if isinstance(right, str) else pytest.approx(right, rel=1e-5))
        rebuilt: dict[str, str] = {}
        texts = [text for _, text in texts_of(row, rebuilt)]
        assert len(texts) == len(ORDER) and texts[0] == row["question"]

    def test_documents_tell_the_constants_to_a_reader_and_not_to_a_glance(self) -> None:
        worth: dict[str, list[float]] = {"read": [], "halves": [], "ranges": [], "hints": []}
        for n in range(8):
            world, question = item(n)["x_world"], item(n)["question"]
            picked: dict[str, Mapping[str, Any]] = {
                of.__name__: of(question) for of in (read, halves, ranges)
            }
            picked["hints"] = {**WORLD, **readers.hints(world)}
            for name, known in picked.items():
                worth[name] += [stages.near(known[c], world[c]) for c in enzyme.CONSTANTS]
        assert np.mean(worth.pop("read")) > 0.97
        assert max(np.mean(of) for of in worth.values()) < 0.45

    def test_rivals_are_as_often_the_one_pair_as_the_other(self) -> None:
        """The pair is drawn once an item, before any draw is rejected."""
        sides = [FAMILY.stream(5, 1, n, 0).child("pair").choice(sorted(enzyme.PAIRS)) for n in range(400)]
        assert 160 < sides.count("low") < 240

    def test_the_solver_reads_the_texts_alone(self) -> None:
        for level in LEVELS:
            assert values(item(2, level), FAMILY.solved(item(2, level)))["headline"] > 0.85


@pytest.mark.parametrize(
    ("stage", "reply"),
    [
        ("read", '{"K": "a", "rivals": 5}'),
        ("read", '{"K": 1e99}'),
        ("propose", '{"factors": {}, "runs": [{"substrate": -1, "inhibitor": 1}]}'),
        ("propose", '{"runs": 7}'),
        ("bench", "a = <Dilute>(factor=)"),
        ("interpret", '{"batches": 3}'),
        ("compute", "   "),
    ],
)
def test_replies_that_say_nothing(stage: str, reply: str) -> None:
    assert stages.parsed(stage, reply) is None
    assert stages.worth(stage, item(0), None, {}) == 0


@pytest.mark.parametrize(
    ("stage", "change"),
    [
        ("read", lambda text: f"```json\n{text}\n```"),
        ("read", lambda text: text.replace("competitive", "Competitive")),
        ("propose", lambda text: "Here is the plan.\n" + text),
        ("bench", lambda text: text.replace(" U/mL", "")),
        ("bench", lambda text: text.replace(" U/mL", " units/ml")),
        ("bench", lambda text: text.replace(" min", " minutes")),
        (
            "compute",
            lambda text: text.replace("<answer>\n", "<answer>```python\n").replace(
                "</answer>", "```</answer>"
            ),
        ),
        ("interpret", lambda text: text.lower()),
    ],
)
def test_a_right_answer_in_another_form_is_right(stage: str, change: Any) -> None:
    name = f"chained {stage}"
    answers = replies(item(0))
    changed = {**answers, name: change(answers[name])}
    assert changed[name] != answers[name]
    assert values(item(0), changed)[f"chained_{stage}"] == 1


def test_odd_letters_are_wrong_and_no_error() -> None:
    said = stages.parsed("interpret", json.dumps({"batches": ["", None, "?", "A", 5]}))
    assert len(said) == 5 and stages.worth("interpret", item(0), said, {"curves": []}) <= 1 / 6


@pytest.mark.parametrize(
    "program",
    [
        "def product(substrate, inhibitor, enzyme, minutes):\n    return float('nan')",
        "def product(substrate, inhibitor, enzyme, minutes):\n    return 1 / 0",
        "def product(*any):\n    return -1.0",
        "import sys; sys.exit()",
        "product = 7",
    ],
)
def test_programs_that_fail_are_worth_nothing(program: str) -> None:
    said = f"<answer>\n{program}\n</answer>"
    assert stages.worth("compute", item(0), said, {}) == 0


CONSTANT_REPLIES: dict[str, Any] = {
    "half of the substrate": "def product(substrate, *others):\n    return substrate / 2",
    "a tenth of the substrate": "def product(substrate, *others):\n    return substrate / 10",
}


@pytest.mark.full
@pytest.mark.parametrize("attack", ["ranges", "hints", *CONSTANT_REPLIES])
def test_attacks_that_only_the_inquiry_has(attack: str) -> None:
    """Rules of thumb from ranges of tables, and from what later stages state; programs that know no law."""
    points = []
    for n in range(60):
        row = item(100 + n, LEVELS[n % 5])
        known = FAMILY.known(row["x_world"])
        picked = {**known, **readers.hints(row["x_world"])} if attack == "hints" else ranges(row["question"])
        choices = readers.rules(row["x_world"], picked, known)
        if attack in CONSTANT_REPLIES:
            choices = known
        reply = replies(row, **{name: choices[name] for name in FAMILY.house(row)})
        if attack in CONSTANT_REPLIES:
            reply["chained compute"] = f"<answer>\n{CONSTANT_REPLIES[attack]}\n</answer>"
        points.append(100 * values(row, reply)["headline"])
    assert np.mean(points) <= 5


@pytest.mark.full
def test_what_the_sheet_states_tells_no_constant() -> None:
    """K and k from protocols and sample, the best that a rule of thumb makes of stated decisions."""
    worth = []
    for n in range(60):
        row = item(100 + n, LEVELS[n % 4])
        told, world = readers.sheet_in(row["question"]), row["x_world"]
        if "k" in told or not {"enzyme", "minutes"} <= told.keys():
            continue
        held = world["sample"]["substrate"] / float(told.get("dilution", 1.6))
        worth.append(stages.near(2 * held / (float(told["enzyme"]) * float(told["minutes"])), world["k"]))
    assert len(worth) >= 3 and np.mean(worth) < 0.45


@pytest.mark.full
def test_random_answers_stay_at_chance() -> None:
    points = []
    for n in range(60):
        row, stream = item(100 + n, LEVELS[n % 5]), rng.stream(n, "random")
        points.append(curves.points(FAMILY, row, FAMILY.write([row["question"]], FAMILY.guess(stream))))
    assert np.mean(points) <= 5


def test_the_table_has_both_arms_by_stage() -> None:
    """Two episodes of an agent that is wrong in stage 1, beside one that is right."""
    scores, tasks = [], []
    for n in range(2):
        row = item(n)
        name = row["idx"].casefold()
        tasks.append(("made-up", name, '{"family":"investigation"}'))
        wrong = {name: FAMILY.constants()[name] for name in DECISIONS["read"]}
        for agent, choices in (("right", {}), ("wrong", wrong)):
            for metric, value in values(row, FAMILY.play(row, choices)).items():
                scores.append((agent, "made-up", name, "default", metric, value, None))
    columns = ["agent", "task_set", "task_id", "profile", "metric", "value", "step"]
    made: dict[str, Any] = {
        "scores": pd.DataFrame(scores, columns=columns),
        "tasks": pd.DataFrame(tasks, columns=["task_set", "task_id", "strata"]),
    }
    found = tables.inquiries(made)
    rows = {(row.agent, row.stage): row for row in found.itertuples()}
    assert len(rows) == 2 * (len(STAGES) + 1)
    assert rows["right", "whole"].found_per_cost == pytest.approx(1)
    assert rows["right", "bench"].loss == 0 and rows["wrong", "bench"].given == 1
    assert rows["wrong", "compute"].loss > 0.3 and pd.isna(rows["wrong", "read"].given)

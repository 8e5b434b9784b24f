"""Experimental reasoning: figures, options, readings, the three arms, and the baselines."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from PIL import Image

from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.columns import column
from assay.suites.sgi.reasoning import bank, formulas, items, png, wrong
from assay.suites.sgi.reasoning.arms import lettered
from assay.suites.sgi.reasoning.baselines import look, read_tables
from assay.suites.sgi.reasoning.listing import listed
from assay.suites.sgi.reasoning.options import Standing
from assay.suites.sgi.reasoning.pictures import pictures
from assay.suites.sgi.reasoning.reading import number
from assay.suites.sgi.reasoning.templates.template import Template
from assay.suites.sgi.seeding import item_stream

SEEDS = 50
NAMES = list(bank.BY_NAME)


def drawn(template: Template, seeds: range) -> list[dict[str, Any]]:
    """The items of these seeds that pass the rules, as they come back from JSON."""
    found = []
    for seed in seeds:
        stream = item_stream(seed, "experimental_reasoning", 1 + seed % 4, 0, 0)
        try:
            row = items.draw(template, 1 + seed % 4, 0, stream, Standing(seed % 10, 1 + seed % 8))
        except Rejected:
            continue
        found.append(json.loads(json.dumps(row)))
    return found


def scores(row: dict[str, Any], reply: str) -> tuple[float, float]:
    found = {v.metric: v.value for v in column.score("experimental_reasoning", row, reply)}
    mca, rv = found["headline"], found["rv"]
    assert mca is not None and rv is not None
    return mca, rv


def check(name: str, seeds: range) -> None:
    rows = drawn(bank.BY_NAME[name], seeds)
    assert len(rows) >= len(seeds) / 4, "most draws are rejected"
    for row in rows:
        items.validate(row)
        right = re.escape(row["options"][row["answer"]])
        assert bank.BY_NAME[name].causes or not re.search(rf"(?<![\d.]){right}(?![\d.])", row["question"])
        assert scores(row, items.solve(row)) == (1, pytest.approx(1))
        for kind, make in wrong.WRONG.items():
            expected = make(row)
            assert scores(row, expected.reply) == (expected.mca, pytest.approx(expected.rv)), kind
        reply = read_tables(row["question"], lettered(row["options"]), listed(row["x_scene"]))
        assert scores(row, reply)[0] == 1


@pytest.mark.parametrize("name", NAMES)
def test_templates(name: str) -> None:
    """The right reply is full, each wrong one costs what it must, and the tables tell the whole scene."""
    check(name, range(6))


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_templates_on_many_seeds(name: str) -> None:
    check(name, range(SEEDS))


def test_there_are_two_templates_for_each_cell() -> None:
    assert len(bank.BY_NAME) == 40
    assert {len(bank.fitting(i, t)) for i in bank.IMAGE_TYPES for t in bank.TYPES} == {2}
    assert set(Counter(items.cell(5, index)[0].name for index in range(80)).values()) == {2}


@pytest.fixture(scope="module")
def many(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return [items.generate(3, index) for index in range(request.param)]


@pytest.mark.parametrize("many", [40, pytest.param(1000, marks=pytest.mark.full)], indirect=True)
def test_letters_are_uniform(many: list[dict[str, Any]]) -> None:
    """Each of ten letters is right as often as any other."""
    assert {len(set(row["options"])) for row in many} == {10}
    assert set(Counter(row["answer"] for row in many).values()) == {len(many) // 10}


def order(row: dict[str, Any], what: str) -> list[int]:
    """The options in an order that a guesser may look for the right one in."""
    values = [number(option) or 0.0 for option in row["options"]]
    places = range(len(values))

    def lonely(k: int) -> float:
        return min(abs(values[k] - values[other]) for other in places if other != k)

    def central(k: int) -> float:
        """How often an option lies in the middle between two others."""
        pairs = [(a, b) for a in places for b in places if a < b and k not in (a, b)]
        return sum(
            abs(values[a] + values[b] - 2 * values[k]) < 0.02 * abs(values[a] - values[b]) for a, b in pairs
        )

    def related(k: int) -> float:
        """How many others are a round multiple of an option."""
        shares = [values[k] / values[j] for j in places if j != k and values[j]]
        return sum(any(abs(share - round_one) < 0.01 * round_one for round_one in ROUND) for share in shares)

    keys = {
        "rank": lambda k: values[k],
        "length": lambda k: len(row["options"][k]),
        "loneliness": lonely,
        "centrality": central,
        "relations": related,
        "digits": lambda k: len(row["options"][k].split()[0].rstrip("0")),
        "distance from the middle": lambda k: abs(values[k] - sorted(values)[5]),
        "distance from the mean": lambda k: abs(values[k] - sum(values) / 10),
    }
    return sorted(places, key=lambda k: (keys[what](k), row["options"][k]))


ROUND = (0.1, 0.25, 0.5, 2.0, 4.0, 10.0)


@pytest.mark.full
@pytest.mark.parametrize("many", [1000], indirect=True)
@pytest.mark.parametrize("knows_template", [False, True])
@pytest.mark.parametrize(
    "what",
    [
        "rank",
        "length",
        "loneliness",
        "centrality",
        "relations",
        "digits",
        "distance from the middle",
        "distance from the mean",
    ],
)
def test_options_do_not_tell_the_right_one(
    many: list[dict[str, Any]], what: str, knows_template: bool
) -> None:
    """Whoever learned from half of the items where the right one stands guesses no better than at random.

    Within 3.3 standard deviations, as there are sixteen guessers.
    """
    numbers = [row for row in many if not bank.BY_NAME[row["x_template"]].causes]
    where = [order(row, what).index(row["answer"]) for row in numbers]
    groups = [row["x_template"] if knows_template else "" for row in numbers]
    half = len(numbers) // 2
    learned: dict[str, Counter[int]] = {}
    for group, place in zip(groups[:half], where[:half], strict=True):
        learned.setdefault(group, Counter())[place] += 1
    guessed = list(zip(groups[half:], where[half:], strict=True))
    hits = sum(learned[group].most_common(1)[0][0] == place for group, place in guessed)
    assert hits < 0.1 * len(guessed) + 3.3 * (0.09 * len(guessed)) ** 0.5


def test_pictures_are_png_files_that_others_read_alike() -> None:
    row = items.generate(3, 1)
    for data in pictures(row):
        pixels = png.decoded(data)
        other = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        assert (pixels == other).all()
        assert pixels.shape[0] <= 700 and pixels.shape[1] <= 900
    assert pictures(row) == pictures(row)


@pytest.mark.parametrize("bad", [b"", b"GIF", png.SIGNATURE, png.SIGNATURE + b"\0" * 40])
def test_other_files_are_refused(bad: bytes) -> None:
    with pytest.raises(ValueError, match="PNG"):
        png.decoded(bad)


@pytest.mark.parametrize(
    "text", ["r9", "().__class__", "__import__('os')", "r0.real", "r0 ** 9", "1 /", "log(0 - r0)", "r0 / 0"]
)
def test_a_formula_is_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match="has no value here"):
        formulas.value(text, {"r0": 2.0})


def test_the_baseline_reads_pictures() -> None:
    """One item of each cell: far above chance, with most readings within their tolerance."""
    mca, rv = zip(*(seen(items.generate(3, index)) for index in range(0, 40, 2)), strict=True)
    assert sum(mca) >= 17
    assert sum(rv) >= 16


def seen(row: dict[str, Any]) -> tuple[float, float]:
    reply = look(row["question"], lettered(row["options"]), [png.decoded(p) for p in pictures(row)])
    return scores(row, reply)


def test_the_baseline_looks_at_nothing_but_the_picture() -> None:
    """Without its pixels the same item is lost: no reading is right."""
    row = items.generate(3, 1)
    blank = [np.full_like(png.decoded(p), 255) for p in pictures(row)]
    reply = look(row["question"], lettered(row["options"]), blank)
    assert scores(row, reply)[1] == 0

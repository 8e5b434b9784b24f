"""Experimental reasoning: figures, options, readings, the three arms, and the baselines."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.stats import chisquare

from assay.suites.sgi.columns import column
from assay.suites.sgi.reasoning import bank, formulas, items, png, wrong
from assay.suites.sgi.reasoning.arms import lettered
from assay.suites.sgi.reasoning.baselines import look, read_tables
from assay.suites.sgi.reasoning.listing import listed
from assay.suites.sgi.reasoning.pictures import pictures
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
            row = items.draw(template, 1 + seed % 4, 0, stream)
        except items.Rejected:
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


def test_letters_are_uniform_and_ten_or_more() -> None:
    """Of the letters of items with ten options, and of those with twelve: chi-square p > 0.01."""
    counts: dict[int, Counter[int]] = {10: Counter(), 12: Counter()}
    for index in range(160):
        row = items.generate(3, index)
        assert len(row["options"]) >= 10
        assert len(set(row["options"])) == len(row["options"])
        if len(row["options"]) in counts:
            counts[len(row["options"])][row["answer"]] += 1
    for size, found in counts.items():
        assert chisquare([found[k] for k in range(size)]).pvalue > 0.01


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

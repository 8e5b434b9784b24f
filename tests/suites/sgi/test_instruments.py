"""Experimental reasoning of version 1: pictures, options that tell nothing, readings, a solver of pixels."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import cache

import numpy as np
import pytest
from tests.suites.sgi.attacked import WITHOUT_A_LEARNER, attacked

from assay import open_task
from assay.numbers import rng
from assay.suites.sgi.frame import prompts
from assay.suites.sgi.frame.family import LEVELS, Row, shown_of
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.instruments import draw, simulate
from assay.suites.sgi.instruments.bank import instruments
from assay.suites.sgi.instruments.candidates import AGREE, DIFFER, LEAST_RATIO, OPEN, OPTIONS
from assay.suites.sgi.instruments.reader import NUMPY, read, solution
from assay.suites.sgi.instruments.reasoning import draw_worlds
from assay.suites.sgi.metrics.reasoning import letter

FAMILY = family_of("experimental_reasoning")
SEED = 31


@cache
def drawn(level: int) -> Row:
    """An item of a level."""
    return FAMILY.generate(SEED, level, level)


def scores(row: Row, reply: str) -> dict[str, float | None]:
    """The metrics of a reply."""
    return {value.metric: value.value for value in FAMILY.score(row, reply, "objective")}


@pytest.mark.parametrize("level", LEVELS)
def test_an_item_keeps_what_the_generator_promises(level: int) -> None:
    row = drawn(level)
    FAMILY.verify(row)
    assert len(row["x_inferences"]) == sum(OPEN[level])
    assert len(row["options"]) == len(set(row["options"])) == OPTIONS
    assert scores(row, FAMILY.play(row, {}))["headline"] == 1.0


def test_there_are_twenty_instruments_with_six_mechanisms_or_more() -> None:
    assert len(instruments()) >= 20
    for instrument in instruments().values():
        assert sum(len(values) for values in instrument.factors.values()) >= 9
        assert len(instrument.panels) == 4


@pytest.mark.parametrize("name", sorted(instruments()))
def test_two_evaluations_of_the_formulas_agree(name: str) -> None:
    instrument, stream = instruments()[name], rng.stream(2, name)
    mechanism = {factor: stream.choice(list(values)) for factor, values in instrument.factors.items()}
    parameters = {
        n: low + (high - low) * stream.uniform() for n, (low, high) in instrument.ranges(mechanism).items()
    }
    ours = simulate.curves(instrument, parameters)
    theirs = simulate.curves(instrument, parameters, NUMPY)
    for mine, other in zip(ours, theirs, strict=True):
        for key in mine:
            np.testing.assert_allclose(mine[key], other[key], rtol=1e-9, atol=1e-9)


def test_pictures_have_the_same_bytes_everywhere() -> None:
    panel = instruments()["tracks"].panels[3]
    pixels = draw.drawn([(panel, {"stage": np.linspace(0, 9.5, panel.points)}, (-0.6, 10.1), "D1")])
    assert (draw.decoded(draw.encoded(pixels)) == pixels).all()
    assert hashlib.sha256(draw.encoded(pixels)).hexdigest() == PICTURE


PICTURE = "59da785d2e690f020f116612df6c4b0c21b37c1bd76836797882f9685284039b"


def test_labels_fit_their_panels() -> None:
    for name, instrument in instruments().items():
        for panel in instrument.panels:
            across, along = (draw._label(*texts[:2]) for texts in (panel.x, panel.y))
            assert 12 * len(across) <= 2 * (draw.WIDTH - (draw.LEFT + draw.RIGHT) // 2), (name, across)
            assert 12 * len(along) <= draw.WIDTH - 4, (name, along)


def test_ticks_are_round_numbers_and_two_at_least() -> None:
    stream = rng.stream(5, "ticks")
    for _ in range(500):
        low = 10 ** (6 * stream.uniform() - 3) * (stream.uniform() - 0.5)
        high = low + 10 ** (6 * stream.uniform() - 3)
        found = draw.ticks(low, high)
        assert 2 <= len(found) <= draw.MOST_STEPS + 1
        assert low <= found[0] < found[-1] <= high
        assert all(len(f"{value:.6g}") <= 9 for value in found)


def test_points_are_read_off_the_pixels_within_a_pixel() -> None:
    row = drawn(1)
    world = row["x_world"]
    instrument = instruments()[world["instrument"]]
    found = read(instrument, shown_of(FAMILY, row)[2:])
    clean = [simulate.curves(instrument, parameters) for parameters in world["parameters"]]
    for specimen, points in enumerate(found):
        assert len(points) == sum(len(panel.curves) for panel in instrument.panels)
        heights = simulate.heights(instrument, clean[specimen])
        for at, name, x, y, _ in points:
            places = simulate.places(instrument.panels[at])
            true = clean[specimen][at][name][[int(np.argmin(abs(places - one))) for one in x]]
            assert np.mean(np.abs(y - true)) <= 0.03 * heights[at]


def test_options_say_nothing_of_the_truth() -> None:
    places: Counter[int] = Counter()
    fewest = most = 0
    for index in range(300):
        _, candidates, truth = draw_worlds(rng.stream(7, index), 1 + index % 5, checked=False)
        places[truth] += 1
        agree = [sum(claim == AGREE for claim in candidate.claims.values()) for candidate in candidates]
        fewest += agree.index(min(agree)) == truth
        most += agree.index(max(agree)) == truth
    assert max(places.values()) <= 55  # 30 expected, more than four standard deviations
    assert fewest <= 55
    assert most <= 55


def test_one_picture_leaves_relations_open() -> None:
    # Whatever one specimen is, the other may agree or differ: marginals do not depend on the claim.
    seen: dict[str, Counter[str]] = {AGREE: Counter(), DIFFER: Counter()}
    for index in range(200):
        _, candidates, _ = draw_worlds(rng.stream(8, index), 5, checked=False)
        for candidate in candidates:
            for factor, claim in candidate.claims.items():
                seen[claim][f"{factor}: {candidate.mechanisms[1][factor]}"] += 1
    total = {claim: sum(found.values()) for claim, found in seen.items()}
    for key in seen[AGREE]:
        if seen[AGREE][key] >= 40:
            shares = [seen[claim][key] / total[claim] for claim in (AGREE, DIFFER)]
            assert abs(shares[0] - shares[1]) <= 0.5 * max(shares)


def test_readings_have_to_be_right_and_to_refute() -> None:
    row = drawn(1)
    block = json.loads(FAMILY.play(row, {}).partition("\n")[0])["readings"]
    chosen = letter(row["answer"])

    def validity(readings: list[dict[str, object]], box: str = chosen) -> float:
        return scores(row, json.dumps({"readings": readings}) + f"\\boxed{{{box}}}")["rv"] or 0.0

    whole = validity(block)
    assert whole >= 0.7
    assert validity([{**one, "panel": f"{one['panel']}{one['picture']}"} for one in block]) == whole
    assert validity([{**one, "panel": f"{one['panel']}{3 - one['picture']}"} for one in block]) == 0.0
    assert validity([]) == 0.0
    # Without a right reading there is nothing that could be consistent.
    assert validity([{**one, "value": 1e6} for one in block]) == 0.0
    assert validity([{**one, "refutes": chosen} for one in block]) == 0.0
    assert validity(block * 4) < whole
    assert validity([{**one, "refutes": "Z", "quantity": None} for one in block]) == 0.0


@pytest.mark.parametrize("name", WITHOUT_A_LEARNER)
def test_attackers_write_replies_that_can_be_scored(name: str) -> None:
    assert set(attacked(FAMILY, [drawn(level) for level in LEVELS], name)) <= {0.0, 100.0}


@pytest.mark.parametrize("level", LEVELS)
def test_a_second_program_finds_the_truth_in_the_pixels(level: int) -> None:
    row = drawn(level)
    reply = FAMILY.solve(shown_of(FAMILY, row))
    found = scores(row, reply)
    assert found["headline"] == 1.0
    assert (found["rv"] or 0.0) >= 0.8
    assert not any(FAMILY.audit(row, reply).values())


@pytest.mark.full
def test_a_second_program_agrees_with_the_truth_of_200_items() -> None:
    for index in range(200):
        row = FAMILY.generate(6001, index, LEVELS[index % len(LEVELS)])
        shown = shown_of(FAMILY, row)
        found = solution(row["question"], row["options"], shown[2:])
        assert found.best == row["answer"], index
        assert sorted(found.costs)[1] - min(found.costs) >= LEAST_RATIO


@pytest.mark.full
def test_an_episode_is_played_with_pictures() -> None:
    session = open_task("sgi", "reasoning-v1/0", seed=SEED)
    brief = session.brief
    assert prompts.family_of(brief.parts) == "experimental_reasoning"
    assert len(brief.parts) == 5
    row = FAMILY.generate(SEED, 0, 1)
    reply = FAMILY.solve(shown_of(FAMILY, row))
    session.call("answer", {"text": reply})
    assert FAMILY.raw(row, reply) == 1

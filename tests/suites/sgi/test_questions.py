"""Worlds of ideas with a question of their own: what a full design answers, and a poor one does not."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from assay.numbers import rng
from assay.suites.sgi.plans import laboratory, literature, prompt, solver, surface
from assay.suites.sgi.plans.choices import names_of, object_of, plan_of, textbook
from assay.suites.sgi.plans.ideas import _drawn_world, kind_at
from assay.suites.sgi.plans.plan import read_plan, to_text
from assay.suites.sgi.plans.questions import KINDS, power, question_of

ASKING = [kind for kind in KINDS if kind != "surface"]


def world_of(kind: str, seed: int = 1) -> dict[str, Any]:
    """A world of a kind."""
    return _drawn_world(rng.stream(seed, "question", kind), 3, kind)[0]


def grid(levels: int, factors: int, low: float = 0.02, high: float = 0.98) -> Any:
    """All combinations of evenly spaced levels."""
    return np.array(list(product(np.linspace(low, high, levels), repeat=factors)))


def concluded(kind: str, x: Any, model: int, form: int, turn: int = 0, seed: int = 1) -> float:
    """What a model's conclusion from readings without noise is worth in a world of a form."""
    world = world_of(kind, seed)
    question = question_of(world)
    assert question is not None
    parameters = {**world["parameters"], "form": float(form)}
    decisions = question.decide(x, question.signal(parameters, x, turn)[None], question.MODELS[model])
    return float(question.value(parameters, decisions, np.array([turn]))[0])


@pytest.mark.parametrize("form", [0, 1])
def test_a_full_design_names_the_law_and_a_line_does_not(form: int) -> None:
    assert [concluded("rivals", grid(7, 2), form, form, turn) for turn in range(4)] == [1, 1, 1, 1]
    line = np.array([[x, 0.0] for x in np.linspace(0, 1, 9)])
    assert sum(concluded("rivals", line, form, form, turn) for turn in range(4)) < 2


def test_laws_with_squares_do_not_tell_those_without() -> None:
    assert sum(concluded("rivals", grid(7, 2), 1, 0, turn) for turn in range(4)) < 3


FORMS = pytest.mark.parametrize(("form", "seed"), list(product([0, 1], [1, 2, 3])))


@FORMS
def test_a_curve_finds_the_threshold(form: int, seed: int) -> None:
    right = concluded("threshold", grid(15, 1), form, form, seed=seed)
    assert right > 0.75
    assert concluded("threshold", grid(15, 1), 1 - form, form, seed=seed) < right - 0.1
    assert concluded("threshold", grid(2, 1), form, form, seed=seed) < 0.75


@FORMS
def test_the_effect_of_a_marker_needs_the_right_form(form: int, seed: int) -> None:
    world = world_of("effect", seed + 3 * form)
    own = int(world["parameters"]["form"])
    assert concluded("effect", grid(4, 2), own, own, seed=seed + 3 * form) == pytest.approx(1, abs=0.05)
    assert concluded("effect", grid(4, 2), 1 - own, own, seed=seed + 3 * form) < 0.9


@FORMS
def test_slopes_are_arrows_or_what_chains_hand_on(form: int, seed: int) -> None:
    star = np.vstack([np.full((1, 4), 0.5), 0.5 + 0.4 * np.eye(4), 0.5 - 0.4 * np.eye(4)])
    assert concluded("graph", star, form, form, seed=seed) == 1
    assert concluded("graph", star, 1 - form, form, seed=seed) < 1
    assert concluded("graph", star[:3], form, form, seed=seed) < 1


@FORMS
def test_a_fine_grid_shows_the_region(form: int, seed: int) -> None:
    fine = concluded("boundary", grid(9, 3), form, form, seed=seed)
    assert fine > 0.6
    assert concluded("boundary", grid(9, 3), 1 - form, form, seed=seed) < fine
    assert concluded("boundary", grid(2, 3), form, form, seed=seed) < fine


@pytest.mark.parametrize("kind", ASKING)
def test_any_few_runs_are_analysed(kind: str) -> None:
    world = world_of(kind)
    question = question_of(world)
    assert question is not None
    for x in (np.full((1, question.ASKED), 0.5), grid(2, question.ASKED)[:3]):
        seen = question.signal(world["parameters"], x, 0)
        for model, readings in product(question.MODELS, (seen, 0 * seen, -seen)):
            decisions = question.decide(x, np.stack([readings, readings]), model)
            values = question.value(world["parameters"], decisions, np.array([0, question.TURNS - 1]))
            assert values.shape == (2,)
            assert (abs(values) <= 1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_tells_how_a_plan_has_to_be_written(kind: str) -> None:
    stream = rng.stream(3, "prompt", kind)
    world, skin = _drawn_world(stream, 2, kind)
    studies = literature.published(world, stream)
    text = prompt.question(world, studies, {}, skin["aim"], stream)
    seen = prompt.read_structure(text)
    assert (seen["kind"], seen["asked"]) == (kind, world["asked"])
    assert seen["budget"] == pytest.approx(world["budget"], rel=1e-5)
    assert [factor["name"] for factor in seen["factors"]] == [factor["name"] for factor in world["factors"]]
    assert seen["usual"] == pytest.approx(world["usual"], abs=1e-3)
    read = solver.read_studies(seen, text)
    assert [len(study[3]) for study in read] == [len(study["runs"]) for study in studies]
    for name in ("weakness", "conditions unknown", "saturated", "near the usual", "scattered"):
        assert name not in text


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_in_words_is_the_plan_of_its_decisions(kind: str) -> None:
    world = world_of(kind)
    choices = textbook(world)
    assert set(choices) == set(names_of(world))
    written = read_plan(to_text(object_of(world, choices)))
    assert written is not None
    outcome = laboratory.execute(world, written)
    assert outcome.value == laboratory.execute(world, plan_of(world, choices)).value
    assert written.declares["runs"] == outcome.runs


def test_logarithmic_factors_are_read_as_they_are_written() -> None:
    world = world_of("rivals")
    at = world["asked"][0]
    assert [surface.natural(world, at, x) for x in (0.0, 0.5, 1.0)] == [0.01, 1.0, 100.0]
    assert surface.scaled(world, at, 1.0) == pytest.approx(0.5)
    assert power([0.0, 0.5, 1.0]).tolist() == pytest.approx([0.01, 1.0, 100.0])


def test_every_kind_of_world_comes_at_every_level() -> None:
    assert {(kind_at(index), index % 5) for index in range(40)} >= {
        (kind, level) for kind in KINDS for level in range(2)
    }
    assert min([kind_at(index) for index in range(40)].count(kind) for kind in KINDS) >= 5

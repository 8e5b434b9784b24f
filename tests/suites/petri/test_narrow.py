"""Tier L4 with a random span and few runs: what it hides, and what an answer must rest on."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist, fmean, stdev

import numpy as np
import pytest
from tests.suites.petri.playing import BLOBS, MATERIALS, metrics, scripted

from assay.agents.solver import SolverAgent
from assay.episodes.harness import play
from assay.errors import TaskError
from assay.numbers.rng import Stream
from assay.suites.petri import SUITE, calibration, tasks
from assay.suites.petri.boundary import narrow
from assay.suites.petri.boundary.tasks import Bracket
from assay.suites.petri.boundary.transitions import TRANSITIONS
from assay.suites.petri.solvers import SOLVERS
from assay.suites.petri.solvers.posterior import quantiles
from assay.suites.petri.validity.abilities import ABILITIES
from assay.suites.petri.validity.shortcuts import SHORTCUTS, boundaries
from assay.suites.petri.world import open as open_world
from assay.task import read_frozen

ROOT = Path(__file__).resolve().parents[3]
SET = tasks.SETS["l4-v1"]
SEED = 5


def made(index):
    return tasks.generate(SET, "l4-v1", index, SEED, BLOBS)


@pytest.fixture(scope="module")
def task():
    """A task of a quick world."""
    return made(1)


def test_a_task_is_sound(task):
    tasks.verify(task)
    assert (task.version, task.public["runs"], task.public["world"]) == (2, narrow.RUNS, "origin")
    with pytest.raises(TaskError, match="not sound"):
        tasks.verify(replace(task, hidden={**task.hidden, "bracket": [0.02, 0.021]}))
    low, high = task.public["span"]
    moved = {**task.public, "span": [low + high, high + high]}
    with pytest.raises(TaskError, match="near an end"):
        tasks.verify(replace(task, public=moved))
    names = {m.measure for m in calibration.calibrate(task, {"seeds": 48}, MATERIALS)}
    assert names == {"bracket", "slope", "resolution", "tries"}


def test_the_place_of_the_boundary_in_its_span_is_uniform(monkeypatch):
    """Whatever the boundary is: chi-square over ten bins, and no trend over the index."""
    at = Bracket(0.4, 0.404)
    monkeypatch.setattr(narrow, "bracket_of", lambda transition, context: at)
    places = []
    for index in range(0, 1600, 4):
        low, high = made(index).public["span"]
        places.append((at.centre - low) / (high - low))
    assert 0.09 < min(places) < max(places) < 0.91
    counts = np.histogram(places, 10, (0.1, 0.9))[0]
    assert ((counts - 40) ** 2 / 40).sum() < 27.9, "p > .001 with 9 degrees of freedom"
    assert abs(np.corrcoef(places, range(400))[0, 1]) < 0.17


def test_worlds_follow_each_other_by_index(monkeypatch):
    monkeypatch.setattr(narrow, "bracket_of", lambda transition, context: Bracket(0.4, 0.404))
    assert [made(i).public["world"] for i in range(5)] == ["swarm", "origin", "morph", "social", "swarm"]
    assert len({made(i).hidden["key"] for i in range(40)}) == 40


def test_the_brief_tells_runs_and_support_and_no_context(task):
    brief = open_world(task, MATERIALS, None, None).brief()
    text = json.dumps([brief.system, brief.parts, [tool.doc for tool in brief.tools]])
    assert not any(name in text for name in TRANSITIONS["origin"].context)
    assert f'"runs_per_measurement": {narrow.RUNS}' in text
    assert "counts only if your measurements support it" in text


def test_a_value_has_runs_of_its_own(task):
    middle = round(sum(task.hidden["bracket"]) / 2, 5)
    _, (first, again, rounded, other) = scripted(
        task, *(("measure", {"value": v}) for v in (middle, middle, middle + 4e-7, middle + 1e-5))
    )
    assert first == again == rounded
    assert first != other
    assert first.parts[0]["runs"] == narrow.RUNS
    other_key = replace(task, hidden={**task.hidden, "key": "00" * 32})
    assert scripted(other_key, ("measure", {"value": middle}))[1][0] != first


def answered(task, estimate, *values):
    width = task.public["span"][1] - task.public["span"][0]
    answer = {"estimate": estimate, "low": estimate - 0.02 * width, "high": estimate + 0.02 * width}
    return metrics(task, scripted(task, *(("measure", {"value": v}) for v in values), ("submit", answer))[0])


def test_an_answer_without_support_earns_nothing(task):
    low, high = task.public["span"]
    width, right = high - low, sum(task.hidden["bracket"]) / 2
    near = [
        right + d * width for d in (-0.28, -0.25, -0.2, 0.2, 0.25, 0.28) if low < right + d * width < high
    ]
    sound = answered(task, right, *near)
    assert sound["correctness"] == 60
    assert sound["score"] > 90
    for values in ((), near[:1], [right - 0.01 * width, right + 0.01 * width], [low, high]):
        assert answered(task, right, *values)["score"] == 0 or (
            values == [low, high] and right - low < 0.3 * width
        )


def test_intervals_of_the_posterior_are_calibrated():
    """Of 300 boundaries of curves that have the form of the fit, 90 % intervals hold 90 % to 99 %."""
    stream, held, misses = Stream(7), 0, []
    for _ in range(300):
        boundary, slope = 0.1 + 0.8 * stream.uniform(), 2.0 + 6.0 * stream.uniform()
        before, after, noise = (0.2 + 0.6 * stream.uniform() for _ in range(3))
        measured = []
        for value in ((k + 0.5) / 8 for k in range(8)):
            width = before if value < boundary else after
            centre = slope * width * math.tanh((value - boundary) / width)
            runs = [centre + noise * NormalDist().inv_cdf(stream.uniform()) for _ in range(4)]
            measured.append((value, fmean(runs), stdev(runs), 4))
        low, estimate, high = quantiles(measured, (0.0, 1.0), (0.05, 0.5, 0.95))
        held += low <= boundary <= high
        misses.append(abs(estimate - boundary))
    assert 270 <= held <= 297
    assert fmean(misses) < 0.05


@pytest.mark.parametrize(
    ("name", "measurements"),
    [("shortcut-format", 0), ("shortcut-dummy", 1), ("shortcut-middle", 2), ("shortcut-prior", 2)],
)
def test_shortcuts_measure_as_often_as_they_say(task, name, measurements):
    episode = play(SUITE, task, name, SolverAgent(SHORTCUTS[name], task), 0, MATERIALS)
    assert (episode.status, len(episode.calls("measure"))) == ("done", measurements)
    if measurements < 2:
        assert metrics(task, episode)["score"] == 0


def test_abilities_rise(task):
    scores = [
        metrics(task, play(SUITE, task, name, SolverAgent(ABILITIES[name], task), 0, MATERIALS))["score"]
        for name in ("able-0", "able-100")
    ]
    assert scores[0] == 0
    assert scores[1] > 70


def test_the_reference_answers_within_the_budget(task):
    episode = play(SUITE, task, "bayes", SolverAgent(SOLVERS["bayes"], task), 0, MATERIALS)
    assert (episode.status, len(episode.calls("measure"))) == ("done", 8)
    assert metrics(task, episode)["distance"] < 0.2


@pytest.mark.full
def test_the_long_tier_finds_all_boundaries_of_the_frozen_set_again():
    """Rejected contexts, too: with them the generator makes the committed files."""
    brackets = {}
    for file in sorted((ROOT / "tasks/petri/l4-v1").glob("[0-9]*.json")):
        brackets |= narrow.drawn(read_frozen(file))
    assert len(brackets) >= 40
    assert brackets == narrow.committed()


@pytest.mark.full
@pytest.mark.parametrize("world", sorted(TRANSITIONS))
def test_the_long_tier_finds_the_public_boundaries_again(world):
    assert boundaries.library(world) == boundaries._boundaries(world)


def test_a_context_that_is_not_committed_is_simulated(monkeypatch):
    monkeypatch.setattr(narrow, "found_bracket", lambda transition, context: Bracket(0.1, 0.2))
    transition = TRANSITIONS["origin"]
    assert narrow.bracket_of(transition, {"selection": 0.123}) == Bracket(0.1, 0.2)
    (world, context), known = next((key, b) for key, b in narrow.committed().items() if b is not None)
    assert narrow.bracket_of(TRANSITIONS[world], json.loads(context)) == known

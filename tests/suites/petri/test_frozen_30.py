"""The thirty frozen tasks of the paper's design: their quotas, and how reference solvers do at them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import pytest
from tests.suites.petri.playing import episode_at, frozen, metrics, raised

from assay.suites.petri import audit
from assay.suites.petri.questions.sets import SETS
from assay.suites.petri.solvers import SOLVERS
from assay.suites.petri.tables.chance import expectation
from assay.suites.petri.tables.scopes import PARTS

THIRTY = [(name, index) for name in PARTS for index in range(SETS[name].size)]
PILOT = [("pilot-v0", index) for index in range(SETS["pilot-v0"].size)]
REFERENCE = {"core-v0": 92.5, "l2-v0": 92.5, "l3-v0": 87.5, "pilot-v0": 92.5}
CALLS = {"core-v0": 3, "l2-v0": 4, "l3-v0": 5, "pilot-v0": 3}

SALTS = 20
GUESSES = 100


def found(at, solver, attempt=0):
    return metrics(frozen(*at), episode_at(*at, solver, attempt))


def test_difficulty_has_its_quotas():
    strata = [frozen(*at).strata for at in THIRTY]
    assert Counter(s["band"] for s in strata) == {"easy": 14, "moderate": 9, "hard": 7}
    bands = defaultdict(set)
    for s in strata:
        bands[s["world"]].add(s["band"])
    assert len(bands) == 5
    assert all(len(of_world) >= 2 for of_world in bands.values())
    for at in (*THIRTY, *PILOT):
        assert frozen(*at).hidden["band"] == frozen(*at).strata["band"]


def test_sizes_and_signs_have_their_quotas():
    sizes = Counter(frozen("l2-v0", i).hidden["magnitude"] for i in range(10))
    assert sizes == {"small": 4, "medium": 3, "large": 3}
    signs = Counter(
        (frozen("l3-v0", i).strata["world"], frozen("l3-v0", i).hidden["interaction"]) for i in range(10)
    )
    worlds = {world for world, _ in signs}
    assert signs == {(world, sign): 1 for world in worlds for sign in ("positive", "negative")}
    assert len(worlds) == 5


@pytest.mark.parametrize("at", [*THIRTY, *PILOT], ids=lambda at: f"{at[0]}-{at[1]}")
def test_the_reference_is_exact_and_stopping_early_no_worse(at):
    whole, early = found(at, "ofat"), found(at, "adaptive")
    assert (whole["score"], whole["solved"], whole["calls"]) == (REFERENCE[at[0]], 1, CALLS[at[0]])
    assert early["solved"] == 1
    assert early["score"] >= whole["score"]
    assert early["calls"] <= whole["calls"]
    for solver in ("ofat", "adaptive"):
        assert raised(frozen(*at), episode_at(*at, solver)) == set()


def test_stopping_early_saves_calls():
    calls = {name: [found(at, name)["calls"] for at in THIRTY] for name in ("ofat", "adaptive")}
    assert sum(calls["adaptive"]) < sum(calls["ofat"])


def test_guesses_are_at_the_floor():
    """Within two points of what is computed, over a hundred attempts a task."""
    floor = [float(expectation(frozen(*at).public, frozen(*at).hidden)[0]) for at in THIRTY]
    points = [found(at, "random", attempt)["score"] for at in THIRTY for attempt in range(GUESSES)]
    assert abs(math.fsum(points) / len(points) - math.fsum(floor) / len(floor)) < 2
    assert raised(frozen(*THIRTY[0]), episode_at(*THIRTY[0], "random")) >= {"unbacked"}


@pytest.mark.full
def test_blind_values_do_as_badly_as_in_the_paper():
    """The mean over twenty draws: a single one of 30 tasks has a standard deviation of 3 to 7 points."""
    points = [found(at, "ofat-rand", salt)["score"] for at in THIRTY for salt in range(SALTS)]
    assert 38 <= math.fsum(points) / len(points) <= 52


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_known_conduct_raises_exactly_its_flags_everywhere(name):
    for at in THIRTY:
        episode = episode_at(*at, name)
        conduct = audit.expected(name, frozen(*at).strata, episode.submission is not None)
        assert raised(frozen(*at), episode) - conduct.open == conduct.due, at

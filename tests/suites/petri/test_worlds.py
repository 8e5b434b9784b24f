"""What is said of the worlds before anything runs, against what their engines do on the oracle's seeds."""

from __future__ import annotations

import pytest

from assay.suites.petri.experiments.curves import LEAST_POWER, menu, side_values
from assay.suites.petri.experiments.oracle import SAMPLE, detected, relative_change
from assay.suites.petri.worlds import MARKET, MORPH, SIDES, SOCIAL, WORLDS, Parameter, Role, World

TARGETS = [
    ("swarm", "polarization"),
    ("market", "volatility"),
    ("origin", "population"),
    ("morph", "blobs"),
    ("social", "clusters"),
    ("social", "polarization"),
]
SLOW = ("morph", "blobs")

INERT = 0.065
"""The power to see a curated value of a decoy is no more ..."""

SEEN_ANYWAY = {("swarm", "alignment", 1.6): 0.2}
"""... but for these, on the oracle's seeds."""


def power(world: World, metric: str, name: str, value: float) -> float:
    return float(detected(world.name, metric, world.resolved({name: value}), SAMPLE).mean())


def test_every_target_is_here():
    every = [(world.name, m) for world in WORLDS.values() for m in dict.fromkeys(world.targets.values())]
    assert every == TARGETS


@pytest.mark.parametrize(
    ("world", "metric"), [pytest.param(*t, marks=[pytest.mark.full] if t == SLOW else []) for t in TARGETS]
)
def test_curated_values_show_and_hide_what_they_should(world, metric):
    known = WORLDS[world].toward(metric)
    for p in known.parameters:
        assert all(power(known, metric, p.name, value) >= 0.4 for value in p.tests.values()), p.name
        for value in p.decoys:
            most = SEEN_ANYWAY.get((world, p.name, value), INERT)
            assert power(known, metric, p.name, value) <= most, (p.name, value)
        assert (p.blind is None) == (not p.tests)


@pytest.mark.parametrize(("name", "shows"), [("spot_size", False), ("n_spots", True)])
def test_a_slow_world_shows_and_hides_what_it_should(name, shows):
    p = MORPH.parameter(name)
    result = power(MORPH, MORPH.targets["L1"], name, p.tests["-"] if shows else p.decoys[0])
    assert result >= 0.9 if shows else result <= INERT


@pytest.mark.parametrize(("world", "metric"), TARGETS)
def test_curves_cover_every_side_with_a_test_value(world, metric):
    known = WORLDS[world].toward(metric)
    table = menu(world, metric)
    assert set(table) == {p.name for p in known.parameters if p.tests}
    for p in known.parameters:
        for side in SIDES:
            if side in p.tests:
                steps = table[p.name][side]
                assert [step.value for step in steps] == side_values(p, side)
                assert [step.band is None for step in steps] == [step.power < LEAST_POWER for step in steps]
            else:
                assert side not in table.get(p.name, {})


@pytest.mark.parametrize(
    ("world", "metric", "parameter", "side", "step"),
    [
        ("swarm", "polarization", "noise", "+", 5),
        ("swarm", "polarization", "leaders", "+", 9),
        ("market", "volatility", "bias", "+", 5),
        ("market", "volatility", "fund_strength", "-", 17),
        ("origin", "population", "death", "-", 9),
        ("origin", "population", "shift_period", "+", 3),
        ("morph", "blobs", "n_spots", "-", 4),
        ("social", "clusters", "stubborn", "+", 9),
        ("social", "polarization", "media_pos", "-", 10),
    ],
)
def test_committed_curves_are_what_is_measured(world, metric, parameter, side, step):
    result = menu(world, metric)[parameter][side][step]
    assert power(WORLDS[world], metric, parameter, result.value) == result.power
    change = relative_change(world, metric, {parameter: result.value}, SAMPLE)
    assert round(change, 4) == result.change


@pytest.mark.parametrize(("world", "metric"), TARGETS)
def test_a_blind_value_shows_a_driver_about_as_often_as_said(world, metric):
    for p in WORLDS[world].toward(metric).parameters:
        if p.blind is not None:
            width = p.legal[1] - p.legal[0]
            result = 0.0
            for side, steps in menu(world, metric)[p.name].items():
                share = abs(p.legal[side == "+"] - p.control) / width
                result += share * sum(step.power for step in steps) / len(steps)
            assert result == pytest.approx(p.blind, abs=0.13), p.name


def test_every_band_and_size_that_tasks_ask_for_is_there():
    def kinds(world: str, metric: str) -> set[tuple[str | None, bool]]:
        sides = [steps for by_side in menu(world, metric).values() for steps in by_side.values()]
        return {(step.band, abs(step.change) >= 0.75) for steps in sides for step in steps}

    for world, metric in TARGETS:
        assert {("hard", False), ("moderate", False), ("easy", False), ("easy", True)} <= kinds(world, metric)


def test_a_world_faces_each_of_its_targets():
    assert SOCIAL.toward("clusters") is SOCIAL
    assert MARKET.toward("volatility") is MARKET
    other = SOCIAL.toward(SOCIAL.targets["L3"])
    assert other.control == SOCIAL.control
    assert other.parameter("media_pos").tests == {"-": 0.0, "+": 1.0}
    assert SOCIAL.parameter("media_pos").tests == {}
    assert other.parameter("n_agents").decoys == ()
    whole = Parameter("x", 1.0, (0.0, 2.0), (0.0, 2.0), 1, tests={"+": 2.0}, decoys=(0.5,), blind=0.5)
    world = World("w", ("m", "k"), {"L1": "m", "L3": "k"}, (whole,), roles={"k": {"x": Role(decoys=(1.5,))}})
    assert world.toward("k").parameter("x").decoys == (1.5,)
    assert world.toward("k").parameter("x").tests == {}


def test_roles_are_legal():
    for world in WORLDS.values():
        for metric in world.roles:
            assert metric in world.targets.values()
            for p in world.toward(metric).parameters:
                values = [*p.tests.values(), *p.decoys]
                assert all(p.rounded(value) == value for value in values)
                assert all(p.legal[0] <= value <= p.legal[1] for value in values)
                assert all((value > p.control) == (side == "+") for side, value in p.tests.items())

"""The paired design: decisions, what an agent may ask for, and what the audit makes of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from tests.suites.petri.playing import BLOBS, MATERIALS, ROOT, flags, frozen, scripted, task

from assay.agents.solver import SolverAgent
from assay.episodes.harness import play
from assay.numbers.stats import holm_fractions, wilcoxon
from assay.suites.petri import SUITE, calibration, tasks
from assay.suites.petri.evidence import UNITS, WAYS, Evidence
from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.oracle import Sample, chosen
from assay.suites.petri.experiments.pairing import (
    DENOMINATOR,
    _holm_decides,
    _numerators,
    compare_paired,
    detected_paired,
)
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.solvers import SOLVERS
from assay.suites.petri.tables import gains
from assay.suites.petri.world import PetriWorld
from assay.suites.petri.worlds import SWARM, WORLDS
from assay.task import file_name, read_frozen

SET = ROOT / "tasks" / "petri" / "paired-v0"
RANDOM = np.random.default_rng(3)


def paired(index):
    return read_frozen(SET / file_name(index))


def experiment(**more):
    driver = paired(0).hidden["drivers"][0]
    arms = {"config_a": {}, "config_b": {driver["parameter"]: driver["test"]}}
    return "experiment", {**arms, "metric": "polarization", **more}


@pytest.mark.parametrize("spread", [1, 3, 50])
def test_many_paired_tests_are_those_of_one(spread):
    """With small whole numbers there are zeros and ties in every row."""
    differences = RANDOM.integers(-spread, 2 * spread, size=(60, 12))
    result = _numerators(differences)
    for row, numerator in zip(differences.tolist(), result.tolist(), strict=True):
        assert Fraction(numerator, DENOMINATOR) == wilcoxon(row).p


def test_holm_over_metrics_is_that_of_fractions():
    numerators = RANDOM.integers(1, 300, size=(200, 5))
    for metric in range(5):
        decided = _holm_decides(numerators, metric)
        for row, result in zip(numerators.tolist(), decided.tolist(), strict=True):
            adjusted = holm_fractions([Fraction(n, DENOMINATOR) for n in row])
            assert result == (adjusted[metric] < Fraction(1, 20))


def test_power_counts_the_decisions_of_experiments():
    sample = Sample(48, 20)
    config = SWARM.resolved({"noise": 0.4})
    from assay.suites.petri.experiments.oracle import oracle_cell

    control, cell = (oracle_cell("swarm", c, sample) for c in (SWARM.control, config))
    single = [compare_paired(control[rows], cell[rows], 0).significant for rows in chosen(sample)]
    assert detected_paired("swarm", "polarization", config, sample).tolist() == single
    assert 0 < sum(single) < 20


def test_an_experiment_may_be_paired_where_it_is_offered():
    _, (plain, same, other) = scripted(
        paired(0), experiment(), experiment(test="unpaired"), experiment(test="paired")
    )
    assert plain.parts == same.parts
    (unpaired,), (view,) = plain.parts, other.parts
    assert set(view) == set(unpaired) - {"u"} | {"w"}
    assert (view["mean_b"], view["cliffs_delta"]) == (unpaired["mean_b"], unpaired["cliffs_delta"])
    seeds = paired(0).hidden["seeds"]
    driver = paired(0).hidden["drivers"][0]
    arms = [
        replicates("swarm", SWARM.resolved(c), seeds)[:, 0]
        for c in ({}, {driver["parameter"]: driver["test"]})
    ]
    assert view["p"] == float(wilcoxon((arms[1] - arms[0]).tolist()).p)
    assert view["significant"] == (view["p_adjusted"] < 0.05)


def test_it_is_not_offered_elsewhere():
    driver = task(0).hidden["drivers"][0]
    arms = {"config_a": {}, "config_b": {driver["parameter"]: driver["test"]}, "metric": "polarization"}
    _, (result,) = scripted(task(0), ("experiment", {**arms, "test": "paired"}))
    assert not result.ok
    direct = PetriWorld(task(0)).call("experiment", {**arms, "test": "paired"}, None)
    assert direct.error == "test must be one of unpaired"
    tools = PetriWorld(task(0)).brief().tools
    assert all("paired" not in tool.doc and "test" not in tool.schema["properties"] for tool in tools)


def test_both_kinds_of_p_are_corrected_together():
    name = paired(0).hidden["drivers"][0]["parameter"]
    answer = ("submit", {"parameter": name, "direction": "down"})
    episode, results = scripted(paired(0), experiment(), experiment(test="paired"), answer)
    evidence = Evidence(paired(0), episode)
    unpaired, other = (f.numerator for f in evidence.isolating)
    view = [result.parts[0] for result in results[:2]]
    assert Fraction(unpaired, UNITS) == Fraction(round(view[0]["p"] * WAYS), WAYS)
    assert Fraction(other, UNITS) == Fraction(view[1]["p"])
    assert flags(paired(0), episode)["over_testing"].raised
    assert evidence.isolating[1].significant == view[1]["significant"]


@pytest.mark.parametrize("name", ["ofat", "ofat-paired"])
def test_the_sweep_uses_what_is_offered(name):
    solver = SolverAgent(SOLVERS[name], paired(0))
    result = play(SUITE, paired(0), name, solver, 0, MATERIALS)
    asked = {event.arguments.get("test") for event in result.calls("experiment")}
    assert asked == ({"paired"} if name == "ofat-paired" else {None})
    elsewhere = play(SUITE, task(0), name, SolverAgent(SOLVERS[name], task(0)), 0, MATERIALS)
    assert {event.arguments.get("test") for event in elsewhere.calls("experiment")} == {None}


def test_frozen_tasks_are_those_of_the_generator():
    recipe = tasks.SETS["paired-v0"]
    made = tasks.generate(recipe, "paired-v0", 1, recipe.seed, BLOBS)
    assert made.frozen_text() == (SET / file_name(1)).read_text(encoding="utf-8")
    assert made.strata["variant"] == made.public["variant"] == "paired"


def test_the_gain_is_measured_for_these_tasks_alone():
    settings = {"seeds": 48, "subsamples": 100}
    names = {m.measure for m in calibration.calibrate(paired(0), settings, MATERIALS)}
    assert names - {m.measure for m in calibration.calibrate(task(0), settings, MATERIALS)} == {
        "oracle_power_paired"
    }


def test_the_table_of_gains():
    measures = [("oracle_power", 0.5), ("oracle_power_paired", 0.75)]
    rows = [
        {"task_set": t.task_set, "task_id": t.task_id, "measure": m, "value": v}
        for t in (paired(0), paired(1))
        for m, v in measures
    ]
    rows += [{"task_set": "swarm-v0", "task_id": task(0).task_id, "measure": "oracle_power", "value": 0.9}]
    frames = {
        "tasks": pd.DataFrame([paired(0).to_row(0), paired(1).to_row(1), task(0).to_row(0)]),
        "calibration": pd.DataFrame(rows),
    }
    assert gains.pairing(frames).to_numpy().tolist() == [
        ["paired-v0", "market", 1, 0.5, 0.75, 0.25],
        ["paired-v0", "swarm", 1, 0.5, 0.75, 0.25],
    ]


@pytest.mark.parametrize(
    "index", [*range(8, 12), *(pytest.param(i, marks=pytest.mark.full) for i in range(40))]
)
def test_tasks_are_accepted_by_the_paired_test(index):
    """The paired test sees the driver at both values, and neither test sees a decoy at any curated value."""
    at = frozen("paired-v0b", index)
    tasks.verify(at)
    world, seeds = WORLDS[at.public["world"]], at.hidden["seeds"]
    column = world.metrics.index(at.public["target"])

    def arm(**overrides):
        return replicates(world.name, world.resolved(overrides), seeds)

    for driver in at.hidden["drivers"]:
        for value in (driver["value"], driver["test"]):
            assert compare_paired(arm(), arm(**{driver["parameter"]: value}), column).significant
    for decoy in at.hidden["decoys"]:
        values = world.parameter(decoy["parameter"]).decoys
        assert decoy["test"] in values
        for value in values:
            arms = arm(), arm(**{decoy["parameter"]: value}), column
            assert not compare_paired(*arms).significant
            assert not compare(*arms).significant

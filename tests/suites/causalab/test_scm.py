"""Models: evaluation, rounding, order of listings, records, crystals, disturbance, interventions."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from tests.suites.causalab.examples import TARGET, first, hidden, second

from assay.suites.causalab.model.generator import model
from assay.suites.causalab.model.scm import EvaluationError
from assay.suites.causalab.model.variables import POOL
from assay.suites.causalab.simulation import instances
from assay.suites.causalab.simulation.laboratory import Laboratory, Manipulator, Refusal
from assay.suites.causalab.simulation.reactor import Reactor

BASES = {"ph": 10, "moisture": 20, "density": 30}


def test_records_are_the_documented_ones_and_whole_numbers_stay_whole():
    result = instances.records(first(), 3)
    assert [list(record.items()) for record in result] == [
        [("density", 14), ("moisture", 3), (TARGET, 42.0), ("quantumSize", 95)],
        [("density", 35), ("moisture", 31), (TARGET, 91.0), ("quantumSize", 129)],
        [("density", 17), ("moisture", 94), (TARGET, 136.0), ("quantumSize", 45)],
    ]
    assert [type(value) for value in result[0].values()] == [int, int, float, int]
    assert instances.records(first(), 2) == result[:2]


def test_crystals_have_the_documented_bases():
    class Every:
        controllable = POOL
        raw = MappingProxyType({})

    wanted = {
        "temperatureC": (47, 24),
        "moisture": (6, 90),
        "density": (27, 47),
        "quantumSize": (0, 87),
        "radiation": (47, 87),
        "pressure": (15, 99),
        "ph": (59, 95),
        "conductivity": (25, 100),
    }
    manipulator, reactor = instances.manipulator_bases(Every()), instances.reactor_bases(Every())
    assert {name: (manipulator[name], reactor[name]) for name in POOL} == wanted
    assert instances.manipulator_bases(Every(), 2) != manipulator


def test_a_hidden_shift_reaches_children_and_betrays_itself_in_the_order():
    disturbed = second(hidden_variable=hidden([TARGET, "ph", "moisture"], [-5, 0, 5]))
    assert disturbed.evaluate(BASES) == {"density": 30, "ph": 70, "moisture": 150, TARGET: 373}
    assert disturbed.evaluate_shifted(BASES, 5) == {"density": 30, "ph": 75, "moisture": 160, TARGET: 398}
    assert first().listing == ("density", "moisture", TARGET, "quantumSize")
    assert first().shifted_order == ("moisture", "density", "quantumSize", TARGET)


@pytest.mark.parametrize(
    ("semantics", "states"),
    [
        (
            "setpoint",
            [
                {"density": 30, "ph": 70, "moisture": 9, TARGET: 232},
                {"density": 0, "ph": 10, "moisture": -111, TARGET: -68},
            ],
        ),
        ("base", [{"density": 30, "ph": 70, "moisture": 139, TARGET: 362}]),
    ],
)
def test_both_meanings_of_an_intervention(semantics, states):
    crystal = Manipulator(second(), BASES, semantics)
    for (name, value), wanted in zip([("moisture", 9.0), ("density", 0.0)], states, strict=False):
        assert crystal.intervene(name, value) == wanted


def test_h_is_drawn_after_each_use_and_never_stored():
    disturbed = second(hidden_variable=hidden([TARGET, "ph"], [-5, 0, 5]))
    crystal = Manipulator(disturbed, BASES, disturbances=iter([5, 0, -5]))
    assert crystal.shown == disturbed.evaluate(BASES)
    crystal.intervene("moisture", 9.0)
    assert (crystal.shown["ph"], crystal.plain["ph"]) == (75, 70)
    crystal.intervene("moisture", 9.0)
    assert crystal.shown == crystal.plain == {"density": 30, "ph": 70, "moisture": 9, TARGET: 232}
    crystal.intervene("moisture", 9.0)
    assert crystal.shown["ph"] == 65


def test_presets_of_hard_models_use_up_no_draw():
    hard, linear = model("quad_hard", 4, 0, 3), model("linear", 4, 0, 3)
    assert hard.edges == linear.edges
    source, plain = instances.record_bases(hard), instances.record_bases(linear)
    presets = hard.raw["quadratic_metadata"]["observation_presets"]
    assert [next(source), next(source)] == presets
    assert [next(source) for _ in range(3)] == [next(plain) for _ in range(3)]
    assert instances.reactor_bases(hard) == hard.raw["quadratic_metadata"]["reactor"]


def laboratory(budget: int = 2) -> Laboratory:
    graph = second()
    return Laboratory(Manipulator(graph, BASES), Reactor(148.0), graph.evaluate(BASES), budget)


def test_what_is_refused_changes_nothing():
    lab = laboratory()
    before = dict(lab.manipulator.shown)
    for name, value, code in [
        ("heat", 1, "unknown_property"),
        (TARGET, 1, "not_controllable"),
        (7, 1, "unknown_property"),
        ("ph", "1", "not_numeric"),
        ("ph", float("nan"), "not_numeric"),
        ("ph", float("inf"), "not_numeric"),
        ("ph", 10**400, "not_numeric"),
        ("ph", True, "not_numeric"),
        ("ph", None, "not_numeric"),
    ]:
        with pytest.raises(Refusal) as refusal:
            lab.intervene(name, value)
        assert refusal.value.code == code
    assert (lab.uses, lab.manipulator.shown) == (0, before)
    lab.intervene("ph", 1)
    lab.intervene("ph", 1)
    with pytest.raises(Refusal) as refusal:
        lab.intervene("ph", 1)
    assert (refusal.value.code, lab.uses) == ("budget_exhausted", 2)


def test_the_step_to_the_reactor_is_one_way():
    lab = laboratory()
    lab.open_reactor()
    with pytest.raises(Refusal) as refusal:
        lab.intervene("ph", 1)
    assert refusal.value.code == "locked"


def test_a_base_that_leaves_no_finite_value_is_an_error():
    with pytest.raises(EvaluationError):
        model("quad_hard", 4, 0, 3).evaluate(dict.fromkeys(POOL, float("inf")))

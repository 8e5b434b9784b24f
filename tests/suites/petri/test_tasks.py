"""Tasks: what is frozen is what is generated, and what ships can be found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.suites.petri.playing import INDICES, MATERIALS, ROOT, SET, task

from assay.episodes.blobs import MemoryBlobs
from assay.errors import TaskError
from assay.suites.petri import calibration, tasks
from assay.suites.petri.experiments import measured
from assay.suites.petri.experiments.oracle import SAMPLE, band, chosen, oracle_seeds
from assay.suites.petri.questions.acceptance import Rejected, representative
from assay.suites.petri.questions.answers import magnitude
from assay.suites.petri.settings import Settings
from assay.suites.petri.worlds import SWARM, WORLDS
from assay.task import file_name, read_frozen

SWARM_V0 = tasks.SETS["swarm-v0"]


SOME = [0, 1, 2, 3, *(pytest.param(index, marks=pytest.mark.full) for index in (4, 5))]
"""All tasks; those of the third tier take seconds."""


@pytest.mark.parametrize("index", SOME)
def test_frozen_tasks_are_generated_byte_for_byte(index):
    made = tasks.generate(SWARM_V0, "swarm-v0", index, SWARM_V0.seed, MemoryBlobs())
    assert made.frozen_text() == (SET / file_name(index)).read_text(encoding="utf-8")


@pytest.mark.parametrize("index", SOME)
def test_frozen_tasks_pass_their_gates(index):
    tasks.verify(task(index))


@pytest.mark.parametrize("index", INDICES)
def test_tasks_keep_the_rules_of_their_cell(index):
    cell = SWARM_V0.params["cells"][index]
    result = task(index)
    hidden, public = result.hidden, result.public
    assert result.strata == {"tier": cell["tier"], "world": "swarm", "band": cell["band"]}
    assert band(hidden["power"]) == hidden["band"] == cell["band"]
    assert hidden["magnitude"] == cell.get("magnitude")
    assert hidden["interaction"] == {None: None, 1: "positive", -1: "negative"}[cell.get("sign")]
    named = [entry["parameter"] for entry in (*hidden["drivers"], *hidden["decoys"])]
    assert sorted(named) == sorted(set(public["candidates"]))
    assert len(hidden["drivers"]) == (2 if cell["tier"] == "L3" else 1)
    assert len(hidden["decoys"]) == 2
    assert representative(SWARM, public["target"], tuple(hidden["seeds"]), SAMPLE)
    for driver in hidden["drivers"]:
        parameter = SWARM.parameter(driver["parameter"])
        low, high = parameter.legal
        assert low <= driver["value"] <= high
        assert driver["value"] == parameter.rounded(driver["value"]) != parameter.control
        side = "+" if driver["value"] > parameter.control else "-"
        assert driver["test"] == parameter.tests[side]
    if cell["band"] == "hard":  # one driver is hard to find, not only close to control
        assert any(SWARM.parameter(d["parameter"]).blind <= tasks.BLIND_LIMIT for d in hidden["drivers"])
    for decoy in hidden["decoys"]:
        assert decoy["test"] in SWARM.parameter(decoy["parameter"]).decoys


def broken(field: str, value: object, index: int = 3):
    whole = task(index)
    return replace(whole, hidden={**whole.hidden, field: value})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (broken("drivers", [{"parameter": "alignment", "value": 0.99, "test": 0.35}]), "'driver'"),
        (broken("drivers", [{"parameter": "alignment", "value": 0.348, "test": 0.99}]), "'test value'"),
        (broken("decoys", [{"parameter": "noise", "test": 0.3}]), "'decoy'"),
        (broken("magnitude", "small"), "'magnitude'"),
        (broken("direction", "up"), "truth or evidence"),
        (broken("power", 0.99), "truth or evidence"),
        (broken("seeds", None), "incomplete"),
        (replace(task(3), strata={**task(3).strata, "band": "hard"}), "'band'"),
        (replace(task(3), public={**task(3).public, "candidates": ["noise"]}), "candidates"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_task_that_was_tampered_with_is_found(wrong, message):
    with pytest.raises(TaskError, match=message):
        tasks.verify(wrong)


def test_a_fruitless_search_names_the_world_and_the_worst_gate(monkeypatch):
    gates = iter(["driver", "band", "decoy", "driver"] * 50)

    def reject(draft):
        raise Rejected(next(gates))

    monkeypatch.setattr(tasks, "examine", reject)
    monkeypatch.setattr(tasks, "representative", lambda *arguments: True)
    with pytest.raises(
        TaskError, match=r"hard L1 task of the world swarm.*200 tries.*'driver' \(100 times\)"
    ):
        tasks.generate(SWARM_V0, "swarm-v0", 0, 1, MemoryBlobs())


def test_tasks_beyond_the_cells_and_of_other_seeds_are_others():
    first = task(3)
    again = tasks.generate(SWARM_V0, "fresh", 9, 77, MemoryBlobs())
    assert again.strata == first.strata
    assert again.task_id == "00009-l2-swarm"
    assert again.hidden["seeds"] != first.hidden["seeds"]


@pytest.mark.parametrize("index", [3, *(pytest.param(i, marks=pytest.mark.full) for i in INDICES if i != 3)])
def test_calibration_confirms_the_band(index):
    settings = Settings().model_dump(mode="json")["calibration"]
    results = {m.measure: m for m in calibration.calibrate(task(index), settings, MATERIALS)}
    assert results["band"].label == task(index).strata["band"]
    assert results["oracle_power"].value == task(index).hidden["power"]
    assert round(results["cliffs_delta"].value, 4) == task(index).hidden["cliffs_delta"]


# ------------------------------------------------------------ the ground that tasks are drawn from


def test_subsamples_are_twelve_different_seeds_and_even():
    rows = chosen(SAMPLE)
    assert rows.shape == (2000, 12)
    assert all(len(set(row)) == 12 for row in rows.tolist())
    counts = [int((rows == seed).sum()) for seed in range(96)]
    assert sum((n - 250) ** 2 / (250 * 84 / 96) for n in counts) < 143  # chi-square, 95 degrees, p = .001
    assert len(set(oracle_seeds("swarm", 96))) == 96


def test_more_oracle_seeds_begin_with_the_same():
    assert oracle_seeds("swarm", 200)[:96] == oracle_seeds("swarm", 96)


def test_worlds_are_consistent():
    for world in WORLDS.values():
        for p in world.parameters:
            assert p.domain[0] <= p.legal[0] <= p.control <= p.legal[1] <= p.domain[1]
            values = [p.control, *p.legal, *p.tests.values(), *p.decoys]
            assert all(p.rounded(value) == value for value in values)
            assert str(p.rounded(-1e-9)) in ("0", "0.0")
            assert all(p.legal[0] <= value <= p.legal[1] for value in values)
            assert all((value > p.control) == (side == "+") for side, value in p.tests.items())
        assert set(world.targets.values()) <= set(world.metrics)


def test_magnitudes():
    sizes = [0.05, 0.1, -0.349, 0.35, -0.7499, 0.75, 3.0]
    assert [magnitude(s) for s in sizes] == [None, "small", "small", "medium", "medium", "large", "large"]
    assert [magnitude(s, 0.02) for s in (0.11, 0.13, 0.34, 0.36, 0.76, 0.78)] == [
        None,
        "small",
        None,
        None,
        None,
        "large",
    ]


# ------------------------------------------------------------ tasks whose calibration is committed

MEASURED = measured.sets()


def archived(name: str, index: int):
    return read_frozen(ROOT / "tasks" / "petri" / name / file_name(index))


def test_the_committed_calibration_has_every_such_task_and_no_other():
    every = [archived(name, index) for name in MEASURED for index in range(tasks.SETS[name].size)]
    assert measured.table((at, measured.measured(at)) for at in every) == measured.path().read_text("utf-8")


SOAKED = [
    pytest.param(name, index, marks=pytest.mark.soak if index else pytest.mark.full)
    for name in MEASURED
    for index in range(tasks.SETS[name].size)
]


@pytest.mark.parametrize(("name", "index"), [("paired-v0", 4), *SOAKED])
def test_the_committed_calibration_is_what_is_simulated(name, index):
    at = archived(name, index)
    again = calibration.simulated(at, {"seeds": SAMPLE.seeds, "subsamples": SAMPLE.subsamples})
    assert measured.table([(at, again)]) == measured.table([(at, measured.measured(at))])


def test_a_task_that_differs_from_the_archived_one_is_measured():
    at = archived("core-v0", 0)
    assert measured.measured(at)
    assert measured.measured(replace(at, hidden={**at.hidden, "power": 0.5})) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"seeds": [1] * 12},
        {"direction": "sideways"},
        {"evidence": {"change": {"harness": 0.0}}},
        {"seeds": None},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_its_own_seeds_show_of_an_archived_task_is_run_again(wrong):
    at = archived("core-v0", 2)
    tasks.verify(at)
    with pytest.raises(TaskError, match="not sound"):
        tasks.verify(replace(at, hidden={**at.hidden, **wrong}))

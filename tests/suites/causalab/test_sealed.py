"""Sealed tasks: what is shown before an intervention says nothing about the mechanism."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from tests.suites.causalab.playing import SUITE, materials, record, scores, scripted, solved

from assay import canonical
from assay.agents.solver import SolverAgent
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.validity.shortcuts import SHORTCUTS
from assay.suites.causalab.validity.shortcuts.prior import ATTACKS
from assay.task import Task

SEED = 4242
"""A seed of no set."""

SETS = ("main-v1", "scaling-v1", "variants-v1", "embodied-v1", "prompts-v1", "beyond-v1")

MARGIN = 0.05


@cache
def fresh(task_set: str, index: int) -> Task:
    room = SUITE.room("tasks")
    recipe = replace(room.SETS[task_set], seed=SEED)
    made: Task = room.generate(recipe, task_set, index, SEED, MemoryBlobs())
    return made


def shown(of: Task) -> list[dict[str, Any]]:
    """Every state of an episode that begins with two interventions and opens the reactor."""
    name = of.public["controllable"][0]
    acts = [{"op": "intervene", "property": name, "value": v} for v in (50, 70)] + [{"op": "open_reactor"}]
    _, replies, brief = scripted(of, [record(**act) for act in acts])
    facts: Any = brief.parts[0]
    states = [reply["values"] for reply in replies if "values" in reply]
    return [*facts["records"], *states, replies[-1]["reactor_properties"]]


@pytest.mark.parametrize("index", range(5))
def test_every_number_is_a_float_and_every_listing_alphabetical(index: int) -> None:
    for state in shown(fresh("main-v1", index)):
        assert list(state) == sorted(state)
        assert {type(value) for value in state.values()} == {float}


def test_the_public_half_has_no_seed_of_the_crystals() -> None:
    of = fresh("main-v1", 0)
    assert not {"env_seed", "record_seed"} & of.public["conditions"].keys()
    other = replace(of, hidden={**of.hidden, "crystals": fresh("main-v1", 0).hidden["crystals"]})
    assert canonical.dumps(Setup(other).records) == canonical.dumps(Setup(of).records)


def test_crystals_differ_from_task_to_task() -> None:
    starts = {canonical.dumps(fresh("main-v1", n).hidden["crystals"]["manipulator"]) for n in range(40)}
    assert len(starts) == 40


def test_the_screen_of_the_embodied_front_is_as_plain_as_the_brief() -> None:
    of = fresh("embodied-v1", 0)
    texts = [record(action="TELEPORT_TO_OBJECT", arg1=102), record(action="TALK", arg1=102)]
    _, replies, _ = scripted(of, texts)
    lines = [
        line
        for line in replies[-1]["dialog_box"]["dialogIn"].splitlines()
        if ": " in line and "Uses" not in line
    ]
    names = {display: name for name, display in of.public["variables"]}
    listed = [names[line.strip().partition(":")[0]] for line in lines]
    assert listed == sorted(listed) and len(listed) == 4
    assert all("." in line.partition(": ")[2] for line in lines)


@pytest.mark.parametrize("task_set", ["scaling-v1", "variants-v1"])
def test_settings_share_fifty_graphs_up_to_names(task_set: str) -> None:
    of_cells: dict[tuple[str, str], dict[str, tuple[Any, ...]]] = {}
    whole = SUITE.room("tasks").SETS[task_set]
    for index in range(whole.size):
        of = fresh(task_set, index)
        cell = of.strata["setting"], of.strata["nodes"]
        model = of.hidden["model"]
        degrees = (
            Counter(edge["to"] for edge in model["edges"]),
            Counter(edge["from"] for edge in model["edges"]),
        )
        shape = tuple(sorted((name == TARGET, degrees[0][name], degrees[1][name]) for name in model["nodes"]))
        of_cells.setdefault(cell, {})[model["graph_id"].rpartition("_")[2]] = shape
    assert {len(graphs) for graphs in of_cells.values()} == {50}
    for nodes in ("4", "6"):
        cells = [
            graphs
            for (setting, k), graphs in of_cells.items()
            if k == nodes and setting != "sealed-freqparent"
        ]
        assert all(a == b for a, b in pairwise(cells))


def test_no_order_of_tasks_tells_which_share_a_graph() -> None:
    graphs = [fresh("scaling-v1", n).hidden["model"]["graph_id"] for n in range(42)]
    assert len(set(graphs)) > 10


@pytest.mark.parametrize("nodes", range(3, 8))
def test_exact_finds_every_mechanism_with_one_intervention_more_than_properties(nodes: int) -> None:
    tasks = [fresh("main-v1", n) for n in range(60)]
    for of in [of for of in tasks if of.strata["nodes"] == str(nodes)][:4]:
        result = scores(of, solved(of, "exact"))
        assert (result["score"], result["edge_f1"], result["freq_weight_f1"]) == (1.0, 1.0, 1.0)
        assert result["interventions"] == nodes


def f1(of: Task, name: str) -> float:
    solver = SHORTCUTS[name] if name in SHORTCUTS else SUITE.room("solvers").SOLVERS[name]
    episode = play(SUITE, of, name, SolverAgent(solver, of), 0, materials())
    assert episode.status != "crashed", episode.reason
    return scores(of, episode)["edge_f1"] or 0.0


def mean_f1(name: str, tasks: list[Task]) -> float:
    return sum(f1(of, name) for of in tasks) / len(tasks)


def test_an_attack_succeeds_where_the_leak_is_open() -> None:
    """The attack on constants finds the mechanism of every released task of four variables."""
    room = SUITE.room("tasks")
    old = [room.generate(room.SETS["main-v0"], "main-v0", n, 1, MemoryBlobs()) for n in (1, 6, 11, 16)]
    assert mean_f1("shortcut-constants", old) == 1.0


@pytest.mark.parametrize("name", ["shortcut-constants", "shortcut-form", "shortcut-listing"])
def test_the_three_attacks_do_not_beat_the_prior_on_a_few_tasks(name: str) -> None:
    tasks = [fresh("main-v1", n) for n in range(30)]
    assert mean_f1(name, tasks) <= mean_f1("map", tasks) + MARGIN


@pytest.mark.full
@pytest.mark.parametrize("name", sorted({*ATTACKS, *SHORTCUTS}))
def test_no_attack_beats_the_prior_on_fresh_graphs(name: str) -> None:
    tasks = [fresh("main-v1", n) for n in range(250)]
    assert mean_f1(name, tasks) <= mean_f1("map", tasks) + MARGIN


@pytest.mark.parametrize("task_set", SETS)
def test_every_task_can_be_solved(task_set: str) -> None:
    for index in range(0, min(40, SUITE.room("tasks").SETS[task_set].size), 4):
        of = fresh(task_set, index)
        SUITE.room("tasks").verify(of)
        assert 10.0 <= Setup(of).target <= 9990.0

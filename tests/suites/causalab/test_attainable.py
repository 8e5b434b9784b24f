"""What can be attained: the prior, the information of interventions, the optimal agent, the yoked control."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from statistics import mean, stdev
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.suites.causalab.playing import SUITE, record, scores, scripted, solved

from assay import plotting
from assay.episodes.blobs import MemoryBlobs
from assay.numbers import rng
from assay.suites.causalab.drawings.attainable import regret
from assay.suites.causalab.metrics import belief, graphs
from assay.suites.causalab.metrics.attainable import CERTAIN, Known
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.generator import one_shape
from assay.suites.causalab.simulation import attained
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.tables.attainable import ALL, PARTS, attainable
from assay.suites.causalab.transcript import transcript_of
from assay.task import Task

SEED = 5150
"""A seed of no set."""


def fresh(task_set: str, setting: str, nodes: int, count: int) -> Iterator[Task]:
    room = SUITE.room("tasks")
    recipe = replace(room.SETS[task_set], seed=SEED)
    for index in range(recipe.size):
        of: Task = room.generate(recipe, task_set, index, SEED, MemoryBlobs())
        if (of.strata["setting"], of.strata["nodes"]) == (setting, str(nodes)):
            yield of
            count -= 1
            if not count:
                return


def known(of: Task) -> Known:
    setup = Setup(of)
    records = tuple(setup.observed(values) for values in setup.records)
    return Known(setup.model.properties, Evidence(records, (), ()))


# ------------------------------------------------------------ the graphs


def test_the_prior_is_that_of_the_generator() -> None:
    masks, logs = graphs.enumerated(4)
    drawn: Counter[tuple[int, ...]] = Counter()
    for at in range(4000):
        shape = one_shape(rng.stream(3, "test", at), 4)
        causes = [0] * 4
        place = {name: (n or 4) - 1 for n, name in enumerate(shape.names)}
        for a, b in shape.edges:
            causes[place[b]] |= 1 << place[a]
        drawn[tuple(causes)] += 1
    assert sum(drawn.values()) == 4000
    for row, value in zip(masks, logs, strict=True):
        chance = math.exp(value)
        width = math.sqrt(chance * (1 - chance) / 4000)
        assert abs(drawn.pop(tuple(row), 0) / 4000 - chance) < 5 * width
    assert not drawn, "the generator draws nothing else"


@pytest.mark.parametrize("nodes", [3, 4])
def test_graphs_are_counted_right(nodes: int) -> None:
    masks, _ = graphs.enumerated(nodes)
    counted = Counter(sum(int(mask).bit_count() for mask in row) for row in masks)
    least, most = min(counted), max(counted)
    for edges, count in counted.items():
        assert graphs.by_edges(nodes)[edges] == pytest.approx(-math.log(count * (most - least + 1)))


def test_drawn_graphs_give_the_same_chances_as_all_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    for of in fresh("main-v1", "sealed-main", 4, 4):
        exact = known(of).belief.edges
        with monkeypatch.context() as patch:
            patch.setattr(graphs, "EXACT", 3)
            sampled = known(of).belief.edges
        assert max(abs(exact[edge] - sampled[edge]) for edge in exact) < 0.12


def test_chances_mean_what_they_say() -> None:
    """Over many tasks the expected F1 of the best graph is what it reaches."""
    differences = []
    for of in fresh("main-v1", "sealed-main", 4, 50):
        graph, expected = belief.best_graph(known(of).belief)
        true = {(edge["from"], edge["to"]) for edge in of.hidden["model"]["edges"]}
        stated = set(belief.named(known(of).names, graph))
        differences.append(expected - 2 * len(true & stated) / (len(true) + len(stated)))
    assert abs(mean(differences)) < 3 * stdev(differences) / math.sqrt(len(differences))


# ------------------------------------------------------------ the optimal agent


@pytest.mark.parametrize("nodes", range(3, 8))
def test_the_optimal_agent_finds_every_mechanism(nodes: int) -> None:
    for of in fresh("main-v1", "sealed-main", nodes, 3):
        result = scores(of, solved(of, "optimal"))
        assert (result["score"], result["freq_weight_f1"], result["regret"]) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(("setting", "nodes"), [("sealed-0o3i", 4), ("sealed-5o5i", 6)])
def test_the_optimal_agent_has_no_regret_where_the_budget_is_too_small(setting: str, nodes: int) -> None:
    values = [
        scores(of, solved(of, "optimal"))["regret"] or 0.0 for of in fresh("scaling-v1", setting, nodes, 20)
    ]
    assert stdev(values) > 0, "else the budget would not be too small"
    assert abs(mean(values)) < 3 * stdev(values) * math.sqrt(1 / 20 + 1 / attained.TASKS)


def test_the_optimal_agent_chooses_what_is_best() -> None:
    for of in fresh("main-v1", "sealed-main", 4, 5):
        assert scores(of, solved(of, "optimal"))["information_share"] == pytest.approx(1.0)
        assert 0 < (scores(of, solved(of, "exact"))["information_share"] or 0) <= 1


def test_nothing_is_to_be_learnt_when_all_is_known() -> None:
    of = next(fresh("main-v1", "sealed-main", 4, 1))
    episode = solved(of, "exhaustive")
    seen = transcript_of(Setup(of), episode)
    at_end = Known(seen.setup.model.properties, seen.evidence(), (), seen.interventions[0].target)
    assert at_end.entropy <= CERTAIN and at_end.best(at_end.names)[1] <= CERTAIN


# ------------------------------------------------------------ the yoked control


def test_data_are_told_from_what_is_made_of_them() -> None:
    """An agent that sets every property and states nothing has chosen well and inferred nothing."""
    of = next(fresh("main-v1", "sealed-main", 4, 1))
    names = [*of.public["controllable"], of.public["controllable"][0]]
    acts = [
        {"op": "intervene", "property": name, "value": 700.0 * (n + 1)} for n, name in enumerate(names)
    ] + [{"op": "stop"}]
    result = scores(of, scripted(of, [record(**act) for act in acts])[0])
    assert (result["edge_f1"], result["yoked_f1"], result["regret"]) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize("task_set", ["main-v0", "variants-v0"])
def test_there_is_no_such_score_where_the_prior_is_another(task_set: str) -> None:
    room = SUITE.room("tasks")
    of = room.generate(room.SETS[task_set], task_set, 1, 1, MemoryBlobs())
    assert not {"regret", "yoked_f1", "information_share"} & scores(of, solved(of, "exact")).keys()


def tables() -> dict[str, Any]:
    of = list(fresh("main-v1", "sealed-main", 4, 4))
    rows = [
        (name, "main-v1", task.task_id, 0, "default", None, metric, math.nan if value is None else value)
        for task in of
        for name in ("exact", "committer")
        for metric, value in scores(task, solved(task, name)).items()
    ]
    columns = ["agent", "task_set", "task_id", "attempt", "profile", "step", "metric", "value"]
    strata = [task.to_row(n)["strata"] for n, task in enumerate(of)]
    ids = {"task_set": "main-v1", "task_id": [task.task_id for task in of], "strata": strata}
    return {"scores": pd.DataFrame(rows, columns=columns), "tasks": pd.DataFrame(ids)}


def test_the_parts_of_the_regret_add_up() -> None:
    every = tables()
    table = attainable(every).set_index(["agent", "nodes"])
    assert set(table.index) == {(name, n) for name in ("exact", "committer") for n in (4, ALL)}
    for _, row in table.iterrows():
        assert row.regret == pytest.approx(row.attainable_f1 - row.edge_f1)
        assert row.regret == pytest.approx(sum(row[part] for part in PARTS[1:]))
        assert row.regret_low <= row.regret <= row.regret_high
    assert table.loc[("exact", 4), "regret"] == pytest.approx(0.0, abs=1e-3)
    assert table.loc[("committer", 4), "stopping"] > 0
    with plotting.style():
        assert len(regret(every).axes) == 6


# ------------------------------------------------------------ what is kept


def test_kept_curves_rise_to_one() -> None:
    curves = attained.attained()
    assert set(curves) == set(attained.SETTINGS)
    for points in curves.values():
        assert np.all(np.diff(points) >= 0) and points[-1] == 1.0


@pytest.mark.full
@pytest.mark.parametrize("setting", attained.SETTINGS)
def test_kept_curves_are_computed_again(setting: tuple[int, int]) -> None:
    assert [middle for middle, _ in attained.curve(*setting)] == attained.attained()[setting]

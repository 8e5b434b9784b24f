"""Tables that take several agents together: whose runs count there, and whose do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from tests.suites.pilab.episodes import SUITE

from assay import plotting
from assay.agents.solver import SolverAgent
from assay.episode import episode_row
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.suites.pilab.analysis import TABLES
from assay.suites.pilab.calibration import calibrate
from assay.suites.pilab.experiments.runs import PRIVILEGED
from assay.suites.pilab.figures import FIGURES
from assay.suites.pilab.solvers import SOLVERS
from assay.suites.pilab.tasks import SETS, generate
from assay.tables.schemas.calibration import CALIBRATION

PUBLISHED = Path(__file__).resolve().parents[3] / "config" / "published" / "pilab.yaml"
SET = "no-memory-v0"
HONEST = ("ambitious", "baseline", "learner")
"""Policies that play on what every agent is shown."""

TESTS = {"oracle": "solver", "snoop": "scripted", "duplicator": "scripted", "do-nothing": "solver"}
"""Agents that know the truth or are there for a test, whatever their role is called."""

POOLED = ("correlations", "census", "legibility", "scoops", "variance")
"""Tables with rows over several of our agents, which `agents` names or counts."""

TASKS = [generate(SETS[SET], SET, index, 101, MemoryBlobs()) for index in range(2)]


def tables(kinds: dict[str, str]) -> dict[str, Any]:
    """The common tables of these agents in two worlds."""
    return {
        "tasks": pd.DataFrame([task.to_row(n) for n, task in enumerate(TASKS)]),
        "episodes": pd.DataFrame([row for agent in sorted(kinds) for row in rows_of(agent)]),
        "calibration": pd.DataFrame(columns=list(CALIBRATION.names)),
        "published": [yaml.safe_load(PUBLISHED.read_text("utf-8"))],
        "fresh": [],
        "kinds": kinds,
    }


_ROWS: dict[str, list[dict[str, Any]]] = {}


def rows_of(agent: str) -> list[dict[str, Any]]:
    """An agent's rows of the table `episodes`, played once."""
    if agent not in _ROWS:
        solver = SOLVERS[agent]
        episodes = [
            play(SUITE, task, agent, SolverAgent(solver, task), 0, materials_for(SUITE, MemoryBlobs()))
            for task in TASKS
        ]
        _ROWS[agent] = [episode_row(replace(e, privileged=solver.privileged)) for e in episodes]
    return _ROWS[agent]


@pytest.mark.parametrize("name", [*POOLED, "quoted"])
def test_statistics_over_agents_are_over_honest_agents_alone(name: str) -> None:
    """The oracle and an agent of known conduct change nothing there; an agent like the others does."""
    honest = dict.fromkeys(HONEST, "solver")
    if name == "quoted":  # its agents play the seeds of the paper
        for task in TASKS:
            assert task.task_id in ("lab-00000", "lab-00001")
    alone = made(name, tables(honest))
    pd.testing.assert_frame_equal(
        made(name, tables(honest | TESTS | {"hire-max": "solver"})),
        alone,
    )
    assert not made(name, tables(honest | {"steward": "solver"})).equals(alone)


def made(name: str, of: dict[str, Any]) -> pd.DataFrame:
    """A table; that of the paper's models is of agents in the set `reference-v0`."""
    if name == "quoted":
        of = {**of, "episodes": of["episodes"].assign(task_set="reference-v0")}
    frame: pd.DataFrame = TABLES[name].make(of)
    return frame


def test_whether_it_is_the_policy_or_the_world_is_asked_of_policies_that_are_not_told_the_truth() -> None:
    """The oracle is swept as the others are, and stays out of the shares of variance."""
    played = ("ambitious", "baseline", "oracle")
    measures = [
        {"task_set": SET, "task_id": task.task_id, "measure": m.measure, "value": m.value, "label": m.label}
        for task in TASKS
        for m in calibrate(task, {"runs": played}, materials_for(SUITE, MemoryBlobs()))
    ]
    of = tables({"baseline": "solver"}) | {"calibration": pd.DataFrame(measures)}
    rows = TABLES["variance"].make(of).set_index(["task_set", "source"])
    assert rows.loc[(SET, "policies"), "agents"] == len(set(played) - PRIVILEGED) == 2


def test_correlations_have_numbers_and_intervals() -> None:
    agents = dict.fromkeys((*HONEST, "steward"), "solver")
    rows = made("correlations", tables(agents)).set_index("axis")
    row = rows.loc["hit_rate"]
    assert (row["published_models"], rows.loc["attrition", "published_models"]) == (12, 11)
    assert -1 <= row["published_low"] < row["published"] < row["published_high"] <= 1
    assert set(rows["agents"]) <= set(range(5))
    inside = rows[rows["low"].notna()]
    assert len(inside)
    assert ((inside["low"] < inside["spearman"]) & (inside["spearman"] < inside["high"])).all()
    few = made("correlations", tables(dict.fromkeys(HONEST, "solver")))
    assert few["low"].isna().all()
    paper = made("legibility", tables(agents)).query("source == 'paper' and month == 30").iloc[0]
    assert (round(paper["low"], 2), paper["spearman"], round(paper["high"], 2)) == (0.21, 0.52, 0.74)


@pytest.mark.parametrize("name", ["axes", "correlations", "legibility"])
def test_figures_of_agents_are_drawn(name: str) -> None:
    """The figure of correlations names each axis with the number of agents and models that have it."""
    of = tables(dict.fromkeys((*HONEST, "steward"), "solver"))
    of["episodes"] = of["episodes"].assign(task_set="closed-v1")
    with plotting.style():
        figure = FIGURES[name].draw(of)
    labels = [text.get_text() for panel in figure.axes for text in panel.get_yticklabels()]
    if name == "correlations":
        assert "less attrition (4, 11)" in labels
        assert "hit rate (4, 12)" in labels

"""Figures of all tasks of a set at once, on tables made by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from tests.suites.collider.mocks import task_of

from assay import canonical, plotting
from assay.suites.collider.drawings import comparisons, runs
from assay.suites.collider.formats.histogram import Binning, write


def tables(agents: dict[str, str]) -> dict[str, Any]:
    """Every agent submits the reference times its place at two tasks of both sets; values are verdicts."""
    tasks, episodes, scores, audit = [], [], [], []
    for task_set in ("cms-v0", "cms-shape-v0"):
        for index in range(2):
            task = task_of(task_set, index)
            identity = {"task_set": task_set, "task_id": str(index)}
            tasks.append(
                {**identity, "public": canonical.dumps(task.public), "hidden": canonical.dumps(task.hidden)}
            )
            for place, (agent, verdict) in enumerate(agents.items()):
                row = {**identity, "agent": agent, "attempt": 0}
                text = write(
                    Binning.from_json(task.public["histogram"]),
                    [y * (1 + place) for y in task.hidden["yields"]],
                )
                episodes.append({**row, "source": "solver", "submission": canonical.dumps(text)})
                values = {
                    "d": float(place),
                    "d_shape": 0.1 * place,
                    "delta_norm": 0.2,
                    "solved": float(place == 0),
                }
                scores += [{**row, "metric": name, "value": value} for name, value in values.items()]
                audit.append({**row, "flag": "verdict", "label": verdict})
    named = {"tasks": tasks, "episodes": episodes, "scores": scores, "audit": audit}
    return {name: pd.DataFrame(rows) for name, rows in named.items()} | {"published": []}


MADE = tables({"physicist": "PASSED", "flat": "FABRICATED", "somebody": "PASSED", "unclear": "UNDECIDED"})


def test_verdicts_add_up_and_an_undecided_run_is_no_passed_one() -> None:
    with plotting.style():
        figure = runs.statuses(MADE)
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "physicist (4)",
        "flat (4)",
        "somebody (4)",
        "unclear (4)",
    ]
    assert set(axes.get_legend_handles_labels()[1]) == {"PASSED", "UNDECIDED", "FABRICATED"}
    ends = [patch.get_x() + patch.get_width() for patch in axes.patches if patch.get_width() > 0]
    assert ends == [1.0] * 4


@pytest.mark.parametrize("draw", [runs.overlays, runs.shape_overlays])
def test_fabricated_and_undecided_runs_are_not_drawn(draw: Any) -> None:
    with plotting.style():
        figure = draw(MADE)
    drawn = [axes for axes in figure.axes if axes.lines]
    assert len(drawn) == 2
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["physicist", "somebody"]
    assert all(len(axes.lines) == 2 for axes in drawn)
    if draw is runs.shape_overlays:
        # A multiple of the reference has its shape.
        assert drawn[0].lines[0].get_ydata() == pytest.approx(drawn[0].lines[1].get_ydata())


def test_both_forms_of_a_task_meet_at_their_point() -> None:
    with plotting.style():
        (axes,) = runs.shape_against_simulation(MADE).axes
    points = {
        line.get_label(): len(line.get_xdata()) for line in axes.lines if not line.get_label().startswith("_")
    }
    assert points == {"physicist": 2, "flat": 2, "somebody": 2, "unclear": 2}


def test_agents_without_a_price_stand_beside_the_quoted_ones() -> None:
    with plotting.style():
        (axes,) = comparisons.cost_against_accuracy({**MADE, "published": []}).axes
    # `somebody` solves no task, and would cover the quoted agents that do not either.
    assert {text.get_text() for text in axes.texts} == {" physicist (level cuts, no price)"}


@pytest.mark.parametrize(
    "draw",
    [runs.statuses, runs.overlays, runs.shape_overlays, runs.shape_distances, runs.shape_against_simulation],
)
def test_a_build_without_these_tasks_says_so(draw: Any) -> None:
    empty = {name: table.iloc[:0] if name != "published" else [] for name, table in MADE.items()}
    with plotting.style():
        (axes,) = draw(empty).axes
    assert [text.get_text() for text in axes.texts] == ["no agent has played these tasks"]

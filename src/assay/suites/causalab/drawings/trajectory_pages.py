"""The page of one episode: true graph, hypothesis after each intervention and its metrics (Figure 7)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay import canonical, plotting
from assay.episode import Episode, from_rows
from assay.protocol import Tables
from assay.suites.causalab.drawings.pages import Page
from assay.suites.causalab.metrics.recovery import step_score
from assay.suites.causalab.model.scm import Edge, Model
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.transcript import transcript_of
from assay.task import Task

MOST = 11
"""Largest number of hypotheses on a page; the last ones are shown."""

COLUMNS = 4


def trajectory_page(page: Page, tables: Tables) -> Any:
    """Draw the page of an episode in the tables; a title says so if nobody played it."""
    for row in tables["tasks"].itertuples(index=False):
        strata = canonical.loads(row.strata)
        if (strata["setting"], int(strata["nodes"])) != (page.setting, page.nodes):
            continue
        keys = {"task_set": row.task_set, "task_id": row.task_id, "agent": page.agent}
        for episode in _rows(tables["episodes"], keys):
            events = _rows(tables["events"], {**keys, "attempt": episode["attempt"]})
            return draw(Task.from_row(row._asdict()), from_rows(episode, events))
    figure = plotting.figure(90, 30)
    figure.subplots().set(title=f"no episode of {page.agent} in {page.setting}, {page.nodes} variables")
    return figure


def _rows(table: Any, keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows with these values, with NaN replaced by None and other floats by ints."""
    for name, value in keys.items():
        table = table[table[name] == value]
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_dict("records")]


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else int(value)


def draw(task: Task, episode: Episode) -> Any:
    """Draw the page of any episode."""
    setup = Setup(task)
    transcript = transcript_of(setup, episode)
    along = [(f"{done.target} := {done.value:g}", held.edges, held) for done, held in transcript.trajectory()]
    graphs = [("before any intervention", _first(transcript), None), *along][-MOST:]
    if not along:
        graphs = [("at the end", transcript.final.edges, transcript.final)]
    rows = -(-(len(graphs) + 1) // COLUMNS)
    figure = plotting.figure(180, 52 + 40 * rows)
    top, bottom = figure.subfigures(2, 1, height_ratios=(40 * rows, 46))
    grid = top.subplots(rows, COLUMNS, squeeze=False)
    model = setup.model
    _graph(grid[0, 0], model, model.edges, "the truth")
    for axes, (title, edges, _) in zip(list(grid.flat)[1:], graphs, strict=False):
        _graph(axes, model, edges, title)
    for axes in list(grid.flat)[1 + len(graphs) :]:
        axes.set_axis_off()
    _metrics(bottom, model, [held for _, _, held in along])
    verdict = "accepted" if transcript.completed else "not accepted"
    figure.suptitle(f"{episode.agent}, {task.task_set}/{task.task_id}: prediction {verdict}", fontsize=9)
    return figure


def _first(transcript: Any) -> Sequence[Edge]:
    before = [
        w
        for w in transcript.written
        if not transcript.interventions or w.step < transcript.interventions[0].step
    ]
    return before[-1].hypothesis.edges if before else ()


def _graph(axes: Any, model: Model, edges: Sequence[Edge], title: str) -> None:
    """Draw the variables on a circle with the target on top: right edges green, wrong red, missing dotted."""
    true = set(model.edges)
    place = {
        name: (math.sin(2 * math.pi * n / len(model.names)), math.cos(2 * math.pi * n / len(model.names)))
        for n, name in enumerate(model.names)
    }
    missing = [edge for edge in model.edges if edge not in set(edges)]
    for edge in [*missing, *edges]:
        if edge[0] not in place or edge[1] not in place:
            continue
        colour = "grey" if edge in missing else "green" if edge in true else "vermilion"
        axes.annotate(
            "",
            xy=place[edge[1]],
            xytext=place[edge[0]],
            arrowprops={
                "arrowstyle": "->",
                "color": plotting.COLOURS[colour],
                "linestyle": ":" if edge in missing else "-",
                "shrinkA": 3,
                "shrinkB": 3,
                "linewidth": 1,
            },
        )
    for name, (x, y) in place.items():
        short = "freq" if name == TARGET else name
        side = "center" if abs(x) < 0.1 else "left" if x > 0 else "right"
        axes.plot([x], [y], marker="o", markersize=2.5, color="black")
        axes.text(1.12 * x, 1.2 * y, short, ha=side, va="center", fontsize=6)
    axes.set(xlim=(-2.1, 2.1), ylim=(-1.35, 1.35))
    axes.set_title(title, fontsize=7)
    axes.set_axis_off()


def _metrics(figure: Any, model: Model, held: Sequence[Any]) -> None:
    grid = figure.subplots(1, 2)
    scores = [step_score(model, hypothesis) for hypothesis in held]
    uses = list(range(1, len(scores) + 1))
    for label, values in (
        ("all edges, F1", [s.edges.f1 for s in scores]),
        ("edges into the frequency, F1", [s.into_target.f1 for s in scores]),
        ("weights, share right", [s.weight_accuracy for s in scores]),
    ):
        if None not in values:  # a metric that does not apply to a model applies at no step
            grid[0].plot(uses, values, marker="o", label=label, clip_on=False)
    grid[0].set(ylim=(0, 1), xlabel="interventions", ylabel="agreement", xticks=uses)
    figure.legend(loc="outside lower left", ncols=3)
    grid[1].plot(uses, [s.shd for s in scores], marker="s", color="black", clip_on=False)
    grid[1].set(xlabel="interventions", ylabel="Hamming distance (edges)", xticks=uses)
    grid[1].set_ylim(bottom=0)

"""A protocol as a picture: each step a box, each material an arrow, each stated constraint a dashed one."""

from __future__ import annotations

from typing import Any

from assay import canonical, plotting
from assay.plotting import COLOURS
from assay.protocol import Tables
from assay.suites.sgi.metrics.protocols import references
from assay.suites.sgi.text.program import parse_text


def protocol(tables: Tables) -> Any:
    """The longest protocol of the tasks; an empty frame with a note where there is none."""
    every = [(row, canonical.loads(row.hidden)) for row in tables["tasks"].itertuples()]
    items = [(row, hidden) for row, hidden in every if "x_precedence" in hidden]
    if not items:
        figure = plotting.figure(width_mm=120, height_mm=30)
        axes = figure.subplots()
        axes.text(0.5, 0.5, "no wet experiment is among the tasks", ha="center")
        axes.set_axis_off()
        return figure
    row, hidden = max(items, key=lambda item: (len(item[1]["x_params"]), item[0].task_id))
    return draw(hidden, f"{row.task_id}: {hidden['direction']}, level {hidden['x_level']}")


def draw(item: dict[str, Any], title: str) -> Any:
    """The graph of one item: time runs down, a step's column is its longest chain of materials."""
    program = parse_text(item["answer"])
    producers, _ = references(program)
    flows = sorted(
        {
            (source, at)
            for at, step in enumerate(producers)
            for found in step.values()
            for source in (found if isinstance(found, tuple) else (found,))
            if source is not None
        }
    )
    depth = [0] * len(program.steps)
    for source, at in flows:
        depth[at] = max(depth[at], depth[source] + 1)
    stated = [(a, b) for a, b in item["x_precedence"] if (a, b) not in set(flows)]
    n = len(program.steps)
    figure = plotting.figure(width_mm=180, height_mm=18 + 8.5 * n)
    axes = figure.subplots()
    for a, b in stated:
        _arrow(axes, (depth[a], a), (depth[b], b), COLOURS["vermilion"], "--", 0.22)
    for a, b in flows:
        _arrow(axes, (depth[a], a), (depth[b], b), COLOURS["blue"], "-", -0.12)
    for at, step in enumerate(program.steps):
        named = [str(value) for key, value in step.arguments.items() if key == "label"]
        text = f"{at + 1}  {step.action}" + (f"\n{named[0]}" if named else "")
        axes.text(
            depth[at],
            at,
            text,
            fontsize=6,
            ha="center",
            va="center",
            bbox={
                "boxstyle": "round,pad=0.3",
                "facecolor": "white",
                "edgecolor": "#262626",
                "linewidth": 0.6,
            },
        )
    axes.set(xlim=(-0.7, max(depth) + 0.7), ylim=(n - 0.4, -0.6), title=title)
    axes.set_xticks(range(max(depth) + 1))
    axes.set_xlabel("materials made before, along the longest chain")
    axes.set_yticks(range(n), [str(at + 1) for at in range(n)])
    axes.set_ylabel("place in the only order")
    lines = (
        axes.plot([], [], color=COLOURS["blue"], label="material")[0],
        axes.plot([], [], color=COLOURS["vermilion"], linestyle="--", label="stated constraint")[0],
    )
    figure.legend(handles=lines, loc="outside lower left", ncols=2)
    return figure


def _arrow(axes: Any, start: Any, end: Any, colour: str, style: str, bend: float) -> None:
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "linestyle": style,
            "linewidth": 0.7,
            "shrinkA": 9,
            "shrinkB": 9,
            "connectionstyle": f"arc3,rad={bend}",
        },
    )

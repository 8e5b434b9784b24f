"""Training curves: a row a step, and a figure beside the published one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay import plotting
from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table

CURVE = Schema(
    "learning_curve",
    1,
    (
        Column("step", "int64", "updates of the weights so far, this one included"),
        Column("format", "float64", "share of the step's replies that have the form"),
        Column("novelty", "float64", "share that is new"),
        Column("soundness", "float64", "mean soundness", nullable=True),
        Column("total", "float64", "mean reward"),
        Column("length", "float64", "mean length of a reply", unit="tokens"),
        Column("loss", "float64", "as TRL reports it", nullable=True),
    ),
    key=("step",),
    doc="One row a step. Made on one machine: another may round otherwise.",
)

PUBLISHED = {
    "step": (1, 5, 30, 50, 100, 200, 300, 400, 500, 600, 700, 800, 945),
    "format": (0.75, 0.71, 0.91, 0.96, 0.99, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00),
    "novelty": (0.44, 0.34, 0.50, 0.55, 0.51, 0.63, 0.69, 0.73, 0.77, 0.77, 0.75, 0.81, 0.81),
}
"""Read off the figure of arXiv 2512.16969, smoothed, to 0.02."""

WINDOW = 10
"""Steps over which the figure's lines are averaged."""


def smoothed(values: Sequence[float], window: int = WINDOW) -> list[float]:
    """The mean of each value and those before it, as many as the window has."""
    return [
        math.fsum(values[max(0, at - window + 1) : at + 1]) / min(at + 1, window) for at in range(len(values))
    ]


def write(folder: Path, rows: Sequence[dict[str, Any]], title: str) -> None:
    """Write `curve.parquet` and `curve.svg`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(list(rows), folder / "curve.parquet", CURVE)
    with plotting.style():
        figure = drawn(rows)
        plotting.save_svg(
            figure,
            folder / "curve.svg",
            title=title,
            description=f"Rewards by step, means over {WINDOW} steps; beside them the published curve of "
            "another model on other prompts.",
        )


def drawn(rows: Sequence[dict[str, Any]]) -> Any:
    """The figure: rewards on the left, the published run on the right."""
    figure = plotting.figure(180, 75)
    own, published = figure.subplots(1, 2, sharey=True)
    steps = [row["step"] for row in rows]
    # Where two rewards are the same, both lines can be seen.
    shown = [("format", "form", "blue", "-", 2.4), ("novelty", "new", "orange", "--", 1.2)]
    if any(row["soundness"] is not None for row in rows):
        shown.append(("soundness", "sound", "green", "-", 1.2))
    for name, label, colour, line, width in shown:
        values = smoothed([row[name] or 0.0 for row in rows])
        own.plot(steps, values, line, color=plotting.COLOURS[colour], label=label, linewidth=width)
    own.set(xlabel="step", ylabel="mean reward", ylim=(-0.03, 1.03), title="this run")
    own.legend(loc="lower right")
    for name, label, colour, *_ in shown[:2]:
        published.plot(
            PUBLISHED["step"],
            PUBLISHED[name],
            "o-",
            color=plotting.COLOURS[colour],
            label=label,
            markersize=3,
        )
    published.set(xlabel="step", title="published: other model, other prompts")
    published.legend(loc="lower right")
    for axes in (own, published):
        axes.grid(axis="y")
    return figure

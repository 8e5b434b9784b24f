"""The data of a figure, read off the figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from assay import plotting
from assay.report.exports.drawn import marks
from assay.tables.reader import read_rows
from assay.tables.schemas.drawn import DRAWN
from assay.tables.writer import write_table


def drawn(draw: Any) -> list[dict[str, Any]]:
    with plotting.style():
        figure = plotting.figure()
        draw(figure.subplots())
        return list(marks(figure))


def test_lines_and_points_keep_their_values_and_names() -> None:
    def draw(axes: Any) -> None:
        axes.plot([1, 2], [3.5, np.nan], label="score")
        axes.plot([1], [2], marker="o", linestyle="none", label="mean")
        axes.set_xlabel("month")

    rows = drawn(draw)
    assert [(row["kind"], row["series"], row["x"], row["y"]) for row in rows] == [
        ("line", "score", 1.0, 3.5),
        ("line", "score", 2.0, None),
        ("points", "mean", 1.0, 2.0),
    ]
    assert {row["x_axis"] for row in rows} == {"month"}


def test_bars_carry_the_name_of_their_tick() -> None:
    def draw(axes: Any) -> None:
        axes.barh([0, 1], [0.25, 0.75])
        axes.set_yticks([0, 1], ["first", "second"])

    assert [(row["y_name"], row["x"], row["x_to"]) for row in drawn(draw)] == [
        ("first", 0.0, 0.25),
        ("second", 0.0, 0.75),
    ]


def test_cells_carry_their_value() -> None:
    rows = drawn(lambda axes: plotting.heatmap(axes, [[0.5, None]], ["r"], ["a", "b"], low=0, high=1))
    assert [(row["kind"], row["x_name"], row["value"]) for row in rows] == [
        ("cell", "a", 0.5),
        ("cell", "b", None),
    ]


def test_a_line_across_the_panel_has_a_value_on_one_axis_only() -> None:
    rows = drawn(lambda axes: axes.axhline(0.33))
    assert [(row["x"], row["y"]) for row in rows] == [(None, 0.33), (None, 0.33)]


def test_what_is_hidden_or_written_is_no_data() -> None:
    def draw(axes: Any) -> None:
        axes.plot([1], [1], visible=False)
        axes.text(0.5, 0.5, "a remark")

    assert drawn(draw) == []


def test_the_rows_fit_their_schema(tmp_path: Path) -> None:
    rows = drawn(lambda axes: axes.scatter([1, 2], [3, 4], c=[0.1, 0.2]))
    write_table(rows, tmp_path / "t.parquet", DRAWN)
    assert [row["value"] for row in read_rows(tmp_path / "t.parquet", DRAWN)] == [0.1, 0.2]

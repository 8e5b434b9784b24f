"""Extracts the data of a figure from its matplotlib objects, so that data and figure always agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Polygon, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter
from numpy.ma import masked

Point = tuple[Any, Any, Any, Any, Any]
"""The columns `x`, `y`, `x_to`, `y_to` and `value` of a row of the table `drawn`."""


def marks(figure: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table `drawn` of a matplotlib figure, in the order of its artists.

    Only marks in data coordinates are read. Texts, arrows and marks in page coordinates are left out.
    """
    for panel, axes in enumerate(figure.axes):
        names = [_ticks(axis) for axis in (axes.xaxis, axes.yaxis)]
        number = 0
        for artist in axes.get_children():
            if artist is axes.patch or not artist.get_visible():
                continue
            kind, points = _read(artist)
            drawn = list(points)
            if not drawn:
                continue
            of_data = artist.get_transform().contains_branch_seperately(axes.transData)
            if isinstance(artist, PathCollection):
                of_data = artist.get_offset_transform().contains_branch_seperately(axes.transData)
            if not any(of_data):
                continue
            label = str(artist.get_label())
            for at, (x, y, x_to, y_to, value) in enumerate(drawn):
                x, x_to = (_finite(x), _finite(x_to)) if of_data[0] else (None, None)
                y, y_to = (_finite(y), _finite(y_to)) if of_data[1] else (None, None)
                yield {
                    "panel": panel,
                    "mark": number,
                    "point": at,
                    "title": axes.get_title() or axes.get_title(loc="left"),
                    "kind": kind,
                    "series": "" if label.startswith("_") else label,
                    "x": x,
                    "y": y,
                    "x_to": x_to,
                    "y_to": y_to,
                    "value": _finite(value),
                    "x_name": _name(names[0], x, x_to),
                    "y_name": _name(names[1], y, y_to),
                    "x_axis": axes.get_xlabel(),
                    "y_axis": axes.get_ylabel(),
                }
            number += 1


def _read(artist: Any) -> tuple[str, Iterable[Point]]:
    if type(artist).__name__ == "Line2D" and artist.get_linestyle() in ("None", "none", "", " "):
        return "points", _line(artist)
    for kind, name, read in _READERS:
        if isinstance(artist, kind):
            return name, read(artist)
    return "", ()


def _line(line: Any) -> Iterator[Point]:
    return ((x, y, None, None, None) for x, y in line.get_xydata())


def _scatter(points: Any) -> Iterator[Point]:
    values = points.get_array()
    for at, (x, y) in enumerate(points.get_offsets()):
        yield x, y, None, None, None if values is None else values[at % len(values)]


def _segments(lines: Any) -> Iterator[Point]:
    return ((x, y, None, None, None) for segment in lines.get_segments() for x, y in segment)


def _areas(polygons: Any) -> Iterator[Point]:
    return ((x, y, None, None, None) for path in polygons.get_paths() for x, y in path.vertices)


def _bar(rectangle: Any) -> Iterator[Point]:
    x, y = rectangle.get_xy()
    yield x, y, x + rectangle.get_width(), y + rectangle.get_height(), None


def _outline(patch: Any) -> Iterator[Point]:
    return ((x, y, None, None, None) for x, y in patch.get_path().vertices)


def _cells(mesh: Any) -> Iterator[Point]:
    corners = mesh.get_coordinates()
    values = mesh.get_array().reshape(corners.shape[0] - 1, corners.shape[1] - 1)
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            (x, y), (x_to, y_to) = corners[i, j], corners[i + 1, j + 1]
            yield x, y, x_to, y_to, value


_READERS: tuple[tuple[type, str, Callable[[Any], Iterable[Point]]], ...] = (
    (Line2D, "line", _line),
    (QuadMesh, "cell", _cells),
    (PathCollection, "points", _scatter),
    (LineCollection, "line", _segments),
    (PolyCollection, "area", _areas),
    (Rectangle, "bar", _bar),
    (Polygon, "area", _outline),
    (PathPatch, "area", _outline),
)


def _ticks(axis: Any) -> dict[float, str]:
    """The tick labels of an axis by position. Empty if the axis has numeric ticks."""
    named = axis.get_major_formatter()
    if not isinstance(axis.get_major_locator(), FixedLocator) or not isinstance(named, FuncFormatter):
        return {}
    return {round(float(at), 6): str(named(at, i)) for i, at in enumerate(axis.get_majorticklocs())}


def _name(names: dict[float, str], value: float | None, to: float | None) -> str:
    """The tick label at a position or, for a bar, at its middle. Empty if there is none."""
    if value is None:
        return ""
    middle = value if to is None else (value + to) / 2
    return names.get(round(value, 6), "") or names.get(round(middle, 6), "")


def _finite(value: Any) -> float | None:
    if value is masked:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number + 0.0 if math.isfinite(number) else None

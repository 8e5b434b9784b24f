"""Drawing a scene: each kind of panel on its part of a canvas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import matplotlib

from assay import plotting
from assay.suites.sgi.reasoning.canvas import INK, Canvas, Pixels
from assay.suites.sgi.reasoning.panels import (
    COLOURS,
    HEIGHT,
    NAMES,
    STREAMS,
    UNITS,
    WIDTH,
    Axis,
    Box,
    Image,
    Panel,
    box,
    colour_bar,
    fraction,
)

FIELD = "#f0eee6"
"""The ground of a field of objects."""

BAND = "#303030"
BAR_COLOUR = "#000000"
MARK = "#d55e00"
GRID = "#d5d5d5"


def drawn(image: Image) -> Pixels:
    """The picture of an image's panels side by side."""
    canvas = Canvas(WIDTH * len(image), HEIGHT)
    for at, panel in enumerate(image):
        _DRAW[panel["kind"]](canvas, panel, at)
        left = box(at, panel["kind"])[0]
        canvas.text(left, 325, panel["title"], across=0, size=9)
    return canvas.pixels()


def shade(share: float) -> str:
    """The colour of a value at this fraction of a colour bar."""
    return _shades()[min(max(round(share * 255), 0), 255)]


@lru_cache
def _shades() -> list[str]:
    table: Any = matplotlib.colormaps[plotting.SEQUENTIAL]
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue, _ in table(range(256), bytes=True)]


def shown(value: float) -> str:
    """A number as ticks and labels have it."""
    return f"{value:.6g}"


def tick_places(axis: Axis, low: int, high: int) -> list[tuple[int, str]]:
    """Of each labelled tick the pixel between the ends of its axis, and its label."""
    return [(round(low + fraction(axis, t) * (high - low)), shown(t)) for t in axis["ticks"]]


def _frame(canvas: Canvas, at: Box, x: Axis | None, y: Axis | None) -> None:
    left, bottom, right, top = at
    canvas.line([(left, top), (left, bottom), (right, bottom)])
    if x is not None:
        for place, label in tick_places(x, left, right):
            canvas.line([(place, bottom), (place, bottom - 5)])
            canvas.text(place, bottom - 17, label)
        for place in _minor(x, left, right):
            canvas.line([(place, bottom), (place, bottom - 3)])
        canvas.text((left + right) / 2, bottom - 34, x["label"])
    if y is not None:
        for place, label in tick_places(y, bottom, top):
            canvas.line([(left, place), (left - 5, place)])
            canvas.text(left - 8, place - 3, label, across=1)
        for place in _minor(y, bottom, top):
            canvas.line([(left, place), (left - 3, place)])
        canvas.text(left - 42, (bottom + top) / 2, y["label"], upright=True)


def _minor(axis: Axis, low: int, high: int) -> list[int]:
    if axis["log"]:
        return []
    count = round((axis["high"] - axis["low"]) / axis["minor"])
    return [round(low + k / count * (high - low)) for k in range(count + 1)]


def _legend(canvas: Canvas, at: Box, names: list[str]) -> None:
    for k, name in enumerate(names):
        left = at[2] - 52 * (len(names) - k)
        canvas.rectangle(left, 318, left + 12, 322, COLOURS[NAMES.index(name)])
        canvas.text(left + 17, 315, name, across=0)


def _curves(canvas: Canvas, panel: Panel, place: int) -> None:
    at = box(place, panel["kind"])
    left, bottom, right, top = at
    canvas.clip((left, bottom, right, top + 2))
    for series in panel["series"]:
        colour = COLOURS[NAMES.index(series["name"])]
        points = [
            (
                left + fraction(panel["x"], x) * (right - left),
                bottom + fraction(panel["y"], y) * (top - bottom),
            )
            for x, y in zip(series["x"], series["y"], strict=True)
        ]
        if series["style"] == "points":
            for x, y in points:
                canvas.disc(x, y, 3, colour)
            continue
        if series["style"] == "step":
            points = [p for a, b in pairwise(points) for p in (a, (b[0], a[1]))] + [points[-1]]
        canvas.line(points, colour, 1.6)
    canvas.clip(None)
    if panel["kind"] == "curves":
        _frame(canvas, at, panel["x"], panel["y"])
        _legend(canvas, at, [series["name"] for series in panel["series"]])


def _scope(canvas: Canvas, panel: Panel, place: int) -> None:
    left, bottom, right, top = box(place, "scope")
    for k in range(11):
        x = left + k * (right - left) / 10
        canvas.line([(x, bottom), (x, top)], GRID)
    for k in range(9):
        y = bottom + k * (top - bottom) / 8
        canvas.line([(left, y), (right, y)], GRID)
    _curves(canvas, panel, place)
    across, up = (panel[a]["high"] - panel[a]["low"] for a in ("x", "y"))
    canvas.text(left, 30, shown(across / 10), across=0)
    canvas.text(left + 50, 30, f"{panel['x']['label']} / division", across=0)
    canvas.text(left, 14, shown(up / 8), across=0)
    canvas.text(left + 50, 14, f"{panel['y']['label']} / division; the middle line is 0", across=0)


def _bars(canvas: Canvas, panel: Panel, place: int) -> None:
    at = box(place, "bars")
    left, bottom, right, top = at
    y = panel["y"]
    for g, group in enumerate(panel["groups"]):
        for s, series in enumerate(panel["series"]):
            low, high = bar_edges(left, right, g, len(panel["groups"]), s, len(panel["series"]))
            up = bottom + fraction(y, series["values"][g]) * (top - bottom)
            canvas.rectangle(low, bottom, high, up, COLOURS[NAMES.index(series["name"])])
            ends = [
                bottom + fraction(y, series["values"][g] + sign * series["errors"][g]) * (top - bottom)
                for sign in (-1, 1)
            ]
            middle = (low + high) / 2
            canvas.line([(middle, ends[0]), (middle, ends[1])], INK)
            for end in ends:
                canvas.line([(middle - 3, end), (middle + 3, end)], INK)
        low, high = bar_edges(left, right, g, len(panel["groups"]), 0, 1)
        canvas.text((low + high) / 2, bottom - 17, group)
    _frame(canvas, at, None, y)
    _legend(canvas, at, [series["name"] for series in panel["series"]])


def bar_edges(left: int, right: int, group: int, groups: int, series: int, several: int) -> tuple[int, int]:
    """The left and right edge in pixels of one bar; the groups share the width evenly."""
    wide = (right - left) // groups
    start = left + group * wide + wide // 8
    each = (wide - wide // 4) // several
    return start + series * each, start + (series + 1) * each - 2


def span_height(row: int, rows: int, bottom: int, top: int) -> int:
    """The pixel in the middle of a row of spans, the first on top."""
    return top - (2 * row + 1) * (top - bottom) // (2 * rows)


def _spans(canvas: Canvas, panel: Panel, place: int) -> None:
    at = box(place, "spans")
    left, bottom, right, top = at
    x = panel["x"]
    for r, row in enumerate(panel["rows"]):
        y = span_height(r, len(panel["rows"]), bottom, top)
        low, high = (left + fraction(x, row[end]) * (right - left) for end in ("low", "high"))
        thick = 2 if "mark" in row else 6
        canvas.rectangle(low, y - thick, high, y + thick, COLOURS[0])
        if "mark" in row:
            middle = left + fraction(x, row["mark"]) * (right - left)
            canvas.rectangle(middle - 2, y - 5, middle + 2, y + 5, MARK)
        canvas.text(left - 8, y - 3, row["name"], across=1)
    _frame(canvas, at, x, None)


def _objects(canvas: Canvas, panel: Panel, place: int) -> None:
    left, bottom, right, top = box(place, "objects")
    canvas.rectangle(left, bottom, right, top, panel.get("ground", FIELD))
    scale = (right - left) / panel["width"]
    for one in panel["objects"]:
        colour = COLOURS[NAMES.index(one["species"])]
        canvas.disc(left + one["x"] * scale, bottom + one["y"] * scale, one["r"] * scale, colour)
    canvas.rectangle(left, 24, left + panel["bar"] * scale, 28, BAR_COLOUR)
    canvas.text(left, 8, shown(panel["bar"]), across=0)
    canvas.text(left + 40, 8, panel["unit"], across=0)
    species = sorted({one["species"] for one in panel["objects"]})
    _legend(canvas, (left, bottom, right, top), species)


def _gel(canvas: Canvas, panel: Panel, place: int) -> None:
    left, bottom, right, top = box(place, "gel")
    canvas.rectangle(left, bottom, right, top, "#e8e8f0")
    lanes = [{"name": "L", "bands": panel["ladder"]}, *panel["lanes"]]
    for k, lane in enumerate(lanes):
        low, high = bar_edges(left, right, k, len(lanes), 0, 1)
        for size in lane["bands"]:
            y = bottom + fraction(panel["y"], size) * (top - bottom)
            canvas.rectangle(low, y - 2, high, y + 2, BAND)
        canvas.text((low + high) / 2, bottom - 17, lane["name"])
    for size in panel["ladder"]:
        y = round(bottom + fraction(panel["y"], size) * (top - bottom))
        canvas.text(left - 8, y - 4, shown(size), across=1)
    canvas.text(left - 48, (bottom + top) / 2, panel["y"]["label"], upright=True)


def _heat(canvas: Canvas, panel: Panel, place: int) -> None:
    at = box(place, "heat")
    left, bottom, right, top = at
    rows, columns = len(panel["cells"]), len(panel["cells"][0])
    wide, high = (right - left) / columns, (top - bottom) / rows
    for r, row in enumerate(panel["cells"]):
        for c, value in enumerate(row):
            colour = shade(fraction(panel["value"], value))
            x, y = left + c * wide, bottom + r * high
            if panel["wells"]:
                canvas.disc(x + wide / 2, y + high / 2, min(wide, high) * 0.42, colour)
            else:
                canvas.rectangle(round(x), round(y), round(x + wide), round(y + high), colour)
    _frame(canvas, at, panel["x"], panel["y"])
    low, foot, end, head = colour_bar(place)
    for k in range(head - foot):
        canvas.rectangle(low, foot + k, end, foot + k + 1, shade((k + 0.5) / (head - foot)))
    for pixel, label in tick_places(panel["value"], foot, head):
        canvas.line([(end, pixel), (end + 4, pixel)])
        canvas.text(end + 7, pixel - 3, label, across=0)
    canvas.text((low + end) / 2, 309, panel["value"]["label"])


def _flow(canvas: Canvas, panel: Panel, place: int) -> None:
    left = place * WIDTH
    for name, (x, y) in UNITS.items():
        box_of = [(x - 30, y - 30), (x + 30, y - 30), (x + 30, y + 30), (x - 30, y + 30)]
        canvas.area([(left + a, b) for a, b in box_of], "#dce9f5", INK)
        canvas.text(left + x, y - 4, f"unit {name}")
    for name, rate in panel["streams"].items():
        (x0, y0, x1, y1), (x, y) = STREAMS[name]
        canvas.line([(left + x0, y0), (left + x1, y1)], INK, 1.2)
        # Arrows run along an axis: the head is a triangle of 8 pixels.
        ahead = (8 * ((x1 > x0) - (x1 < x0)), 8 * ((y1 > y0) - (y1 < y0)))
        aside = (ahead[1] / 2, ahead[0] / 2)
        foot = (x1 - ahead[0], y1 - ahead[1])
        canvas.area(
            [
                (left + x1, y1),
                (left + foot[0] + aside[0], foot[1] + aside[1]),
                (left + foot[0] - aside[0], foot[1] - aside[1]),
            ],
            INK,
        )
        canvas.text(left + x, y, shown(rate))
        upright = x0 == x1
        above = 0 if upright else 14 if y > y0 else -14
        canvas.text(left + x - (44 if upright else 0), y + above, name, colour="#777777")
    canvas.text(left + 20, 14, f"rates in {panel['unit']}", across=0)


_DRAW: Mapping[str, Callable[[Canvas, Panel, int], None]] = {
    "curves": _curves,
    "scope": _scope,
    "bars": _bars,
    "spans": _spans,
    "objects": _objects,
    "gel": _gel,
    "heat": _heat,
    "flow": _flow,
}

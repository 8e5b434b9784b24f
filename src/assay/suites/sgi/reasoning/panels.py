"""What a figure is made of: panels as plain data, and where their parts lie in pixels.

A scene is a list of images, an image a list of one or two panels, a panel a JSON object. Its `kind` is

* `curves`: `x` and `y` axes; `series` of a name, `x`, `y` and a style (line, step or points);
* `scope`: the same without labelled ticks: ten by eight divisions, whose worth is printed;
* `bars`: a `y` axis, `groups` (names), `series` of a name, `values` and `errors`;
* `spans`: an `x` axis, `rows` of a name, `low`, `high` and perhaps a `mark` in between;
* `objects`: a field of `width` units, `objects` of `x`, `y`, `r` and a `species`, a scale `bar` in a `unit`;
* `gel`: a `ladder` of sizes, `lanes` of a name and `bands` (sizes);
* `heat`: `x` and `y` axes, a `value` axis (the colour bar), `cells` in rows from the bottom; perhaps `wells`;
* `flow`: numbered `streams`, each with a rate, on a fixed drawing.

An axis has `low`, `high`, `ticks`, `minor`, a `label` and perhaps `log`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.numbers import portable

Panel = Mapping[str, Any]
Image = list[dict[str, Any]]
Axis = Mapping[str, Any]
Box = tuple[int, int, int, int]

HEIGHT = 340
WIDTH = 430
"""Pixels of one panel with all that belongs to it."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Of series, species and marks, in the order of their names."""

NAMES = ("A", "B", "C", "D")


def box(panel: int, kind: str) -> Box:
    """Left, bottom, right and top of the frame of a panel, counted from 0."""
    left = panel * WIDTH
    if kind in ("objects", "flow"):
        return left + 20, 40, left + 410, 300
    return left + 62, 50, left + (362 if kind == "heat" else 412), 300


def colour_bar(panel: int) -> Box:
    """The frame of the colour bar of a `heat` panel."""
    left = panel * WIDTH
    return left + 374, 50, left + 388, 300


def axis(low: float, high: float, step: float, label: str, *, minors: int = 10) -> dict[str, Any]:
    """A linear axis with ticks every `step` from `low` to `high`."""
    count = round((high - low) / step)
    ticks = [round(low + k * step, 10) for k in range(count + 1)]
    return {"low": low, "high": high, "ticks": ticks, "minor": step / minors, "label": label, "log": False}


def log_axis(low: float, high: float, ticks: list[float], label: str) -> dict[str, Any]:
    """A logarithmic axis."""
    return {"low": low, "high": high, "ticks": ticks, "minor": 0.0, "label": label, "log": True}


def fraction(axis_of: Axis, value: float) -> float:
    """How far along an axis a value lies, from 0 to 1."""
    low, high = axis_of["low"], axis_of["high"]
    if axis_of["log"]:
        return (portable.log(value) - portable.log(low)) / (portable.log(high) - portable.log(low))
    return float((value - low) / (high - low))


def value_at(axis_of: Axis, share: float) -> float:
    """The value at a fraction of an axis."""
    low, high = axis_of["low"], axis_of["high"]
    if axis_of["log"]:
        a, b = portable.log(low), portable.log(high)
        return portable.exp(a + share * (b - a))
    return float(low + share * (high - low))


def resolution(axis_of: Axis, pixels: int, at: float) -> float:
    """How finely an axis can be read at a value: one pixel, or half a minor tick if that is more."""
    if axis_of["log"]:
        step = (portable.log(axis_of["high"]) - portable.log(axis_of["low"])) / pixels
        return at * step
    return float(max((axis_of["high"] - axis_of["low"]) / pixels, axis_of["minor"] / 2))


STREAMS: Mapping[str, tuple[tuple[float, float, float, float], tuple[float, float]]] = {
    "F1": ((30, 180, 85, 180), (57, 188)),
    "F2": ((145, 180, 205, 180), (175, 188)),
    "F3": ((265, 200, 325, 200), (295, 208)),
    "F4": ((325, 160, 265, 160), (295, 144)),
    "F5": ((235, 150, 235, 80), (262, 110)),
    "F6": ((355, 150, 355, 80), (382, 110)),
    "F7": ((115, 80, 115, 150), (142, 110)),
}
"""Of each stream: its arrow, and where the middle of its number stands, within the panel.

F1 feeds unit 1, F2 goes from 1 to 2, F3 from 2 to 3; F4 is a recycle from 3 to 2; F5 and F6 leave 2 and 3;
F7 enters unit 1 from below.
"""

UNITS: Mapping[str, tuple[float, float]] = {"1": (115, 180), "2": (235, 180), "3": (355, 180)}
"""The middles of the boxes, 60 wide and 60 high."""

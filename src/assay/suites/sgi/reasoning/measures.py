"""What can be read off a scene: each measure has a name, a place, and arguments.

The same functions read the true scene (for the reference), the scene that a table holds, and the scene that
was recovered from pixels. A measure is a list: name, image, panel (both from 0), then its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.suites.sgi.reasoning.panels import Axis, Image, Panel, box, colour_bar, resolution

Scene = Sequence[Image]
How = Sequence[Any]


WHOLE = 1 / 6
"""The tolerance of a count: it is right or wrong, and options may be half a count apart."""


class Unreadable(Exception):
    """A measure that a scene does not allow; the text says why."""


@dataclass(frozen=True)
class Measured:
    """A value, how finely it can be read (`tol`), and the distance of labelled ticks there (0: no axis)."""

    value: float
    tol: float
    tick: float = 0.0


def measured(scene: Scene, how: How) -> Measured:
    """The value of a measure; `Unreadable` where the scene has no such thing."""
    name, image, panel, *rest = how
    try:
        return MEASURES[name](scene[image][panel], *rest)
    except (KeyError, IndexError, ValueError, ZeroDivisionError, TypeError) as problem:
        raise Unreadable(f"{name} in panel {image + 1}.{panel + 1}: {problem!r}") from problem


def _along(panel: Panel, which: str, value: float) -> Measured:
    axis: Axis = panel[which]
    if which == "value":
        _, low, _, high = colour_bar(0)
    else:
        left, bottom, right, top = box(0, panel["kind"])
        low, high = (left, right) if which == "x" else (bottom, top)
    ticks = axis["ticks"]
    step = ticks[1] - ticks[0] if len(ticks) > 1 and not axis["log"] else 0.0
    return Measured(value, resolution(axis, high - low, value), step)


def _series(panel: Panel, name: str) -> tuple[list[float], list[float]]:
    found = next(series for series in panel["series"] if series["name"] == name)
    if len(found["x"]) < 2:
        raise ValueError("no curve")
    return list(found["x"]), list(found["y"])


def _style(panel: Panel, name: str) -> str:
    return str(next(series for series in panel["series"] if series["name"] == name)["style"])


def _peak_x(panel: Panel, name: str) -> Measured:
    xs, ys = _series(panel, name)
    high = max(ys)
    # The middle of a flat top, as a picture has it.
    top = [x for x, y in zip(xs, ys, strict=True) if y >= high - 1e-9 * max(abs(high), 1)]
    return _along(panel, "x", (top[0] + top[-1]) / 2)


def _peak_y(panel: Panel, name: str) -> Measured:
    return _along(panel, "y", max(_series(panel, name)[1]))


def _y_at(panel: Panel, name: str, at: float) -> Measured:
    xs, ys = _series(panel, name)
    if _style(panel, name) == "points":
        return _along(panel, "y", min(zip(xs, ys, strict=True), key=lambda point: abs(point[0] - at))[1])
    for (x0, y0), (x1, y1) in zip(zip(xs, ys, strict=True), zip(xs[1:], ys[1:], strict=True), strict=False):
        if x0 <= at <= x1:
            share = 0.0 if _style(panel, name) == "step" and at < x1 else (at - x0) / ((x1 - x0) or 1)
            return _along(panel, "y", y0 + share * (y1 - y0))
    # A recovered curve may end a pixel early.
    near = min(zip(xs, ys, strict=True), key=lambda point: abs(point[0] - at))
    return _along(panel, "y", near[1])


def _crossings(xs: list[float], ys: list[float], level: float) -> list[tuple[float, bool]]:
    """Where a line passes a level, and whether upwards."""
    found = []
    for k in range(len(xs) - 1):
        if (ys[k] < level) != (ys[k + 1] < level):
            share = (level - ys[k]) / (ys[k + 1] - ys[k])
            found.append((xs[k] + share * (xs[k + 1] - xs[k]), ys[k] < level))
    return found


def _crossing(panel: Panel, name: str, level: float) -> Measured:
    xs, ys = _series(panel, name)
    return _along(panel, "x", _crossings(xs, ys, level)[0][0])


def _fall(panel: Panel, name: str, percent: float) -> Measured:
    xs, ys = _series(panel, name)
    return _along(panel, "x", next(x for x, y in zip(xs, ys, strict=True) if y <= percent / 100))


def _period(panel: Panel, name: str) -> Measured:
    xs, ys = _series(panel, name)
    up = [x for x, rises in _crossings(xs, ys, (max(ys) + min(ys)) / 2) if rises]
    found = _along(panel, "x", (up[-1] - up[0]) / (len(up) - 1))
    return Measured(found.value, found.tol / (len(up) - 1), found.tick)


def _amplitude(panel: Panel, name: str) -> Measured:
    ys = _series(panel, name)[1]
    return _along(panel, "y", (max(ys) - min(ys)) / 2)


def _offset(panel: Panel, name: str) -> Measured:
    ys = _series(panel, name)[1]
    return _along(panel, "y", (max(ys) + min(ys)) / 2)


def _bar(panel: Panel, name: str, group: str) -> Measured:
    found = next(series for series in panel["series"] if series["name"] == name)
    return _along(panel, "y", found["values"][panel["groups"].index(group)])


def _error(panel: Panel, name: str, group: str) -> Measured:
    found = next(series for series in panel["series"] if series["name"] == name)
    return _along(panel, "y", found["errors"][panel["groups"].index(group)])


def _end(end: str) -> Callable[..., Measured]:
    def read(panel: Panel, name: str) -> Measured:
        return _along(panel, "x", next(row for row in panel["rows"] if row["name"] == name)[end])

    return read


def _of(panel: Panel, species: str) -> list[Mapping[str, Any]]:
    return [one for one in panel["objects"] if one["species"] == species]


def _count(panel: Panel, species: str) -> Measured:
    return Measured(float(len(_of(panel, species))), WHOLE)


def _count_left(panel: Panel, species: str) -> Measured:
    return Measured(float(sum(one["x"] < panel["width"] / 2 for one in _of(panel, species))), WHOLE)


def _pixel(panel: Panel) -> float:
    left, _, right, _ = box(0, "objects")
    return float(panel["width"] / (right - left))


def _field_width(panel: Panel) -> Measured:
    return Measured(float(panel["width"]), 2 * _pixel(panel))


def _diameter(panel: Panel, species: str) -> Measured:
    found = _of(panel, species)
    # A mean over several is known to less than a pixel.
    return Measured(2 * math.fsum(one["r"] for one in found) / len(found), _pixel(panel) / 2)


def _x_of(panel: Panel, species: str) -> Measured:
    return Measured(float(_of(panel, species)[0]["x"]), _pixel(panel))


def _largest_x(panel: Panel, species: str) -> Measured:
    return Measured(float(max(_of(panel, species), key=lambda one: one["r"])["x"]), _pixel(panel))


def _band(panel: Panel, lane: str, number: int) -> Measured:
    bands = sorted(next(one for one in panel["lanes"] if one["name"] == lane)["bands"], reverse=True)
    return _along(panel, "y", bands[number])


def _cell(panel: Panel, column: float, row: float) -> Measured:
    return _along(panel, "value", panel["cells"][int(row) - 1][int(column) - 1])


def _hottest(panel: Panel) -> Measured:
    return _along(panel, "value", max(max(row) for row in panel["cells"]))


def _hottest_x(panel: Panel) -> Measured:
    column = max(
        ((value, c) for row in panel["cells"] for c, value in enumerate(row)), key=lambda pair: pair[0]
    )[1]
    x, columns = panel["x"], len(panel["cells"][0])
    wide = (x["high"] - x["low"]) / columns
    return Measured(x["low"] + (column + 0.5) * wide, wide / 3, wide)


def _column_mean(panel: Panel, column: float) -> Measured:
    values = [row[int(column) - 1] for row in panel["cells"]]
    return _along(panel, "value", math.fsum(values) / len(values))


def _rate(panel: Panel, stream: str) -> Measured:
    return Measured(float(panel["streams"][stream]), 0.5)


MEASURES: Mapping[str, Callable[..., Measured]] = {
    "peak_x": _peak_x,
    "peak_y": _peak_y,
    "y_at": _y_at,
    "crossing": _crossing,
    "fall": _fall,
    "period": _period,
    "amplitude": _amplitude,
    "offset": _offset,
    "bar": _bar,
    "error": _error,
    "low": _end("low"),
    "high": _end("high"),
    "mark": _end("mark"),
    "count": _count,
    "count_left": _count_left,
    "field_width": _field_width,
    "diameter": _diameter,
    "x_of": _x_of,
    "largest_x": _largest_x,
    "band": _band,
    "cell": _cell,
    "hottest": _hottest,
    "hottest_x": _hottest_x,
    "column_mean": _column_mean,
    "rate": _rate,
}

"""From pixels back to a scene: segmentation by colour, and axes calibrated by the numbers at their ticks.

What is taken as known is the layout of a kind of panel (where its frame is, the order of colours), as someone
knows it who has seen such figures before. No number of the scene is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from assay.numbers import portable
from assay.suites.sgi.reasoning.canvas import Pixels
from assay.suites.sgi.reasoning.digits import darkness, read_number
from assay.suites.sgi.reasoning.panels import (
    COLOURS,
    HEIGHT,
    NAMES,
    STREAMS,
    Box,
    Image,
    box,
    colour_bar,
    value_at,
)

Mask = NDArray[np.bool_]

NEAR = 24
"""How far a channel may be from a colour: a pixel that is mostly of it."""


def recovered(pixels: Pixels, kinds: Sequence[str]) -> Image:
    """The panels of a picture; what cannot be seen is missing from them."""
    return [_panel(pixels, at, kind) for at, kind in enumerate(kinds)]


def _panel(pixels: Pixels, place: int, kind: str) -> dict[str, Any]:
    try:
        return _RECOVER[kind](pixels, place)
    except (ValueError, IndexError, ZeroDivisionError):  # no axis, no scale bar, no ladder
        return {"kind": kind}


def _mask(pixels: Pixels, colour: str, near: int = NEAR) -> Mask:
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    close: Mask = (np.abs(pixels.astype(np.int64) - np.array(wanted)) <= near).all(axis=2)
    return close


def _nearest_colour(part: Pixels) -> NDArray[np.int64]:
    """Of each pixel the nearest colour, -1 for the ground: a rim pixel is of its larger half."""
    ground = part[2, 2].astype(np.int64)
    wanted = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in COLOURS]
    away = [((part.astype(np.int64) - np.array(one)) ** 2).sum(axis=2) for one in [ground, *wanted]]
    nearest: NDArray[np.int64] = np.argmin(np.stack(away), axis=0).astype(np.int64) - 1
    return nearest


def _inside(pixels: Pixels, frame: Box) -> Pixels:
    """The part of a picture within a frame, row 0 on top."""
    left, bottom, right, top = frame
    return pixels[HEIGHT - top : HEIGHT - bottom, left:right]


def _runs(dark: NDArray[np.int64]) -> list[tuple[int, int]]:
    """First and last of each run of neighbouring numbers."""
    if not len(dark):
        return []
    parts = np.split(dark, np.flatnonzero(np.diff(dark) > 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts]


# ------------------------------------------------------------ axes


def _calibrated(
    places: Sequence[float], values: Sequence[float | None], low: float, high: float
) -> dict[str, Any]:
    """The axis through labelled ticks: linear, or logarithmic where that fits better.

    The two ticks that are farthest apart and agree with most others decide, so that a misread label does not.
    """
    known = [(p, v) for p, v in zip(places, values, strict=True) if v is not None]
    best: tuple[int, float, float, float] | None = None
    for a, (p, v) in enumerate(known):
        for q, w in known[a + 1 :]:
            if p == q or v == w:
                continue
            slope = (w - v) / (q - p)
            agree = sum(abs(v + slope * (x - p) - y) <= 1.5 * abs(slope) for x, y in known)
            if best is None or (agree, abs(q - p)) > (best[0], best[1]):
                best = (agree, abs(q - p), slope, v - slope * p)
    if best is None:
        raise ValueError("no axis")
    _, _, slope, start = best
    ticks = sorted(v for _, v in known)
    return {
        "low": start + slope * low,
        "high": start + slope * high,
        "ticks": ticks,
        "minor": 0.0,
        "log": False,
    }


def _x_axis(pixels: Pixels, frame: Box) -> dict[str, Any]:
    left, bottom, right, _ = frame
    ink = darkness(pixels)
    row = HEIGHT - bottom + 4  # below the minor ticks, above the labels
    dark = np.flatnonzero(ink[row, left - 3 : right + 4] > 90) + left - 3
    ticks = [(a + b) / 2 for a, b in _runs(dark)]
    values = [
        read_number(ink[:, max(round(t) - 20, 0) : round(t) + 21], HEIGHT - (bottom - 17)) for t in ticks
    ]
    return _calibrated(ticks, values, left, right)


def _y_axis(pixels: Pixels, frame: Box) -> dict[str, Any]:
    left, bottom, _, top = frame
    ink = darkness(pixels)
    rows = np.flatnonzero(ink[HEIGHT - top - 3 : HEIGHT - bottom + 3, left - 5] > 90) + HEIGHT - top - 3
    ticks = [HEIGHT - (a + b) / 2 for a, b in _runs(rows)]
    values = [read_number(ink[:, left - 38 : left - 6], HEIGHT - (int(t) - 3)) for t in ticks]
    return _calibrated(ticks, values, bottom, top)


# ------------------------------------------------------------ kinds of panels


def _traces(pixels: Pixels, frame: Box, x: Mapping[str, Any], y: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of each colour the line: in every column the middle of its pixels."""
    left, bottom, right, top = frame
    part = _inside(pixels, frame)
    found = []
    for name, colour in zip(NAMES, COLOURS, strict=True):
        mask = _mask(part, colour)
        xs, ys = [], []
        for column in np.flatnonzero(mask.any(axis=0)):
            runs = _runs(np.flatnonzero(mask[:, column]))
            first, last = max(runs, key=lambda run: run[1] - run[0])
            height = (top - bottom) - (first + last + 1) / 2
            xs.append(value_at(x, (int(column) + 0.5) / (right - left)))
            ys.append(value_at(y, height / (top - bottom)))
        if len(xs) > 20:
            found.append({"name": name, "style": "line", "x": xs, "y": ys})
    return found


def _curves(pixels: Pixels, place: int) -> dict[str, Any]:
    frame = box(place, "curves")
    x, y = _x_axis(pixels, frame), _y_axis(pixels, frame)
    return {"kind": "curves", "x": x, "y": y, "series": _traces(pixels, frame, x, y)}


def _scope(pixels: Pixels, place: int) -> dict[str, Any]:
    frame = box(place, "scope")
    ink = darkness(pixels)
    across, up = (
        read_number(ink[:, frame[0] - 2 : frame[0] + 44], HEIGHT - base) or 0.0 for base in (30, 14)
    )
    x = {"low": 0.0, "high": 10 * across, "ticks": [0.0, across], "minor": 0.0, "log": False}
    y = {"low": -4 * up, "high": 4 * up, "ticks": [0.0, up], "minor": 0.0, "log": False}
    return {"kind": "scope", "x": x, "y": y, "series": _traces(pixels, frame, x, y)}


def _bars(pixels: Pixels, place: int) -> dict[str, Any]:
    """Bars from left to right; a group ends where the first colour comes again."""
    frame = box(place, "bars")
    _, bottom, _, top = frame
    y = _y_axis(pixels, frame)
    part = _inside(pixels, frame)
    series = []
    for name, colour in zip(NAMES, COLOURS, strict=True):
        mask = _mask(part, colour)
        foot = mask[-4]
        values = []
        for first, last in _runs(np.flatnonzero(foot)):
            if last - first < 4:
                continue
            column = np.flatnonzero(mask[:, first + 2])
            values.append(value_at(y, ((top - bottom) - int(column[0])) / (top - bottom)))
        if values:
            series.append({"name": name, "values": values, "errors": [0.0] * len(values)})
    groups = [f"g{k + 1}" for k in range(max((len(one["values"]) for one in series), default=0))]
    return {"kind": "bars", "y": y, "groups": groups, "series": series}


def _spans(pixels: Pixels, place: int) -> dict[str, Any]:
    frame = box(place, "spans")
    left, _, right, _ = frame
    x = _x_axis(pixels, frame)
    part = _inside(pixels, frame)
    blue, marked = _mask(part, COLOURS[0]), _mask(part, COLOURS[1])
    rows: list[dict[str, Any]] = []
    for first, last in _runs(np.flatnonzero((blue | marked).sum(axis=1) > 3)):
        middle = (first + last) // 2
        line = np.flatnonzero(blue[middle])
        mark = np.flatnonzero(marked[middle])
        if not len(line):
            continue
        row: dict[str, Any] = {
            "name": f"T{len(rows) + 1}",
            "low": value_at(x, int(line[0]) / (right - left)),
            "high": value_at(x, (int(line[-1]) + 1) / (right - left)),
        }
        if len(mark):
            row["mark"] = value_at(x, (int(mark[0]) + int(mark[-1]) + 1) / 2 / (right - left))
        rows.append(row)
    return {"kind": "spans", "x": x, "rows": rows}


def _objects(pixels: Pixels, place: int) -> dict[str, Any]:
    frame = box(place, "objects")
    left, _, right, _ = frame
    ink = darkness(pixels)
    bar = np.flatnonzero(ink[HEIGHT - 26, left : left + 390] > 128)
    length = read_number(ink[:, left - 2 : left + 36], HEIGHT - 8)
    if length is None or not len(bar):
        raise ValueError("no scale bar")
    scale = length / (int(bar[-1]) - int(bar[0]) + 1)
    part = _inside(pixels, frame)
    kinds = _nearest_colour(part)
    objects = []
    for number, name in enumerate(NAMES):
        mask = kinds == number
        labels, count = ndimage.label(mask)
        for k, spot in enumerate(ndimage.find_objects(labels)[:count], 1):
            own = labels[spot] == k
            area = int(own.sum())
            if area < 12:
                continue
            rows, columns = np.nonzero(own)
            x = spot[1].start + int(columns.sum()) / area + 0.5
            y = part.shape[0] - (spot[0].start + int(rows.sum()) / area + 0.5)
            radius = (area / 3.141592653589793) ** 0.5
            objects.append({"species": name, "x": x * scale, "y": y * scale, "r": radius * scale})
    return {"kind": "objects", "width": (right - left) * scale, "objects": objects}


def _gel(pixels: Pixels, place: int) -> dict[str, Any]:
    """Bands by lanes; a size lies between the rungs of the ladder as its logarithm does."""
    frame = box(place, "gel")
    left, bottom, right, top = frame
    ink = darkness(pixels)
    part = darkness(_inside(pixels, frame)) > 150
    columns = _runs(np.flatnonzero(part.any(axis=0)))
    # Lanes share the width evenly: the labels below tell how many there are.
    names = _runs(
        np.flatnonzero(ink[HEIGHT - (bottom - 17) - 9 : HEIGHT - (bottom - 17), left:right].max(axis=0) > 90)
    )
    lanes = len([k for k in range(len(names)) if k == 0 or names[k][0] - names[k - 1][1] > 12])
    wide = (right - left) // lanes

    def rungs(column: int) -> list[float]:
        return [(a + b + 1) / 2 for a, b in _runs(np.flatnonzero(part[:, column]))]

    ladder = rungs((columns[0][0] + columns[0][1]) // 2)
    sizes = [read_number(ink[:, left - 40 : left - 6], HEIGHT - top + round(row) + 4) for row in ladder]
    known = [(row, portable.log(size)) for row, size in zip(ladder, sizes, strict=True) if size]
    fit = _calibrated([row for row, _ in known], [value for _, value in known], 0, 1)
    slope = fit["high"] - fit["low"]
    found = []
    for k in range(1, lanes):
        bands = [portable.exp(fit["low"] + slope * row) for row in rungs(k * wide + wide // 2)]
        found.append({"name": f"S{k}", "bands": bands})
    y = {"low": 100.0, "high": 3000.0, "ticks": [], "minor": 0.0, "log": True}
    return {"kind": "gel", "y": y, "lanes": found}


def _heat(pixels: Pixels, place: int) -> dict[str, Any]:
    """Colours of the middles of cells, looked up in the colour bar; as many cells as the axes count."""
    frame = box(place, "heat")
    left, bottom, right, top = frame
    x, y = _x_axis(pixels, frame), _y_axis(pixels, frame)
    low, foot, end, head = colour_bar(place)
    ink = darkness(pixels)
    rows = np.flatnonzero(ink[HEIGHT - head - 2 : HEIGHT - foot + 2, end + 2] > 90) + HEIGHT - head - 2
    ticks = [HEIGHT - (a + b) / 2 for a, b in _runs(rows)]
    values = [read_number(ink[:, end + 5 : end + 40], HEIGHT - (int(t) - 3)) for t in ticks]
    value = _calibrated(ticks, values, foot, head)
    bar = pixels[HEIGHT - head : HEIGHT - foot, (low + end) // 2].astype(np.int64)[::-1]
    columns, lines = round(x["high"] - x["low"]), round(y["high"] - y["low"])
    wide, high = (right - left) / columns, (top - bottom) / lines
    cells = []
    for r in range(lines):
        line = []
        for c in range(columns):
            at = pixels[HEIGHT - round(bottom + (r + 0.5) * high), round(left + (c + 0.5) * wide)]
            away = ((bar - at.astype(np.int64)) ** 2).sum(axis=1)
            best = np.flatnonzero(away == away.min())
            line.append(value_at(value, (int(best[0]) + int(best[-1]) + 1) / 2 / (head - foot)))
        cells.append(line)
    return {"kind": "heat", "x": x, "y": y, "value": value, "cells": cells}


def _flow(pixels: Pixels, place: int) -> dict[str, Any]:
    left = box(place, "flow")[0] - 20
    ink = darkness(pixels)
    streams = {}
    for name, (_, (x, y)) in STREAMS.items():
        rate = read_number(ink[:, left + int(x) - 20 : left + int(x) + 21], HEIGHT - int(y))
        if rate is not None:
            streams[name] = rate
    return {"kind": "flow", "streams": streams}


_RECOVER: Mapping[str, Callable[[Pixels, int], dict[str, Any]]] = {
    "curves": _curves,
    "scope": _scope,
    "bars": _bars,
    "spans": _spans,
    "objects": _objects,
    "gel": _gel,
    "heat": _heat,
    "flow": _flow,
}

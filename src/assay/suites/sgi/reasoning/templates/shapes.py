"""Shapes that several templates draw: curves, fields of objects that do not overlap, grids of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.numbers import portable
from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning.panels import NAMES, axis, box
from assay.suites.sgi.reasoning.templates.template import real

POINTS = 141


def series(name: str, xs: Sequence[float], ys: Sequence[float], style: str = "line") -> dict[str, Any]:
    """A series, its numbers with six digits."""
    return {"name": name, "style": style, "x": [_six(x) for x in xs], "y": [_six(y) for y in ys]}


def _six(value: float) -> float:
    return float(f"{value:.6g}")


def spread(low: float, high: float, points: int = POINTS) -> list[float]:
    """Evenly spaced numbers, both ends among them."""
    return [low + k * (high - low) / (points - 1) for k in range(points)]


def rising(xs: Sequence[float], top: float, constant: float, start: float = 0.0) -> list[float]:
    """An exponential approach from `start` to `top`."""
    return [top + (start - top) * portable.exp(-x / constant) for x in xs]


def peaks(xs: Sequence[float], found: Sequence[tuple[float, float, float]], base: float = 0.0) -> list[float]:
    """Gaussian peaks of (place, height, width) on a base."""
    ys = []
    for x in xs:
        total = base
        for place, height, width in found:
            away = (x - place) / width
            if abs(away) < 6:
                total += height * portable.exp(-away * away / 2)
        ys.append(total)
    return ys


def waves(xs: Sequence[float], amplitude: float, period: float, phase: float, offset: float) -> list[float]:
    """A sine."""
    turn = 6.283185307179586
    return [offset + amplitude * portable.sincos(turn * (x / period + phase))[0] for x in xs]


def chart(
    title: str, x: Mapping[str, Any], y: Mapping[str, Any], drawn: list[dict[str, Any]], kind: str = "curves"
) -> dict[str, Any]:
    """A panel of curves."""
    return {"kind": kind, "title": title, "x": dict(x), "y": dict(y), "series": drawn}


def field(
    stream: Stream,
    title: str,
    counts: Mapping[str, int],
    radii: Mapping[str, float],
    *,
    width: float = 195.0,
    unit: str = "um",
    bar: float = 50.0,
    left_share: float | None = None,
    ground: str | None = None,
    spread_of_radii: float = 0.15,
) -> dict[str, Any]:
    """A field of objects that keep their distance; `radii` are means, in pixels.

    `left_share`: the chance that an object lies in the left half; null: anywhere.
    """
    left, bottom, right, top = box(0, "objects")
    wide, high = right - left, top - bottom
    objects: list[dict[str, Any]] = []
    placed: list[tuple[float, float, float]] = []
    for species, count in counts.items():
        for _ in range(count):
            radius = radii[species] * (1 + spread_of_radii * (2 * stream.uniform() - 1))
            for _ in range(400):
                x = radius + 3 + stream.uniform() * (wide - 2 * radius - 6)
                if left_share is not None:
                    # Nobody lies across the middle line, so that left and right are certain.
                    half = wide / 2 - 2 * radius - 6
                    x = radius + 3 + stream.uniform() * half
                    x += 0 if stream.uniform() < left_share else wide / 2
                y = radius + 3 + stream.uniform() * (high - 2 * radius - 6)
                if all((x - a) ** 2 + (y - b) ** 2 > (radius + r + 3) ** 2 for a, b, r in placed):
                    placed.append((x, y, radius))
                    scale = width / wide
                    objects.append(
                        {
                            "species": species,
                            "x": round(x * scale, 4),
                            "y": round(y * scale, 4),
                            "r": round(radius * scale, 4),
                        }
                    )
                    break
    more = {"ground": ground} if ground else {}
    return {
        "kind": "objects",
        "title": title,
        "width": width,
        "unit": unit,
        "bar": bar,
        "objects": objects,
        **more,
    }


def grid(
    stream: Stream,
    title: str,
    *,
    columns: int = 12,
    rows: int = 8,
    low: float,
    high: float,
    step: float,
    label: str,
    hot: tuple[float, float, float] | None = None,
    wells: Sequence[float] | None = None,
    across: str = "x (mm)",
    up: str = "y (mm)",
) -> dict[str, Any]:
    """A grid of values: a hot spot of (column, row, height in shares) over noise, or means by column."""
    span = high - low
    cells = []
    for r in range(rows):
        row = []
        for c in range(columns):
            noise = 0.02 * stream.uniform()
            if hot is not None:
                away = ((c - hot[0]) / 4) ** 2 + ((r - hot[1]) / 3) ** 2
                share = 0.08 + hot[2] * portable.exp(-away) + noise
            else:
                share = (wells or [0.5])[c] + 2 * noise
            row.append(_six(low + span * min(share, 0.98)))
        cells.append(row)
    return {
        "kind": "heat",
        "title": title,
        "wells": wells is not None,
        "x": axis(0, float(columns), 2, across, minors=2),
        "y": axis(0, float(rows), 2, up, minors=2),
        "value": axis(low, high, step, label),
        "cells": cells,
    }


def some_names(stream: Stream, level: int, least: int = 1) -> tuple[list[str], str]:
    """The names of as many series as the level has, at least `least`, and one of them."""
    names = list(NAMES[: max(level, least)])
    return names, stream.choice(names)


def bars(
    stream: Stream, title: str, names: Sequence[str], groups: int, high: float, step: float, label: str
) -> dict[str, Any]:
    """Bars with error bars, none of them small."""
    drawn = []
    for name in names:
        values = [real(stream, 0.15 * high, 0.88 * high, high / 200) for _ in range(groups)]
        errors = [real(stream, 0.02 * high, 0.06 * high, high / 200) for _ in range(groups)]
        drawn.append({"name": name, "values": values, "errors": errors})
    return {
        "kind": "bars",
        "title": title,
        "y": axis(0, high, step, label),
        "groups": [f"g{k}" for k in range(1, groups + 1)],
        "series": drawn,
    }


def spans(
    stream: Stream, title: str, rows: int, high: float, step: float, label: str, *, marked: bool
) -> dict[str, Any]:
    """Rows of intervals; with marks they overlap as studies do, without they follow each other as tasks."""
    found: list[dict[str, Any]] = []
    at = real(stream, 0.02 * high, 0.06 * high, high / 200)
    for k in range(rows):
        if marked:
            mark = real(stream, 0.3 * high, 0.7 * high, high / 100)
            half = real(stream, 0.07 * high, 0.28 * high, high / 100)
            one = {"low": round(mark - half, 6), "high": round(mark + half, 6), "mark": mark}
        else:
            end = at + real(stream, 0.06 * high, 0.12 * high, high / 200)
            one = {"low": round(at, 6), "high": round(end, 6)}
            # What is left when every later task is as long, and as near, as can be.
            spare = 0.98 * high - end - (rows - k - 1) * 0.15 * high
            at = end + real(stream, 0.03 * high, max(0.03 * high, min(0.3 * high, spare)), high / 200)
        found.append({"name": f"T{k + 1}", **one})
    return {
        "kind": "spans",
        "title": title,
        "x": axis(0, high, step, label),
        "rows": found,
    }

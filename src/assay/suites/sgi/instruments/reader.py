"""A solver that looks at pixels: it reads points off the pictures and fits every mechanism to them.

It takes the formulas of the instruments and computes them by numpy and scipy; nothing hidden is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from assay.suites.sgi.instruments import draw, simulate
from assay.suites.sgi.instruments.bank import Instrument, Panel, instruments
from assay.suites.sgi.instruments.candidates import AGREE, DIFFER, NOISE

CAREFUL = 8
"""Mechanisms that are fitted a second time, from several starts."""

NUMPY: Mapping[str, Any] = {
    "exp": lambda x: np.exp(np.clip(x, -700, 700)),
    "log": lambda x: np.log(np.maximum(x, 1e-300)),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "gauss": lambda x, middle, width: np.exp(-0.5 * ((x - middle) / width) ** 2),
    "lorentz": lambda x, middle, width: 1 / (1 + ((x - middle) / width) ** 2),
    "sigmoid": lambda x: 1 / (1 + np.exp(-np.clip(x, -700, 700))),
    "step": lambda x, start: (np.asarray(x) >= start) * 1.0,
    "power": np.power,
    "minimum": np.minimum,
    "maximum": np.maximum,
}

Points = list[tuple[int, str, Any, Any, float]]
"""Of each curve its panel, name, the places of its points that can be read, their values, and their error."""


def instrument_of(question: str) -> Instrument:
    """The instrument that a question describes."""
    return next(one for one in instruments().values() if one.about in question)


def read_panel(pixels: draw.Pixels, panel: Panel, place: int) -> Points:
    """The points of one panel of a picture."""
    part = pixels[:, place * draw.WIDTH : (place + 1) * draw.WIDTH]
    low, high = (_number(part, row) for row in (draw.BOTTOM, draw.TOP))
    found: Points = []
    for name, colour in zip(panel.curves, draw.COLOURS, strict=False):
        xs, ys = [], []
        for x in simulate.places(panel):
            rows = np.flatnonzero(
                part[draw.TOP - 1 : draw.BOTTOM + 2, draw.column_of(panel, float(x))] == colour
            )
            if len(rows) == 3 and rows[2] - rows[0] == 2:
                share = (draw.BOTTOM - draw.TOP + 1 - rows[1]) / (draw.BOTTOM - draw.TOP)
                xs.append(float(x))
                ys.append(low + (high - low) * share)
        error = (high - low) * ((NOISE / 1.12) ** 2 + (0.3 / (draw.BOTTOM - draw.TOP)) ** 2) ** 0.5
        found.append((0, name, np.array(xs), np.array(ys), error))
    return found


def _number(part: draw.Pixels, row: int) -> float:
    """The number beside a tick, read by the shapes of the font."""
    text, at = "", draw.LEFT - 8 - 6
    while at >= 0:
        shape = (part[row - 4 : row + 4, at : at + 6] == draw.INK).astype(np.uint8)
        match = next(
            (c for c, known in draw._font().items() if c != " " and np.array_equal(known, shape)), None
        )
        if match is None:
            break
        text, at = match + text, at - 6
    return float(text)


def read(instrument: Instrument, pictures: Sequence[bytes]) -> list[Points]:
    """The points of both specimens, with those of the control of their day."""
    pixels = [draw.decoded(picture) for picture in pictures]
    *shown, control = instrument.panels
    found = []
    for specimen in (0, 1):
        points: Points = []
        for at, panel in enumerate(shown):
            points += [(at, *rest) for _, *rest in read_panel(pixels[specimen], panel, at)]
        points += [(len(shown), *rest) for _, *rest in read_panel(pixels[2], control, specimen)]
        found.append(points)
    return found


def misfit(
    instrument: Instrument, points: Points, mechanism: Mapping[str, str], tries: int, effort: int
) -> float:
    """The least sum of squares of a mechanism, over its parameters; `tries` places are looked at first."""
    ranges = instrument.ranges(mechanism)
    free = [name for name, (low, high) in ranges.items() if high > low]
    fixed = {name: low for name, (low, high) in ranges.items() if high == low}
    low, wide = np.array([ranges[n][0] for n in free]), np.array([ranges[n][1] - ranges[n][0] for n in free])

    def residuals(shares: Any) -> Any:
        names = {**fixed, **dict(zip(free, low + wide * shares, strict=True))}
        parts = []
        for panel, name, x, y, error in points:
            formula = instrument.panels[panel].curves[name]
            parts.append((simulate.value(formula, {**names, "x": x}, NUMPY) + 0 * x - y) / error)
        return np.clip(np.concatenate(parts), -1e4, 1e4)

    # Lines are narrow, so steps begin at the best of many places.
    chance = np.random.default_rng(tries)
    places = chance.random((tries, len(free)))
    costs = [float((residuals(place) ** 2).sum()) for place in places]
    starts = [places[at] for at in np.argsort(costs)[:2]]
    fits = (least_squares(residuals, start, bounds=(-0.02, 1.02), max_nfev=effort) for start in starts)
    return min(float(fit.cost) for fit in fits)


def claims(instrument: Instrument, option: str) -> dict[str, Any]:
    """What an option says: of a factor its values in both specimens, or a relation."""
    found: dict[str, Any] = {}
    for factor, values in instrument.factors.items():
        if f"they agree in {factor}" in option:
            found[factor] = AGREE
        elif f"they differ in {factor}" in option:
            found[factor] = DIFFER
        else:
            told = re.fullmatch(r"specimen 1: (.*?); specimen 2: (.*?)(; they .*)?", option)
            for value, (text, _) in values.items():
                if told and told[1] == text:
                    found[factor] = (value, found.get(factor, ("", ""))[1])
                if told and told[2] == text:
                    found[factor] = (found.get(factor, ("", ""))[0], value)
    return found


def best_option(question: str, options: Sequence[str], pictures: Sequence[bytes]) -> int:
    """The option under which the pictures are likeliest."""
    instrument = instrument_of(question)
    factors = list(instrument.factors)
    mechanisms = [dict(zip(factors, values, strict=True)) for values in product(*instrument.factors.values())]
    points = read(instrument, pictures)
    costs = []
    for one in points:
        rough = [misfit(instrument, one, mechanism, 60, 8) for mechanism in mechanisms]
        near = sorted(rough)[min(CAREFUL, len(rough)) - 1]
        costs.append(
            [
                misfit(instrument, one, mechanism, 150, 25) if cost <= near else cost
                for mechanism, cost in zip(mechanisms, rough, strict=True)
            ]
        )
    scores = []
    for option in options:
        said = claims(instrument, option)
        scores.append(
            min(
                (
                    a + b
                    for a, one in zip(costs[0], mechanisms, strict=True)
                    for b, two in zip(costs[1], mechanisms, strict=True)
                    if all(_holds(said.get(f, AGREE), one[f], two[f]) for f in factors)
                ),
                default=1e300,
            )
        )
    return scores.index(min(scores))


def _holds(claim: Any, one: str, two: str) -> bool:
    if isinstance(claim, tuple):
        return bool(claim == (one, two))
    return bool((one == two) == (claim == AGREE))

"""A solver that looks at pixels: it reads points off the pictures and fits every mechanism to them.

It takes the formulas of the instruments and computes them by numpy, for many mechanisms and parameters at
once; nothing hidden is read, and nothing of the generator's check that mechanisms can be told apart is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.suites.sgi.instruments import draw, simulate
from assay.suites.sgi.instruments.bank import Instrument, Panel, instruments
from assay.suites.sgi.instruments.candidates import AGREE, DIFFER, NOISE
from assay.suites.sgi.instruments.readings import refutations
from assay.suites.sgi.metrics.reasoning import letter

CAREFUL = 10
"""Mechanisms that are fitted a second time, from more starts."""

EDGE = 0.02
"""How far beyond the range of a parameter a fit may go, as a share of the range: printed points are noisy."""

DAMPING, MOST_DAMPING, STEP = 1e-3, 1e6, 1e-5

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

Array = NDArray[np.float64]
Points = list[tuple[int, str, Any, Any, float]]
"""Of each curve its panel, name, the places of its points that can be read, their values, and their error."""


def instrument_of(question: str) -> Instrument:
    """The instrument that a question describes."""
    return next(one for one in instruments().values() if one.about in question)


def read_panel(pixels: draw.Pixels, panel: Panel, place: int) -> Points:
    """The points of one panel of a picture."""
    part = pixels[:, place * draw.WIDTH : (place + 1) * draw.WIDTH]
    column = part[draw.TOP : draw.BOTTOM + 1, draw.LEFT - 5]
    rows = [draw.TOP + int(row) for row in np.flatnonzero(column == draw.INK)]
    slope, start = np.polyfit(rows, [_number(part, row) for row in rows], 1)
    height = -slope * (draw.BOTTOM - draw.TOP)
    found: Points = []
    for name, colour in zip(panel.curves, draw.COLOURS, strict=False):
        xs, ys = [], []
        for x in simulate.places(panel):
            seen = np.flatnonzero(
                part[draw.TOP - 1 : draw.BOTTOM + 2, draw.column_of(panel, float(x))] == colour
            )
            if len(seen) == 3 and seen[2] - seen[0] == 2:
                xs.append(float(x))
                ys.append(float(start + slope * (draw.TOP - 1 + seen[1])))
        error = height * ((NOISE / 1.12) ** 2 + (0.4 / (draw.BOTTOM - draw.TOP)) ** 2) ** 0.5
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


class Fits:
    """Least squares of all mechanisms of an instrument at once.

    Rows of the arrays are fits; each has a mechanism, and parameters as shares of the range that they have
    under that mechanism.
    """

    def __init__(
        self, instrument: Instrument, mechanisms: Sequence[Mapping[str, str]], points: Points
    ) -> None:
        """Collect the ranges of all parameters under all mechanisms."""
        ranges = [instrument.ranges(mechanism) for mechanism in mechanisms]
        self.names = sorted({name for one in ranges for name in one})
        ends = np.array([[one.get(name, (0.0, 0.0)) for name in self.names] for one in ranges])
        self.low, self.wide = ends[:, :, 0], ends[:, :, 1] - ends[:, :, 0]
        self.free = [k for k in range(len(self.names)) if self.wide[:, k].any()]
        self.points, self.instrument = points, instrument

    def residuals(self, of: Any, shares: Array, points: Points) -> Array:
        """Distances of points from curves in units of their error, a row a fit."""
        values = self.low[of] + self.wide[of] * shares
        names = {name: values[:, k : k + 1] for k, name in enumerate(self.names)}
        parts = []
        for panel, curve, x, y, error in points:
            formula = self.instrument.panels[panel].curves[curve]
            shown = simulate.value(formula, {**names, "x": x}, NUMPY) + np.zeros((len(of), 1))
            parts.append(np.clip((shown - y) / error, -1e4, 1e4))
        return np.concatenate(parts, axis=1)

    def best(self, of: Any, shares: Array, points: Points, number: int) -> tuple[Any, Array]:
        """Of each mechanism the fits with the least costs."""
        costs = (self.residuals(of, shares, points) ** 2).sum(axis=1)
        order = np.lexsort((costs, of))
        first = np.r_[0, np.flatnonzero(np.diff(of[order])) + 1]
        place = np.arange(len(of)) - np.repeat(first, np.diff(np.r_[first, len(of)]))
        kept = order[place < number]
        return of[kept], shares[kept]

    def descend(self, of: Any, shares: Array, points: Points, steps: int) -> tuple[Array, Array]:
        """Damped Gauss-Newton steps of all fits within the ranges.

        Returns:
            Costs, and shares of the ranges.
        """
        n, wide = len(of), self.free
        left = self.residuals(of, shares, points)
        costs, damping = 0.5 * (left**2).sum(axis=1), np.full(n, DAMPING)
        for _ in range(steps):
            slopes = np.empty((n, left.shape[1], len(wide)))
            for at, k in enumerate(wide):
                moved = shares.copy()
                moved[:, k] += STEP
                slopes[:, :, at] = (self.residuals(of, moved, points) - left) / STEP
            gradient = np.matmul(slopes.transpose(0, 2, 1), left[:, :, None])[:, :, 0]
            inner = shares[:, wide]
            held = ((inner <= -EDGE) & (gradient > 0)) | ((inner >= 1 + EDGE) & (gradient < 0))
            slopes *= ~held[:, None, :]
            gradient *= ~held
            gram = np.matmul(slopes.transpose(0, 2, 1), slopes)
            diagonal = np.einsum("kpp->kp", gram)
            diagonal += damping[:, None] * diagonal + 1e-9
            moved = shares.copy()
            moved[:, wide] -= np.linalg.solve(gram, gradient[:, :, None])[:, :, 0]
            moved = np.clip(moved, -EDGE, 1 + EDGE)
            next_left = self.residuals(of, moved, points)
            next_costs = 0.5 * (next_left**2).sum(axis=1)
            better = next_costs < costs
            shares = np.where(better[:, None], moved, shares)
            left = np.where(better[:, None], next_left, left)
            costs = np.where(better, next_costs, costs)
            damping = np.where(better, damping / 8, np.minimum(damping * 8, MOST_DAMPING))
        return costs, shares

    def least(self) -> tuple[Array, list[dict[str, float]]]:
        """The least cost of each mechanism and its parameters: first the control alone, then all panels."""
        chance = np.random.default_rng(1)
        control = [point for point in self.points if point[0] == len(self.instrument.panels) - 1]
        code = " ".join(self.instrument.panels[-1].curves.values())
        in_control = [k for k, name in enumerate(self.names) if re.search(rf"\b{name}\b", code)]
        every = np.arange(len(self.low))
        costs, found = np.full(len(every), np.inf), np.zeros(self.low.shape)

        def started(some: Any, number: int) -> tuple[Any, Array]:
            of = np.repeat(some, number)
            return of, chance.random((len(of), len(self.names)))

        of, shares = self.best(*started(every, 30), control, 1)
        _, known = self.descend(of, shares, control, 8)

        def tried(some: Any, number: int, kept: int, steps: int) -> None:
            of, shares = started(some, number)
            shares[:, in_control] = known[of][:, in_control]
            of, shares = self.best(of, shares, self.points, kept)
            reached, shares = self.descend(of, shares, self.points, steps)
            for mechanism, cost, share in zip(of, reached, shares, strict=True):
                if cost < costs[mechanism]:
                    costs[mechanism], found[mechanism] = cost, share

        tried(every, 40, 1, 5)
        tried(np.argsort(costs)[:CAREFUL], 300, 4, 12)
        values = self.low + self.wide * found
        return costs, [dict(zip(self.names, map(float, row), strict=True)) for row in values]


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


@dataclass(frozen=True)
class Solution:
    """What the pictures of an item say.

    Attributes:
        costs: of each option half of the least sum of squares, in units of the errors of points.
        best: the index of the likeliest option.
        readings: records that refute other options.
    """

    costs: Sequence[float]
    best: int
    readings: Sequence[Mapping[str, Any]]


def solution(question: str, options: Sequence[str], pictures: Sequence[bytes]) -> Solution:
    """Fit every mechanism to both specimens, and compare the options.

    Args:
        question: of the item.
        options: of the item.
        pictures: the three PNG files.
    """
    instrument = instrument_of(question)
    factors = list(instrument.factors)
    mechanisms = [dict(zip(factors, values, strict=True)) for values in product(*instrument.factors.values())]
    seen = read(instrument, pictures)
    (one, ones), (two, twos) = (Fits(instrument, mechanisms, points).least() for points in seen)
    pairs = one[:, None] + two[None, :]
    values = {factor: np.array([mechanism[factor] for mechanism in mechanisms]) for factor in factors}
    said = [claims(instrument, option) for option in options]
    allowed = np.ones((len(options), *pairs.shape), dtype=bool)
    for at, claim_of in enumerate(said):
        for factor, value in values.items():
            claim = claim_of.get(factor, AGREE)
            if isinstance(claim, tuple):
                allowed[at] &= (value[:, None] == claim[0]) & (value[None, :] == claim[1])
            else:
                allowed[at] &= (value[:, None] == value[None, :]) == (claim == AGREE)
    costs = np.where(allowed, pairs, np.inf).min(axis=(1, 2))
    best = int(np.argmin(costs))
    a, b = np.unravel_index(int(np.argmin(np.where(allowed[best], pairs, np.inf))), pairs.shape)
    world = {
        "instrument": next(name for name, known in instruments().items() if known is instrument),
        "options": [
            {factor: " / ".join(c) if isinstance(c, tuple) else c for factor, c in claim_of.items()}
            for claim_of in said
        ],
        "mechanisms": [mechanisms[a], mechanisms[b]],
        "parameters": (fitted := [ones[a], twos[b]]),
    }
    shown = [
        _completed(instrument, parameters, points) for parameters, points in zip(fitted, seen, strict=True)
    ]
    kept = [record for record in refutations(world, shown) if record["refutes"] != letter(best)]
    return Solution([float(cost) for cost in costs], best, kept)


def _completed(instrument: Instrument, parameters: Mapping[str, float], points: Points) -> simulate.Curves:
    """The curves of a specimen: read where points can be read, else fitted."""
    found = simulate.curves(instrument, parameters, NUMPY)
    for panel, name, x, y, _ in points:
        found[panel][name][np.isin(simulate.places(instrument.panels[panel]), x)] = y
    return found

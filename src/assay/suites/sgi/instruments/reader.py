"""A solver that looks at pixels: it reads points off the pictures and fits every mechanism to them.

It takes the formulas of the instruments and computes them by numpy, for many mechanisms and parameters at
once; nothing hidden is read, and nothing of the generator's check that mechanisms can be told apart is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.suites.sgi.instruments import draw, simulate
from assay.suites.sgi.instruments.bank import Instrument, Panel, instruments
from assay.suites.sgi.instruments.candidates import AGREE, DIFFER, NOISE

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

    def costs(self) -> Array:
        """The least cost of each mechanism: first the control alone, then all panels."""
        chance = np.random.default_rng(1)
        control = [point for point in self.points if point[0] == len(self.instrument.panels) - 1]
        code = " ".join(self.instrument.panels[-1].curves.values())
        in_control = [k for k, name in enumerate(self.names) if re.search(rf"\b{name}\b", code)]
        every = np.arange(len(self.low))

        def started(some: Any, number: int) -> tuple[Any, Array]:
            of = np.repeat(some, number)
            return of, chance.random((len(of), len(self.names)))

        of, shares = self.best(*started(every, 30), control, 1)
        _, known = self.descend(of, shares, control, 8)

        def tried(some: Any, number: int, kept: int, steps: int) -> Array:
            of, shares = started(some, number)
            shares[:, in_control] = known[of][:, in_control]
            of, shares = self.best(of, shares, self.points, kept)
            costs, _ = self.descend(of, shares, self.points, steps)
            least = np.full(len(every), np.inf)
            np.minimum.at(least, of, costs)
            return least

        rough = tried(every, 40, 1, 5)
        near = np.argsort(rough)[:CAREFUL]
        return np.minimum(rough, tried(near, 300, 4, 12))


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


def option_costs(question: str, options: Sequence[str], pictures: Sequence[bytes]) -> list[float]:
    """Half of the least sum of squares under each option, in units of the errors of points."""
    instrument = instrument_of(question)
    factors = list(instrument.factors)
    mechanisms = [dict(zip(factors, values, strict=True)) for values in product(*instrument.factors.values())]
    one, two = (Fits(instrument, mechanisms, points).costs() for points in read(instrument, pictures))
    pairs = one[:, None] + two[None, :]
    values = {factor: np.array([mechanism[factor] for mechanism in mechanisms]) for factor in factors}
    found = []
    for option in options:
        said = claims(instrument, option)
        allowed = np.ones(pairs.shape, dtype=bool)
        for factor, value in values.items():
            claim = said.get(factor, AGREE)
            if isinstance(claim, tuple):
                allowed &= (value[:, None] == claim[0]) & (value[None, :] == claim[1])
            else:
                allowed &= (value[:, None] == value[None, :]) == (claim == AGREE)
        found.append(float(pairs[allowed].min()) if allowed.any() else float("inf"))
    return found


def best_option(question: str, options: Sequence[str], pictures: Sequence[bytes]) -> int:
    """The option under which the pictures are likeliest."""
    costs = option_costs(question, options, pictures)
    return costs.index(min(costs))

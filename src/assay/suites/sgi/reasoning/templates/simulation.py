"""Simulation figures: temperature fields, boxes of particles, energies that decay."""

from __future__ import annotations

import math

from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning.panels import Image, axis
from assay.suites.sgi.reasoning.templates.shapes import (
    chart,
    field,
    grid,
    rising,
    series,
    some_names,
    spread,
)
from assay.suites.sgi.reasoning.templates.template import Asked, Fields, Template, real

MODELS = ("physics", "earth", "energy", "material")
BOXES = ("physics", "chemistry", "mathematics")


def _hot(stream: Stream, title: str) -> dict[str, object]:
    spot = (real(stream, 2, 9, 1), real(stream, 2, 5, 1), real(stream, 0.45, 0.85, 0.01))
    return grid(stream, title, low=20, high=100, step=10, label="T (K)", hot=spot)


def _one_grid(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    return [[_hot(stream, "panel 1")]], {}


def _probes(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    """Two cells of one row whose values are well apart; the hotter one is either."""
    column = real(stream, 8, 11, 1)
    column = 11 - column if stream.below(2) else column
    panel = grid(
        stream,
        "panel 1",
        low=20,
        high=100,
        step=20,
        label="T (K)",
        hot=(column, real(stream, 2, 5, 1), real(stream, 0.6, 0.85, 0.01)),
    )
    row, a = 3 + stream.below(4), 1 + stream.below(4)
    b = a + 4 + stream.below(4)
    return [[panel]], {"row": row, "a": a, "b": b, "w": real(stream, 1.5, 4, 0.5)}


def _two_grids(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    panels: Image = [_hot(stream, f"panel {k}") for k in (1, 2)]
    return [panels], {}


def _particles(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, min(level, 3), 2)
    other = stream.choice([name for name in names if name != chosen])
    counts = {name: 14 + stream.below(22) for name in names}
    share = real(stream, 0.3, 0.7, 0.05)
    panel = field(
        stream, "panel 1", counts, dict.fromkeys(names, 5.0), unit="nm", left_share=share, spread_of_radii=0.0
    )
    return [[panel]], {"s": chosen, "other": other}


def _two_boxes(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    images: list[Image] = []
    for k in (1, 2):
        counts = {"A": 14 + stream.below(26), "B": 14 + stream.below(26)}
        images.append([field(stream, f"panel {k}", counts, {"A": 5.0, "B": 7.0}, unit="nm")])
    return images, {}


def _settings(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    pattern = stream.choice(list(_SETTINGS)).split("/")
    before = (18 + stream.below(8), 18 + stream.below(8), 8.0)
    shifts = {"rises": 1.45, "falls": 0.6, "stays": 1.0}
    after = [value * shifts[what] for value, what in zip(before, pattern, strict=True)]
    images: list[Image] = []
    for k, (a, b, r) in enumerate((before, after), 1):
        counts = {"A": round(a), "B": round(b)}
        title = f"panel {k}: " + ("before", "after")[k - 1]
        images.append([field(stream, title, counts, {"A": 5.0, "B": r}, unit="nm", spread_of_radii=0.02)])
    return images, {}


_SETTINGS = {
    "rises/stays/stays": "the source of A was opened",
    "falls/stays/stays": "a sink of A was opened",
    "stays/rises/stays": "the source of B was opened",
    "stays/falls/stays": "a sink of B was opened",
    "rises/rises/stays": "the piston was pushed in",
    "falls/falls/stays": "the piston was pulled out",
    "stays/stays/rises": "the attraction between monomers of B was raised",
    "stays/stays/falls": "the attraction between monomers of B was lowered",
    "rises/falls/stays": "the reaction from B to A was switched on",
    "falls/rises/stays": "the reaction from A to B was switched on",
    "falls/stays/rises": "A was allowed to stick to B",
    "stays/falls/rises": "droplets of B were allowed to merge",
}


def _decay(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, level, 2)
    other = stream.choice([name for name in names if name != chosen])
    xs = spread(0, 40)
    constants = stream.sample([4, 6, 8, 11, 15], len(names))
    drawn = [
        series(name, xs, rising(xs, real(stream, 4, 14, 1), constant, real(stream, 80, 96, 1)))
        for name, constant in zip(names, constants, strict=True)
    ]
    panel = chart("panel 1", axis(0, 40, 5, "time (ps)"), axis(0, 100, 20, "energy (kJ)"), drawn)
    fields = {"s": chosen, "other": other, "level": real(stream, 30, 60, 5), "k": real(stream, 1.5, 3, 0.5)}
    return [[panel]], fields


TEMPLATES = (
    Template(
        "hottest-cell",
        "simulation",
        "signal perception",
        MODELS,
        (("heat",),),
        "A simulated temperature field on a grid of cells, with its colour bar.",
        "What is the temperature of the hottest cell?",
        (Asked("1", "highest temperature", "K", ("hottest", 0, 0)),),
        "r0",
        "K",
        _one_grid,
        {
            "colour bar turned round": "120 - r0",
            "end of the colour bar": "100",
            "place for value": "e0",
            "unit": "r0 + 273.15",
        },
        (("hottest_x", 0, 0),),
    ),
    Template(
        "left-count",
        "simulation",
        "signal perception",
        BOXES,
        (("objects",),),
        "A box of simulated particles; none of them is on the line that halves its width.",
        "How many particles of species {s} are in the left half?",
        (Asked("1", "number of {s} in the left half", "", ("count_left", 0, 0, "{s}")),),
        "r0",
        "",
        _particles,
        {
            "right half": "e0 - r0",
            "whole box": "e0",
            "legend swap": "e1",
            "both species": "r0 + e1",
        },
        (("count", 0, 0, "{s}"), ("count_left", 0, 0, "{other}")),
        whole=True,
    ),
    Template(
        "partition",
        "simulation",
        "attribute understanding",
        BOXES,
        (("objects",),),
        "A box of simulated particles; none of them is on the line that halves its width.",
        "Which share of the particles of species {s} is in the left half?",
        (
            Asked("1", "number of {s} in the left half", "", ("count_left", 0, 0, "{s}")),
            Asked("1", "number of {s}", "", ("count", 0, 0, "{s}")),
        ),
        "100 * r0 / r1",
        "%",
        _particles,
        {
            "right half": "100 - 100 * r0 / r1",
            "left over right": "100 * r0 / (r1 - r0)",
            "legend swap": "100 * e0 / e1",
            "of all particles": "100 * r0 / (r1 + e1)",
        },
        (("count_left", 0, 0, "{other}"), ("count", 0, 0, "{other}")),
        upto=100.0,
    ),
    Template(
        "gradient",
        "simulation",
        "attribute understanding",
        MODELS,
        (("heat",),),
        "A simulated temperature field on a grid; cells count from the left (columns) and from below (rows).",
        "Cells are {w} mm wide. What is the mean gradient along row {row} from column {a} to column {b}?",
        (
            Asked("1", "temperature at column {a}, row {row}", "K", ("cell", 0, 0, "{a}", "{row}")),
            Asked("1", "temperature at column {b}, row {row}", "K", ("cell", 0, 0, "{b}", "{row}")),
        ),
        "(r1 - r0) / ((b - a) * w)",
        "K/mm",
        _probes,
        {
            "sign": "(r0 - r1) / ((b - a) * w)",
            "width left out": "(r1 - r0) / (b - a)",
            "columns left out": "(r1 - r0) / w",
            "off by one column": "(r1 - r0) / ((b - a + 1) * w)",
            "row misread": "(e1 - e0) / ((b - a) * w)",
        },
        (("cell", 0, 0, "{a}", 1), ("cell", 0, 0, "{b}", 1)),
        above=-math.inf,
    ),
    Template(
        "hot-difference",
        "simulation",
        "comparative reasoning",
        MODELS,
        (("heat", "heat"),),
        "The same plate simulated with two heaters; both colour bars have one scale.",
        "How many times the excess of its hottest cell over 20 K in panel 2 is that in panel 1?",
        (
            Asked("1", "highest temperature", "K", ("hottest", 0, 0)),
            Asked("2", "highest temperature", "K", ("hottest", 0, 1)),
        ),
        "(r0 - 20) / (r1 - 20)",
        "",
        _two_grids,
        {
            "ratio inverted": "(r1 - 20) / (r0 - 20)",
            "excess left out": "r0 / r1",
            "colour bar turned round": "(120 - r0 - 20) / (120 - r1 - 20)",
            "place for value": "e0 / e1",
        },
        (("hottest_x", 0, 0), ("hottest_x", 0, 1)),
    ),
    Template(
        "box-ratio",
        "simulation",
        "comparative reasoning",
        BOXES,
        (("objects",), ("objects",)),
        "Two simulated boxes of particles A and B.",
        "The ratio of A to B in panel 1 is how many times that in panel 2?",
        tuple(
            Asked(str(p + 1), f"number of {name}", "", ("count", p, 0, name)) for p in (0, 1) for name in "AB"
        ),
        "r0 / r1 / (r2 / r3)",
        "",
        _two_boxes,
        {
            "ratio inverted": "r2 / r3 / (r0 / r1)",
            "A alone": "r0 / r2",
            "B alone": "r1 / r3",
            "legend swap in one": "r0 / r1 / (r3 / r2)",
            "one panel alone": "r0 / r1",
        },
    ),
    Template(
        "setting-changed",
        "simulation",
        "causal reasoning",
        BOXES,
        (("objects",), ("objects",)),
        "A simulated box of particles A and droplets B, before and after one setting was changed.",
        "Which setting was changed between the two boxes?",
        tuple(
            Asked(str(p + 1), f"{what} of {name}", unit, (how, p, 0, name))
            for what, how, name, unit in (
                ("number", "count", "A", ""),
                ("number", "count", "B", ""),
                ("mean diameter", "diameter", "B", "nm"),
            )
            for p in (0, 1)
        ),
        "change(r0, r1), change(r2, r3), change(r4, r5)",
        "",
        _settings,
        attributes=("the number of A", "the number of B", "the diameter of B"),
        causes=_SETTINGS,
    ),
    Template(
        "viscosity",
        "simulation",
        "causal reasoning",
        (*BOXES, "energy"),
        (("curves",),),
        "Energies of simulated runs. All times of a run grow with the square of the viscosity.",
        "The viscosity is made {k} times as large. When does run {s} then fall to {level} kJ?",
        (Asked("1", "time at which {s} reaches {level} kJ", "ps", ("crossing", 0, 0, "{s}", "{level}")),),
        "r0 * k * k",
        "ps",
        _decay,
        {
            "square left out": "r0 * k",
            "ratio inverted": "r0 / (k * k)",
            "adjacent series": "e0 * k * k",
            "no change": "r0",
            "third power": "r0 * k * k * k",
        },
        (("crossing", 0, 0, "{other}", "{level}"),),
    ),
)

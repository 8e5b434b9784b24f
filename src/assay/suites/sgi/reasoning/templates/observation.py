"""Observation figures: fields under a microscope or a telescope, with a scale bar."""

from __future__ import annotations

from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning.panels import Image
from assay.suites.sgi.reasoning.templates.shapes import field, some_names
from assay.suites.sgi.reasoning.templates.template import Asked, Fields, Template, real

FIELDS = ("life", "neuroscience", "material", "earth")
SKY = "#e9e9f2"


def _cells(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, level, 2)
    other = stream.choice([name for name in names if name != chosen])
    counts = {name: 8 + stream.below(24) for name in names}
    radii = {name: 6.0 + stream.below(3) for name in names}
    width, bar = stream.choice([(156.0, 75.0), (195.0, 100.0), (312.0, 150.0)])
    image: Image = [field(stream, "panel 1", counts, radii, width=width, bar=bar)]
    return [image], {"s": chosen, "other": other}


def _large_cells(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, min(level, 3), 2)
    other = stream.choice([name for name in names if name != chosen])
    counts = {name: 5 + stream.below(4) for name in names}
    sizes = stream.sample([11.0, 14.0, 17.0, 20.0], len(names))
    radii = dict(zip(names, sizes, strict=True))
    width = stream.choice([156.0, 195.0, 312.0])
    image: Image = [field(stream, "panel 1", counts, radii, width=width)]
    return [image], {"s": chosen, "other": other, "width": width}


def _two_fields(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, min(level, 3), 2)
    other = stream.choice([name for name in names if name != chosen])
    images: list[Image] = []
    for k in (1, 2):
        counts = {name: 7 + stream.below(24) for name in names}
        images.append([field(stream, f"panel {k}", counts, dict.fromkeys(names, 6.0))])
    return images, {"s": chosen, "other": other}


def _stars(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    """The same stars A in both frames but for their places: only B is followed."""
    images: list[Image] = []
    first = real(stream, 20, 70, 1)
    places = (first, first + real(stream, 40, 80, 1))
    for k, at in enumerate(places, 1):
        panel = field(
            stream, f"panel {k}", {"A": 6 + 5 * level}, {"A": 4.0}, unit="arcsec", ground=SKY, width=195.0
        )
        far = [one for one in panel["objects"] if abs(one["x"] - at) > 8 or abs(one["y"] - 65) > 8]
        panel["objects"] = [*far, {"species": "B", "x": at, "y": 65.0, "r": 3.0}]
        images.append([panel])
    return images, {"hours": real(stream, 2, 8, 0.5)}


def _growth(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    start = 8 + stream.below(8)
    end = start + 8 + stream.below(20)
    images: list[Image] = []
    for k, count in enumerate((start, end), 1):
        counts = {"A": count, "B": 4 + level}
        images.append([field(stream, f"panel {k}", counts, {"A": 6.0, "B": 8.0})])
    hours = real(stream, 4, 8, 1)
    return images, {"t": hours, "later": hours * stream.choice([1.5, 2.0])}


def _treated(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    pattern = stream.choice(list(_TREATMENTS)).split("/")
    before = (18 + stream.below(8), 16 + stream.below(8), 9.0)
    shifts = {"rises": 1.45, "falls": 0.6, "stays": 1.0}
    after = [value * shifts[what] for value, what in zip(before, pattern, strict=True)]
    images: list[Image] = []
    for k, (a, b, r) in enumerate((before, after), 1):
        counts = {"A": round(a), "B": round(b)}
        title = f"panel {k}: " + ("before", "after")[k - 1]
        images.append([field(stream, title, counts, {"A": r, "B": 6.0}, spread_of_radii=0.02)])
    return images, {}


_TREATMENTS = {
    "rises/stays/stays": "a growth factor for A was given",
    "falls/stays/stays": "a poison for A was given",
    "stays/rises/stays": "a growth factor for B was given",
    "stays/falls/stays": "a poison for B was given",
    "rises/rises/stays": "fresh medium was given",
    "falls/falls/stays": "the culture was diluted",
    "stays/stays/rises": "the salt content was lowered",
    "stays/stays/falls": "the salt content was raised",
    "falls/stays/rises": "cells of A were fused",
    "rises/stays/falls": "cells of A were made to divide without growth",
    "falls/rises/stays": "A was turned into B",
    "rises/falls/stays": "B was turned into A",
}

TEMPLATES = (
    Template(
        "cell-count",
        "observation",
        "signal perception",
        FIELDS,
        (("objects",),),
        "A field under the microscope shows cells of several species, in the colours of the legend.",
        "How many cells of species {s} are in the field?",
        (Asked("1", "number of {s}", "", ("count", 0, 0, "{s}")),),
        "r0",
        "",
        _cells,
        {
            "legend swap": "e0",
            "both species": "r0 + e0",
            "left half only": "e1",
            "difference": "abs(r0 - e0)",
        },
        (("count", 0, 0, "{other}"), ("count_left", 0, 0, "{s}")),
        whole=True,
    ),
    Template(
        "largest-place",
        "observation",
        "signal perception",
        ("astronomy", *FIELDS),
        (("objects",),),
        "A field shows bodies of several kinds, in the colours of the legend, above a scale bar.",
        "How far from the left edge is the middle of the largest body of kind {s}?",
        (Asked("1", "place of the largest {s}", "um", ("largest_x", 0, 0, "{s}")),),
        "r0",
        "um",
        _large_cells,
        {
            "legend swap": "e0",
            "from the right edge": "width - r0",
            "pixels for length": "r0 * 390 / width",
            "middle of the field": "width / 2 - r0",
        },
        (("largest_x", 0, 0, "{other}"),),
    ),
    Template(
        "cell-density",
        "observation",
        "attribute understanding",
        FIELDS,
        (("objects",),),
        "A field under the microscope is 1.5 times as wide as high; a scale bar stands below it.",
        "What is the density of species {s} in the field?",
        (
            Asked("1", "number of {s}", "", ("count", 0, 0, "{s}")),
            Asked("1", "width of the field", "um", ("field_width", 0, 0)),
        ),
        "r0 / (r1 * r1 / 1.5) * 1000000",
        "per mm2",
        _cells,
        {
            "legend swap": "e0 / (r1 * r1 / 1.5) * 1000000",
            "field taken as square": "r0 / (r1 * r1) * 1000000",
            "height turned round": "r0 / (r1 * r1 * 1.5) * 1000000",
            "both species": "(r0 + e0) / (r1 * r1 / 1.5) * 1000000",
        },
        (("count", 0, 0, "{other}"),),
    ),
    Template(
        "cell-section",
        "observation",
        "attribute understanding",
        FIELDS,
        (("objects",),),
        "A field under the microscope shows round cells of several species above a scale bar.",
        "What is the cross-section of a cell of species {s} whose diameter is the mean of its species?",
        (Asked("1", "mean diameter of {s}", "um", ("diameter", 0, 0, "{s}")),),
        "3.141592653589793 * r0 * r0 / 4",
        "um2",
        _large_cells,
        {
            "diameter for radius": "3.141592653589793 * r0 * r0",
            "square for circle": "r0 * r0",
            "legend swap": "3.141592653589793 * e0 * e0 / 4",
            "circumference": "3.141592653589793 * r0",
        },
        (("diameter", 0, 0, "{other}"),),
    ),
    Template(
        "field-ratio",
        "observation",
        "comparative reasoning",
        FIELDS,
        (("objects",), ("objects",)),
        "Two fields of equal size come from two sites.",
        "How many times as many cells of species {s} are in panel 1 as in panel 2?",
        (
            Asked("1", "number of {s}", "", ("count", 0, 0, "{s}")),
            Asked("2", "number of {s}", "", ("count", 1, 0, "{s}")),
        ),
        "r0 / r1",
        "",
        _two_fields,
        {
            "ratio inverted": "r1 / r0",
            "legend swap": "e0 / e1",
            "wrong panel": "r0 / e0",
            "both species": "(r0 + e0) / (r1 + e1)",
        },
        (("count", 0, 0, "{other}"), ("count", 1, 0, "{other}")),
    ),
    Template(
        "star-motion",
        "observation",
        "comparative reasoning",
        ("astronomy", "physics"),
        (("objects",), ("objects",)),
        "Two frames of one part of the sky. The body B moves along a horizontal line among stars A.",
        "The frames were taken {hours} hours apart. How fast does B move?",
        (
            Asked("1", "place of B", "arcsec", ("x_of", 0, 0, "B")),
            Asked("2", "place of B", "arcsec", ("x_of", 1, 0, "B")),
        ),
        "(r1 - r0) / hours",
        "arcsec/h",
        _stars,
        {
            "time left out": "r1 - r0",
            "one frame only": "r1 / hours",
            "ratio inverted": "hours / (r1 - r0) * 100",
            "unit": "(r1 - r0) / hours / 60",
            "sum for difference": "(r1 + r0) / hours",
        },
    ),
    Template(
        "treatment",
        "observation",
        "causal reasoning",
        ("life", "neuroscience"),
        (("objects",), ("objects",)),
        "A culture of species A and B before and after one treatment, in fields of equal size.",
        "Which treatment explains what changed between the two fields?",
        tuple(
            Asked(str(p + 1), f"{what} of {name}", unit, (how, p, 0, name))
            for what, how, name, unit in (
                ("number", "count", "A", ""),
                ("number", "count", "B", ""),
                ("mean diameter", "diameter", "A", "um"),
            )
            for p in (0, 1)
        ),
        "change(r0, r1), change(r2, r3), change(r4, r5)",
        "",
        _treated,
        attributes=("the number of A", "the number of B", "the diameter of A"),
        causes=_TREATMENTS,
    ),
    Template(
        "growth-law",
        "observation",
        "causal reasoning",
        ("life", "earth"),
        (("objects",), ("objects",)),
        "A culture grows exponentially: the number of A is multiplied by the same factor in equal times.",
        "Panel 1 is at the start, panel 2 after {t} h. How many A are to be expected after {later} h?",
        (
            Asked("1", "number of A", "", ("count", 0, 0, "A")),
            Asked("2", "number of A", "", ("count", 1, 0, "A")),
        ),
        "r0 * exp(log(r1 / r0) * later / t)",
        "",
        _growth,
        {
            "linear growth": "r0 + (r1 - r0) * later / t",
            "from the second field": "r1 * exp(log(r1 / r0) * later / t)",
            "wrong species": "e0 * exp(log(r1 / r0) * later / t)",
            "proportional": "r1 * later / t",
        },
        (("count", 1, 0, "B"),),
    ),
)

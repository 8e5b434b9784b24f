"""Visualisations: bars with errors, survival curves, forest plots, phase diagrams."""

from __future__ import annotations

from assay.numbers import portable
from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning.panels import Image, axis
from assay.suites.sgi.reasoning.templates.shapes import bars, chart, series, some_names, spans, spread
from assay.suites.sgi.reasoning.templates.template import Asked, Fields, Template, real

REPORTS = ("life", "energy", "information", "earth", "neuroscience")
TRIALS = ("life", "neuroscience")


def _one_chart(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, min(level, 3), 2)
    other = stream.choice([name for name in names if name != chosen])
    groups = 3 + level // 3
    panel = bars(stream, "panel 1", names, groups, 50, 5, "yield (g)")
    g, h = stream.sample(panel["groups"], 2)
    return [[panel]], {"s": chosen, "other": other, "g": g, "h": h}


def _two_charts(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, min(level, 3), 2)
    other = stream.choice([name for name in names if name != chosen])
    panels: Image = [bars(stream, f"panel {k}", names, 3, 50, 5, "yield (g)") for k in (1, 2)]
    g = stream.choice(panels[0]["groups"])
    return [panels], {"s": chosen, "other": other, "g": g}


def _survival(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    """Step curves that come down over 36 months, each at its own rate."""
    names, chosen = some_names(stream, min(level + 1, 3), 2)
    other = stream.choice([name for name in names if name != chosen])
    rates = stream.sample([0.03, 0.045, 0.06, 0.08, 0.1], len(names))
    drawn = []
    for name, rate in zip(names, rates, strict=True):
        xs, ys = [0.0], [1.0]
        for month in range(1, 37):
            alive = portable.exp(-rate * month) * (1 - 0.06 * stream.uniform())
            if stream.uniform() < 0.8 or month == 36:
                xs.append(float(month))
                ys.append(min(ys[-1], alive))
        drawn.append(series(name, xs, ys, "step"))
    panel = chart("panel 1", axis(0, 36, 6, "months", minors=12), axis(0, 1, 0.2, "surviving share"), drawn)
    return [[panel]], {"s": chosen, "other": other, "t": real(stream, 7.5, 20.5, 1), "percent": 50.0}


def _forest(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    rows = 3 + level
    panel = spans(stream, "panel 1", rows, 4, 0.5, "effect", marked=True)
    first, second = stream.sample([row["name"] for row in panel["rows"]], 2)
    return [[panel]], {"a": first, "b": second}


def _phases(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    xs = spread(0, 10)
    melting = real(stream, 180, 260, 5)
    slope = real(stream, 6, 16, 1)
    low = [melting + slope * x for x in xs]
    high = [melting + 60 + (slope + 8) * x + 4 * portable.log1p(x) for x in xs]
    drawn = [series("A", xs, low), series("B", xs, high)]
    panel = chart("panel 1", axis(0, 10, 2, "pressure (MPa)"), axis(100, 700, 50, "temperature (K)"), drawn)
    pressure = real(stream, 2, 8, 0.5)
    at = melting + slope * pressure
    fields = {"p": pressure, "temperature": round(at + real(stream, 40, 220, 1)), "other": 10 - pressure}
    return [[panel]], fields


TEMPLATES = (
    Template(
        "bar-height",
        "visualization",
        "signal perception",
        REPORTS,
        (("bars",),),
        "Bars with error bars, in the colours of the legend.",
        "What is the mean yield of {s} in group {g}?",
        (Asked("1", "yield of {s} in {g}", "g", ("bar", 0, 0, "{s}", "{g}")),),
        "r0",
        "g",
        _one_chart,
        {
            "adjacent series": "e0",
            "adjacent group": "e1",
            "end of the error bar": "r0 + e2",
            "lower end of the error bar": "r0 - e2",
        },
        (
            ("bar", 0, 0, "{other}", "{g}"),
            ("bar", 0, 0, "{s}", "{h}"),
            ("error", 0, 0, "{s}", "{g}"),
        ),
    ),
    Template(
        "median-survival",
        "visualization",
        "signal perception",
        TRIALS,
        (("curves",),),
        "Survival curves of the arms of a trial.",
        "After how many months has the curve of arm {s} first come down to {percent} % or less?",
        (
            Asked(
                "1",
                "time at which {s} is at {percent} % or less",
                "months",
                ("fall", 0, 0, "{s}", "{percent}"),
            ),
        ),
        "r0",
        "months",
        _survival,
        {
            "legend swap": "e0",
            "falling end": "36 - r0",
            "quartile for median": "e1",
            "unit": "r0 / 12",
        },
        (("fall", 0, 0, "{other}", "{percent}"), ("fall", 0, 0, "{s}", 75.0)),
        whole=True,
    ),
    Template(
        "bar-change",
        "visualization",
        "attribute understanding",
        REPORTS,
        (("bars",),),
        "Bars with error bars, in the colours of the legend.",
        "By how many percent is the yield of {s} in group {h} above (negative: below) that in group {g}?",
        (
            Asked("1", "yield of {s} in {g}", "g", ("bar", 0, 0, "{s}", "{g}")),
            Asked("1", "yield of {s} in {h}", "g", ("bar", 0, 0, "{s}", "{h}")),
        ),
        "100 * (r1 - r0) / r0",
        "%",
        _one_chart,
        {
            "wrong base": "100 * (r1 - r0) / r1",
            "sign": "100 * (r0 - r1) / r0",
            "ratio for change": "100 * r1 / r0",
            "adjacent series": "100 * (e1 - e0) / e0",
            "difference for change": "r1 - r0",
        },
        (("bar", 0, 0, "{other}", "{g}"), ("bar", 0, 0, "{other}", "{h}")),
        above=-100.0,
    ),
    Template(
        "standard-error",
        "visualization",
        "attribute understanding",
        TRIALS,
        (("spans",),),
        "A forest plot: marks are estimates, lines their 95 % intervals (1.96 standard errors to each side).",
        "What is the standard error of study {a}?",
        (
            Asked("1", "lower end of {a}", "", ("low", 0, 0, "{a}")),
            Asked("1", "upper end of {a}", "", ("high", 0, 0, "{a}")),
        ),
        "(r1 - r0) / 3.92",
        "",
        _forest,
        {
            "width for half width": "(r1 - r0) / 1.96",
            "half width": "(r1 - r0) / 2",
            "width": "r1 - r0",
            "wrong row": "(e1 - e0) / 3.92",
            "estimate": "e2",
        },
        (("low", 0, 0, "{b}"), ("high", 0, 0, "{b}"), ("mark", 0, 0, "{a}")),
    ),
    Template(
        "panel-ratio",
        "visualization",
        "comparative reasoning",
        REPORTS,
        (("bars", "bars"),),
        "Two sites reported in one form, with equal scales.",
        "How many times the yield of {s} in group {g} of panel 2 is that in panel 1?",
        (
            Asked("1", "yield of {s} in {g}", "g", ("bar", 0, 0, "{s}", "{g}")),
            Asked("2", "yield of {s} in {g}", "g", ("bar", 0, 1, "{s}", "{g}")),
        ),
        "r0 / r1",
        "",
        _two_charts,
        {
            "ratio inverted": "r1 / r0",
            "legend swap": "e0 / e1",
            "wrong panel": "r0 / e0",
            "legend swap in one": "e0 / r1",
        },
        (("bar", 0, 0, "{other}", "{g}"), ("bar", 0, 1, "{other}", "{g}")),
    ),
    Template(
        "survival-difference",
        "visualization",
        "comparative reasoning",
        TRIALS,
        (("curves",),),
        "Survival curves of the arms of a trial.",
        "At {t} months, how many percentage points is the share of {s} above (negative: below) that of "
        "{other}?",
        (
            Asked("1", "share of {s} at {t} months", "", ("y_at", 0, 0, "{s}", "{t}")),
            Asked("1", "share of {other} at {t} months", "", ("y_at", 0, 0, "{other}", "{t}")),
        ),
        "100 * (r0 - r1)",
        "points",
        _survival,
        {
            "sign": "100 * (r1 - r0)",
            "relative difference": "100 * (r0 - r1) / r1",
            "one arm alone": "100 * r0",
            "at the end": "100 * (e0 - e1)",
        },
        (("y_at", 0, 0, "{s}", 36.0), ("y_at", 0, 0, "{other}", 36.0)),
        above=-100.0,
        upto=100.0,
    ),
    Template(
        "pooled-estimate",
        "visualization",
        "causal reasoning",
        TRIALS,
        (("spans",),),
        "A forest plot: marks are estimates, lines their 95 % intervals. Pooling weights a study by "
        "one over the square of the width of its interval.",
        "What would the pooled estimate be if only studies {a} and {b} had been made?",
        tuple(
            Asked("1", f"{what} of {{{row}}}", "", (how, 0, 0, f"{{{row}}}"))
            for row in "ab"
            for what, how in (("estimate", "mark"), ("lower end", "low"), ("upper end", "high"))
        ),
        "(r0 / ((r2 - r1) * (r2 - r1)) + r3 / ((r5 - r4) * (r5 - r4)))"
        " / (1 / ((r2 - r1) * (r2 - r1)) + 1 / ((r5 - r4) * (r5 - r4)))",
        "",
        _forest,
        {
            "weights left out": "(r0 + r3) / 2",
            "first study alone": "r0",
            "second study alone": "r3",
            "weights turned round": "(r0 * (r2 - r1) + r3 * (r5 - r4)) / (r2 - r1 + r5 - r4)",
            "sum for mean": "r0 + r3",
        },
    ),
    Template(
        "cooling",
        "visualization",
        "causal reasoning",
        ("material", "physics", "earth", "astronomy"),
        (("curves",),),
        "A phase diagram: below line A it is solid, between A and B liquid, above B gas.",
        "A sample is at {temperature} K and {p} MPa. By how much must it be cooled to begin to freeze?",
        (Asked("1", "temperature of line A at {p} MPa", "K", ("y_at", 0, 0, "A", "{p}")),),
        "temperature - r0",
        "K",
        _phases,
        {
            "boundary for distance": "r0",
            "wrong line": "abs(temperature - e0)",
            "unit": "temperature - r0 + 273.15",
            "wrong end of the axis": "abs(temperature - e1)",
        },
        (("y_at", 0, 0, "B", "{p}"), ("y_at", 0, 0, "A", "{other}")),
    ),
)

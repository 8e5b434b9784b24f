"""Process figures: flow diagrams with labelled rates, schedules, and levels of tanks over time."""

from __future__ import annotations

import math
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning.panels import STREAMS, Image, axis
from assay.suites.sgi.reasoning.templates.shapes import chart, rising, series, some_names, spans, spread
from assay.suites.sgi.reasoning.templates.template import Asked, Fields, Template, real

PLANTS = ("chemistry", "energy", "earth")


def _flow(stream: Stream, title: str) -> dict[str, Any]:
    """A diagram whose seven rates all differ."""
    rates = stream.sample(range(30, 300), len(STREAMS))
    streams = {name: float(rate) for name, rate in zip(STREAMS, rates, strict=True)}
    return {"kind": "flow", "title": title, "unit": "kg/h", "streams": streams}


def _one_flow(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names = stream.sample(list(STREAMS), 4)
    fields = dict(zip(("s", "other", "third", "fourth"), names, strict=True))
    return [[_flow(stream, "panel 1")]], fields


def _valve(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    return [[_flow(stream, "panel 1")]], {"k": real(stream, 1.5, 4, 0.5)}


def _two_flows(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    return [[_flow(stream, "panel 1"), _flow(stream, "panel 2")]], {}


def _tanks(stream: Stream, title: str, names: list[str]) -> dict[str, Any]:
    xs = spread(0, 60)
    constants = stream.sample([7, 10, 14, 19, 25, 32], len(names))
    drawn = [
        series(name, xs, rising(xs, real(stream, 80, 98, 1), constant))
        for name, constant in zip(names, constants, strict=True)
    ]
    return chart(title, axis(0, 60, 5, "time (min)"), axis(0, 100, 20, "level (%)"), drawn)


def _filling(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, level, 2)
    other = stream.choice([name for name in names if name != chosen])
    image: Image = [_tanks(stream, "panel 1", names)]
    return [image], {"s": chosen, "other": other, "level": real(stream, 30, 70, 5)}


def _two_fillings(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, level, 2)
    other = stream.choice([name for name in names if name != chosen])
    panels: Image = [_tanks(stream, f"panel {k}", names) for k in (1, 2)]
    return [panels], {"s": chosen, "other": other, "level": real(stream, 40, 70, 5)}


def _schedule(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    rows = 3 + (level + 1) // 2
    panel = spans(stream, "panel 1", rows, 60, 5, "time (h)", marked=False)
    first = stream.below(rows - 1)
    second = first + 1 + stream.below(rows - 1 - first)
    return [[panel]], {"a": f"T{first + 1}", "b": f"T{second + 1}"}


def _batches(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    pattern = stream.choice(list(_BATCH_CAUSES)).split("/")
    xs = spread(0, 60)
    tops = [real(stream, 40, 55, 1), real(stream, 20, 28, 1), real(stream, 70, 80, 1)]
    shifts = {"rises": 1.28, "falls": 0.72, "stays": 1.0}
    after = [round(top * shifts[what], 4) for top, what in zip(tops, pattern, strict=True)]
    panels: Image = []
    for k, values in enumerate((tops, after), 1):
        constants = [real(stream, 7, 12, 1) for _ in values]
        drawn = [
            series(name, xs, rising(xs, top, constant, 100.0 if name == "C" else 0.0))
            for name, top, constant in zip("ABC", values, constants, strict=True)
        ]
        panels.append(
            chart(
                f"panel {k}: " + ("before", "after")[k - 1],
                axis(0, 60, 10, "time (min)"),
                axis(0, 120, 20, "share (%)"),
                drawn,
            )
        )
    return [panels], {"t": 58.0}


_BATCH_CAUSES = {
    "rises/stays/falls": "a second reactor was put in line",
    "falls/stays/rises": "the catalyst has aged",
    "rises/rises/falls": "the temperature was raised",
    "falls/falls/rises": "the temperature was lowered",
    "stays/rises/falls": "a side reaction was seeded",
    "stays/falls/rises": "the side reaction was inhibited",
    "rises/falls/stays": "a more selective catalyst was used",
    "falls/rises/stays": "the catalyst was poisoned selectively",
    "rises/stays/stays": "the product was distilled back in",
    "stays/rises/stays": "the by-product was recycled",
    "stays/stays/rises": "fresh feed was added late",
    "stays/stays/falls": "unreacted feed was drawn off",
}

TEMPLATES = (
    Template(
        "flow-rate",
        "process",
        "signal perception",
        PLANTS,
        (("flow",),),
        "A flow diagram shows the rates of seven streams between three units.",
        "What is the rate of stream {s}?",
        (Asked("1", "rate of {s}", "kg/h", ("rate", 0, 0, "{s}")),),
        "r0",
        "kg/h",
        _one_flow,
        {
            "wrong stream": "e0",
            "another stream": "e1",
            "a third stream": "e2",
            "sum with a neighbour": "r0 + e0",
            "unit": "r0 * 3.6",
        },
        (
            ("rate", 0, 0, "{other}"),
            ("rate", 0, 0, "{third}"),
            ("rate", 0, 0, "{fourth}"),
        ),
        whole=True,
    ),
    Template(
        "filling-time",
        "process",
        "signal perception",
        PLANTS,
        (("curves",),),
        "Tanks are filled; the figure shows their levels over time.",
        "When does the level of tank {s} reach {level} %?",
        (Asked("1", "time at which {s} reaches {level} %", "min", ("crossing", 0, 0, "{s}", "{level}")),),
        "r0",
        "min",
        _filling,
        {"adjacent series": "e0", "unit": "r0 * 60", "falling end": "60 - r0", "legend swap": "r0 + e0"},
        (("crossing", 0, 0, "{other}", "{level}"),),
    ),
    Template(
        "unit-balance",
        "process",
        "attribute understanding",
        PLANTS,
        (("flow",),),
        "A flow diagram shows the rates of seven streams between three units.",
        "How fast does the content of unit 2 grow (negative: shrink): what flows in less what flows out?",
        tuple(
            Asked("1", f"rate of {name}", "kg/h", ("rate", 0, 0, name)) for name in ("F2", "F4", "F3", "F5")
        ),
        "r0 + r1 - r2 - r3",
        "kg/h",
        _valve,
        {
            "sign": "r2 + r3 - r0 - r1",
            "recycle left out": "r0 - r2 - r3",
            "recycle turned round": "r0 - r1 - r2 - r3",
            "outlet left out": "r0 + r1 - r2",
        },
        above=-math.inf,
        whole=True,
    ),
    Template(
        "idle-time",
        "process",
        "attribute understanding",
        (*PLANTS, "information"),
        (("spans",),),
        "A schedule shows when tasks of a plant run.",
        "How long is it from the end of {a} to the start of {b}?",
        (
            Asked("1", "end of {a}", "h", ("high", 0, 0, "{a}")),
            Asked("1", "start of {b}", "h", ("low", 0, 0, "{b}")),
        ),
        "r1 - r0",
        "h",
        _schedule,
        {
            "start to start": "r1 - e0",
            "end to end": "e1 - r0",
            "start to end": "e1 - e0",
            "length of the first taken off": "r1 - r0 - (r0 - e0)",
            "unit": "(r1 - r0) * 60",
            "one end only": "r1",
        },
        (("low", 0, 0, "{a}"), ("high", 0, 0, "{b}")),
    ),
    Template(
        "recycle-ratio",
        "process",
        "comparative reasoning",
        PLANTS,
        (("flow", "flow"),),
        "Two plants of one design are run in different ways.",
        "The recycle share is F4 over F3. How many times that of panel 2 is the share of panel 1?",
        (
            Asked("1", "rate of F4", "kg/h", ("rate", 0, 0, "F4")),
            Asked("1", "rate of F3", "kg/h", ("rate", 0, 0, "F3")),
            Asked("2", "rate of F4", "kg/h", ("rate", 0, 1, "F4")),
            Asked("2", "rate of F3", "kg/h", ("rate", 0, 1, "F3")),
        ),
        "r0 / r1 / (r2 / r3)",
        "",
        _two_flows,
        {
            "ratio inverted": "r2 / r3 / (r0 / r1)",
            "recycle alone": "r0 / r2",
            "one panel alone": "r0 / r1",
            "panels mixed": "r0 / r3 / (r2 / r1)",
        },
    ),
    Template(
        "filling-ratio",
        "process",
        "comparative reasoning",
        PLANTS,
        (("curves", "curves"),),
        "Tanks are filled with the valve half open (panel 1) and open (panel 2).",
        "How many times as long does tank {s} take to {level} % in panel 1 as in panel 2?",
        (
            Asked("1", "time at which {s} reaches {level} %", "min", ("crossing", 0, 0, "{s}", "{level}")),
            Asked("2", "time at which {s} reaches {level} %", "min", ("crossing", 0, 1, "{s}", "{level}")),
        ),
        "r0 / r1",
        "",
        _two_fillings,
        {
            "ratio inverted": "r1 / r0",
            "adjacent series": "e0 / e1",
            "wrong panel": "e0 / r0",
            "legend swap": "r0 / e1",
        },
        (("crossing", 0, 0, "{other}", "{level}"), ("crossing", 0, 1, "{other}", "{level}")),
    ),
    Template(
        "valve-change",
        "process",
        "causal reasoning",
        PLANTS,
        (("flow",),),
        "Stream F3 is a fixed share of what enters unit 2, that is of F2 and F4 together.",
        "F2 is made {k} times as large while F4 is kept. What will the rate of F3 be?",
        (
            Asked("1", "rate of F2", "kg/h", ("rate", 0, 0, "F2")),
            Asked("1", "rate of F4", "kg/h", ("rate", 0, 0, "F4")),
            Asked("1", "rate of F3", "kg/h", ("rate", 0, 0, "F3")),
        ),
        "(k * r0 + r1) * r2 / (r0 + r1)",
        "kg/h",
        _valve,
        {
            "recycle left out": "k * r2",
            "added, not shared": "r2 + (k - 1) * r0",
            "no change": "r2",
            "share of F2 alone": "(k * r0 + r1) * r2 / r0",
        },
    ),
    Template(
        "batch-cause",
        "process",
        "causal reasoning",
        PLANTS,
        (("curves", "curves"),),
        "A batch before and after one change. A is the product, B a by-product, C what is left of the feed.",
        "Which change explains the shares at {t} min?",
        tuple(
            Asked(str(p + 1), f"share of {name} at {{t}} min", "%", ("y_at", 0, p, name, "{t}"))
            for name in "ABC"
            for p in (0, 1)
        ),
        "change(r0, r1), change(r2, r3), change(r4, r5)",
        "",
        _batches,
        attributes=("product", "by-product", "feed left"),
        causes=_BATCH_CAUSES,
    ),
)

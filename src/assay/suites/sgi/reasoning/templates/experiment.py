"""Experiment figures: spectra, gels with a ladder, oscilloscope screens, well plates."""

from __future__ import annotations

from typing import Any

from assay.numbers import portable
from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning.panels import Image, axis, log_axis
from assay.suites.sgi.reasoning.templates.shapes import chart, grid, peaks, series, some_names, spread, waves
from assay.suites.sgi.reasoning.templates.template import Asked, Fields, Template, real

BENCH = ("chemistry", "material", "physics")


def _spectrum(stream: Stream, title: str, names: list[str], tops: list[float]) -> dict[str, Any]:
    """Spectra whose highest peaks are at `tops` nm."""
    xs = spread(400, 700, 181)
    drawn = []
    for name, top in zip(names, tops, strict=True):
        height = real(stream, 0.9, 1.8, 0.01)
        small = top + (real(stream, 60, 90, 1) if top < 550 else -real(stream, 60, 90, 1))
        found = [(top, height, 14.0), (small, height * 0.4, 12.0)]
        drawn.append(series(name, xs, peaks(xs, found, 0.05)))
    return chart(title, axis(400, 700, 50, "wavelength (nm)"), axis(0, 2, 0.5, "absorbance"), drawn)


def _one_spectrum(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    names, chosen = some_names(stream, level, 2)
    other = stream.choice([name for name in names if name != chosen])
    tops = stream.sample([430.0 + 26 * k for k in range(10)], len(names))
    places = [top + stream.below(12) for top in tops]
    fields = {"s": chosen, "other": other, "epsilon": real(stream, 200, 900, 50), "l": real(stream, 1, 5, 1)}
    return [[_spectrum(stream, "panel 1", names, places)]], fields


def _shifted(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    cold = real(stream, 440, 500, 1)
    warm = cold + real(stream, 30, 60, 1)
    names = ["A"] if level < 3 else ["A", "B"]
    panels: Image = [
        _spectrum(stream, f"panel {k}", names, [top, 660.0][: len(names)])
        for k, top in ((1, cold), (2, warm))
    ]
    first = real(stream, 280, 300, 5)
    second = first + real(stream, 40, 60, 5)
    return [panels], {"first": first, "second": second, "third": second + real(stream, 40, 80, 5)}


def _gel(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    lanes = []
    for k in range(2 + level):
        sizes = stream.sample(
            [140 * portable.exp(0.22 * j) for j in range(13)], 1 + (level > 1) + (level > 3)
        )
        lanes.append({"name": f"S{k + 1}", "bands": [float(round(s + 4 * stream.below(5))) for s in sizes]})
    first, second, third = stream.sample([lane["name"] for lane in lanes], 3)
    panel = {
        "kind": "gel",
        "title": "panel 1",
        "y": log_axis(100, 3000, [], "size (bp)"),
        "ladder": [150, 300, 500, 1000, 2000],
        "lanes": lanes,
    }
    return [[panel]], {"a": first, "b": second, "c": third}


SCREEN_TIMES = (0.5, 1.0, 2.0, 5.0)


def _screen(
    title: str, division: float, volts: float, wave: tuple[float, float, float, float]
) -> dict[str, Any]:
    across = 10 * division
    xs = spread(0, across, 201)
    amplitude, period, phase, offset = wave
    return chart(
        title,
        axis(0, across, division, "ms"),
        axis(-4 * volts, 4 * volts, volts, "V"),
        [series("A", xs, waves(xs, amplitude, period, phase, offset))],
        "scope",
    )


def _scope(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    division, volts = stream.choice(SCREEN_TIMES), stream.choice((0.5, 1.0, 2.0))
    period = real(stream, 2.2, 4.4, 0.05) * division
    wave = (real(stream, 1.5, 3, 0.1) * volts, period, stream.uniform(), real(stream, -0.6, 0.6, 0.1) * volts)
    return [[_screen("panel 1", division, volts, wave)]], {}


def _scope_pair(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    pattern = stream.choice(list(_FAULTS)).split("/")
    before = (real(stream, 1.2, 1.6, 0.1), real(stream, 2.5, 3, 0.1), real(stream, 0.8, 1.0, 0.1))
    shifts = {"rises": 1.4, "falls": 0.65, "stays": 1.0}
    after = [value * shifts[what] for value, what in zip(before, pattern, strict=True)]
    panels: Image = []
    for k, (amplitude, period, offset) in enumerate((before, after), 1):
        title = f"panel {k}: " + ("before", "after")[k - 1]
        # The second screen of a hard item has another time base.
        division = 2.0 if k == 2 and level > 2 else 1.0
        panels.append(_screen(title, division, 1.0, (amplitude, period, stream.uniform(), offset)))
    return [panels], {}


_FAULTS = {
    "rises/stays/stays": "the gain of the amplifier was raised",
    "falls/stays/stays": "the probe attenuates",
    "stays/rises/stays": "the capacitor of the oscillator was enlarged",
    "stays/falls/stays": "the resistor of the oscillator was lowered",
    "stays/stays/rises": "a bias was added",
    "stays/stays/falls": "the coupling capacitor leaks less",
    "rises/stays/rises": "the supply voltage was raised",
    "falls/stays/falls": "the supply voltage has dropped",
    "falls/falls/stays": "the load was doubled",
    "rises/rises/stays": "the feedback was weakened",
    "falls/rises/stays": "a filter was put in line",
    "rises/falls/stays": "the crystal was exchanged",
}


def _plate(stream: Stream, level: int) -> tuple[list[Image], Fields]:
    columns = 6 + 2 * (level > 2)
    wells = [stream.choice([0.12, 0.2, 0.3, 0.4, 0.52, 0.64, 0.76, 0.88]) for _ in range(columns)]
    a, b, c = stream.sample(range(1, columns + 1), 3)
    panel = grid(
        stream,
        "panel 1",
        columns=columns,
        rows=6,
        low=0,
        high=4,
        step=0.5,
        label="signal",
        wells=wells,
        across="column",
        up="row",
    )
    return [[panel]], {"a": a, "b": b, "c": c}


TEMPLATES = (
    Template(
        "spectrum-peak",
        "experiment",
        "signal perception",
        BENCH,
        (("curves",),),
        "Absorption spectra of several dyes, in the colours of the legend.",
        "At which wavelength does dye {s} absorb most?",
        (Asked("1", "wavelength of the highest peak of {s}", "nm", ("peak_x", 0, 0, "{s}")),),
        "r0",
        "nm",
        _one_spectrum,
        {
            "adjacent series": "e0",
            "axis turned round": "1100 - r0",
            "middle of both": "(r0 + e0) / 2",
            "axis misread": "r0 + 25",
        },
        (("peak_x", 0, 0, "{other}"),),
    ),
    Template(
        "gel-size",
        "experiment",
        "signal perception",
        ("life", "chemistry"),
        (("gel",),),
        "A gel: lane L is a ladder of known sizes, distances are logarithmic in size.",
        "What is the size of the largest fragment in lane {a}?",
        (Asked("1", "largest size in lane {a}", "bp", ("band", 0, 0, "{a}", 0)),),
        "r0",
        "bp",
        _gel,
        {
            "wrong lane": "e0",
            "another lane": "e1",
            "next rung of the ladder": "r0 * 2",
            "log/linear confusion": "100 + 2900 * log(r0 / 100) / log(30)",
        },
        (("band", 0, 0, "{b}", 0), ("band", 0, 0, "{c}", 0)),
    ),
    Template(
        "wave-frequency",
        "experiment",
        "attribute understanding",
        ("physics", "information", "energy"),
        (("scope",),),
        "The screen of an oscilloscope with ten by eight divisions; their worth stands below it.",
        "What is the frequency of the signal?",
        (Asked("1", "period", "ms", ("period", 0, 0, "A")),),
        "1000 / r0",
        "Hz",
        _scope,
        {
            "half a period": "2000 / r0",
            "angular frequency": "6283.185 / r0",
            "ratio inverted": "r0 * 100",
            "two periods": "500 / r0",
            "period for frequency": "r0",
        },
    ),
    Template(
        "dye-concentration",
        "experiment",
        "attribute understanding",
        BENCH,
        (("curves",),),
        "Absorption spectra of several dyes. Absorbance is epsilon times concentration times path length.",
        "Epsilon there is {epsilon} per M and cm, the path {l} cm. What is the concentration of dye {s}?",
        (Asked("1", "highest absorbance of {s}", "", ("peak_y", 0, 0, "{s}")),),
        "r0 / (epsilon * l) * 1000",
        "mM",
        _one_spectrum,
        {
            "adjacent series": "e0 / (epsilon * l) * 1000",
            "path left out": "r0 / epsilon * 1000",
            "unit": "r0 / (epsilon * l) * 10000",
            "path multiplied": "r0 / epsilon * l * 1000",
            "ratio inverted": "epsilon * l / r0 / 1000",
        },
        (("peak_y", 0, 0, "{other}"),),
    ),
    Template(
        "plate-ratio",
        "experiment",
        "comparative reasoning",
        ("life", "chemistry"),
        (("heat",),),
        "A plate reader's signals; column 1 is on the left, row 1 at the bottom.",
        "How many times the mean signal of column {b} is that of column {a}?",
        (
            Asked("1", "mean signal of column {a}", "", ("column_mean", 0, 0, "{a}")),
            Asked("1", "mean signal of column {b}", "", ("column_mean", 0, 0, "{b}")),
        ),
        "r0 / r1",
        "",
        _plate,
        {
            "ratio inverted": "r1 / r0",
            "difference for ratio": "abs(r0 - r1)",
            "wrong column": "e0 / r1",
            "colour bar turned round": "(4 - r0) / (4 - r1)",
        },
        (("column_mean", 0, 0, "{c}"),),
    ),
    Template(
        "gel-ratio",
        "experiment",
        "comparative reasoning",
        ("life", "chemistry"),
        (("gel",),),
        "A gel: lane L is a ladder of known sizes, distances are logarithmic in size.",
        "How many times the largest fragment of lane {b} is the largest of lane {a}?",
        (
            Asked("1", "largest size in lane {a}", "bp", ("band", 0, 0, "{a}", 0)),
            Asked("1", "largest size in lane {b}", "bp", ("band", 0, 0, "{b}", 0)),
        ),
        "r0 / r1",
        "",
        _gel,
        {
            "ratio inverted": "r1 / r0",
            "log/linear confusion": "log(r0 / 100) / log(r1 / 100)",
            "wrong lane": "e0 / r1",
            "wrong lane below": "r0 / e0",
        },
        (("band", 0, 0, "{c}", 0),),
    ),
    Template(
        "circuit-fault",
        "experiment",
        "causal reasoning",
        ("physics", "information", "energy"),
        (("scope", "scope"),),
        "Two screens of an oscilloscope, before and after one change to a circuit; mind the time base.",
        "Which change explains the second screen?",
        tuple(
            Asked(str(p + 1), what, unit, (how, 0, p, "A"))
            for what, how, unit in (
                ("amplitude", "amplitude", "V"),
                ("period", "period", "ms"),
                ("mean level", "offset", "V"),
            )
            for p in (0, 1)
        ),
        "change(r0, r1), change(r2, r3), change(r4, r5)",
        "",
        _scope_pair,
        attributes=("the amplitude", "the period", "the mean level"),
        causes=_FAULTS,
    ),
    Template(
        "peak-shift",
        "experiment",
        "causal reasoning",
        BENCH,
        (("curves", "curves"),),
        "Spectra of dye A at two temperatures. Its highest peak moves in proportion to their difference.",
        "Panel 1 is at {first} K, panel 2 at {second} K. Where will the peak of A be at {third} K?",
        (
            Asked("1", "wavelength of the highest peak of A", "nm", ("peak_x", 0, 0, "A")),
            Asked("2", "wavelength of the highest peak of A", "nm", ("peak_x", 0, 1, "A")),
        ),
        "r0 + (r1 - r0) * (third - first) / (second - first)",
        "nm",
        _shifted,
        {
            "no change": "r1",
            "one step more": "r1 + (r1 - r0)",
            "sign": "r0 - (r1 - r0) * (third - first) / (second - first)",
            "from the second panel": "r1 + (r1 - r0) * (third - first) / (second - first)",
            "proportional to temperature": "r1 * third / second",
        },
    ),
)

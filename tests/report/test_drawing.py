"""Small pictures: what stands where, and that no text or number breaks them."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from assay import plotting, report
from assay.report import drawing
from assay.report.blocks import Drawing
from assay.report.drawing import Line, bar, graph, histogram, interval, lines, number
from tests.markup import page_of

HOSTILE = '</svg><script>alert("x")</script>&\x00\x1b'
WILD = (0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, 5.0, 0.1 + 0.2)


def parsed(made: Drawing) -> ElementTree.Element:
    """The picture as XML, which is stricter than a browser."""
    page_of(made.markup)
    return ElementTree.fromstring(made.markup)


def paths(made: Drawing, look: str) -> list[str]:
    """The outlines of that class."""
    return [e.attrib["d"] for e in parsed(made).iter("path") if look in e.attrib["class"].split()]


def texts(made: Drawing) -> list[str]:
    return ["".join(e.itertext()) for e in parsed(made).iter("text")]


DRAWN: dict[str, Callable[[float, str], Drawing]] = {
    "interval": lambda v, t: interval(v, v - 1, v + 1, t, domain=(-2, 2), band=(v, v)),
    "bar": lambda v, t: bar(v, t),
    "lines": lambda v, t: lines([Line(t, (v, None, 2 * v, 0.5))], t, along=t, marks=[(2, t)]),
    "steps": lambda v, t: lines([Line(t, (v, v, None, v))], t, steps=True),
    "histogram": lambda v, t: histogram([0, 1, 2], [v, 1], [1, v], t, band=[v, 0], labels=[t, t], along=t),
    "graph": lambda v, t: graph({t: t, "b": "b"}, [(t, "b"), ("b", t)], t, truth=[(t, "b")], target=t),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_whole_whatever_it_shows(name: str) -> None:
    for value in WILD:
        made = DRAWN[name](value, HOSTILE)
        root = parsed(made)
        assert root.find("title") is not None and root.attrib["role"] == "img"
        assert "script" not in {e.tag for e in root.iter()}
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for e in root.iter("text"):
            assert -1 <= float(e.attrib["x"]) <= width + 1
            assert -1 <= float(e.attrib["y"]) <= height + 1


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_picture_is_the_same_text(name: str) -> None:
    assert DRAWN[name](0.3, "a") == DRAWN[name](0.3, "a")
    rounded = "".join(paths(DRAWN[name](1 / 3, "a"), "one"))
    assert not re.search(r"\d\.\d\d", rounded)


def test_pictures_of_nothing() -> None:
    for made in (
        lines([], "no series"),
        lines([Line("a", ())], "no values"),
        lines([Line("a", (None, math.nan, math.inf))], "no numbers"),
        histogram([0, 1], None, None, "no histogram"),
        graph({}, [], "no graph"),
        interval(None, None, None, "no estimate"),
    ):
        parsed(made)


def test_an_interval_stands_on_its_axis() -> None:
    made = interval(0.5, 0.0, 1.0, "half")
    assert paths(made, "line") == ["M110 10H214"]
    assert paths(made, "full")[0].startswith("M157.5 10")
    assert paths(interval(0.5, None, None, "", filled=False), "hollow")
    assert "h8v8h-8Z" in paths(interval(0.5, None, None, "", probe=True), "full")[0]
    assert paths(interval(9, 8, 10, "beyond"), "line") == ["M214 10H214"]


def test_a_bar_is_as_long_as_its_share() -> None:
    assert paths(bar(0.25, ""), "full") == ["M0 1H40V11H0Z"]
    assert paths(bar(7, ""), "full") == ["M0 1H160V11H0Z"]


def test_lines_break_where_a_value_is_missing() -> None:
    (path,) = paths(lines([Line("a", (1.0, 2.0, None, 3.0))], ""), ["line", "one"][1])[:1]
    assert path.count("M") == 2 and path.count("L") == 1


def test_an_axis_has_round_numbers_around_its_values() -> None:
    for low, high in ((0, 0.0), (0, 1), (0, 0.37), (-4800, 597_500), (3, 3), (0, 2e9), (0, 1e-9)):
        ticks = drawing._ticks(low, high if high > low else low + 1)
        assert 2 <= len(ticks) <= 7
        assert ticks[0] <= low and ticks[-1] >= high
    made = lines([Line("money", (600_000.0, -4800.0))], "")
    assert "600k" in texts(made)


def test_a_graph_tells_right_wrong_and_missing_edges_apart() -> None:
    names = {n: n for n in "abc"}
    made = graph(names, [("a", "b"), ("c", "a")], "", truth=[("a", "b"), ("b", "c")])
    assert [len(paths(made, kind)) for kind in ("right", "wrong", "missing")] == [2, 2, 2]
    loop = graph(names, [("a", "a"), ("a", "z")], "", truth=[])
    assert not paths(loop, "edge")


def test_edges_both_ways_do_not_hide_each_other() -> None:
    names = {"a": "a", "b": "b"}
    alone, both = (graph(names, edges, "") for edges in ([("a", "b")], [("a", "b"), ("b", "a")]))
    assert paths(alone, "edge")[0] not in paths(both, "edge")


def test_numbers_are_short() -> None:
    assert [number(v) for v in (0.0, -0.0, 3.0, 12345.0, -2.0)] == ["0", "0", "3", "12\u202f345", "\u22122"]
    assert [number(v) for v in (0.123456, 1e-7, None, math.nan)] == ["0.1235", "1e\u221207", "–", "–"]


def test_the_colours_are_those_of_the_figures() -> None:
    style = (Path(report.__file__).parent / "assets/episode.css").read_text("utf-8").lower()
    for look, colour in (("one", "blue"), ("one", "sky"), ("two", "orange")):
        assert f"--{look}: {plotting.COLOURS[colour].lower()};" in style
    for look in drawing.LOOKS:
        assert f".line.{look} {{" in style

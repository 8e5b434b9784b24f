"""A scene as text: comma-separated rows below a heading for each panel, and back.

What the rows of a kind hold is said by their first line. Numbers that are in no picture are not in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.suites.sgi.reasoning.measures import Scene
from assay.suites.sgi.reasoning.panels import Image, Panel

HEADING = re.compile(r"^# image (\d+), panel (\d+): (\w+)(.*)$")
EXTENT = re.compile(r"; (\w+) from ([-\d.e+]+) to ([-\d.e+]+)")
Rows = list[list[str]]


def listed(scene: Scene) -> str:
    """The whole scene as text."""
    lines = []
    for i, image in enumerate(scene, 1):
        for p, panel in enumerate(image, 1):
            extents = "".join(
                f"; {a} from {panel[a]['low']:.6g} to {panel[a]['high']:.6g}"
                for a in ("x", "y", "value")
                if a in panel
            )
            if panel["kind"] == "objects":
                extents = f"; width from 0 to {panel['width']:.6g}"
            lines.append(f"# image {i}, panel {p}: {panel['kind']}{extents}; {panel['title']}")
            lines.extend(",".join(row) for row in _ROWS[panel["kind"]](panel))
    return "\n".join(lines)


def parsed(text: str) -> list[Image]:
    """The scene of such a text, without what only a picture needs; `ValueError` where it is none."""
    scene: list[Image] = []
    panel: dict[str, Any] | None = None
    rows: Rows = []

    def close() -> None:
        if panel is not None:
            _FILL[panel["kind"]](panel, rows[1:])
            rows.clear()

    for line in text.splitlines():
        heading = HEADING.match(line)
        if heading is None:
            rows.append(line.split(","))
            continue
        close()
        if int(heading[1]) > len(scene):
            scene.append([])
        panel = {"kind": heading[3]}
        for name, low, high in EXTENT.findall(heading[4]):
            panel[name] = (
                float(high)
                if name == "width"
                else {"low": float(low), "high": float(high), "ticks": [], "minor": 0.0, "log": False}
            )
        scene[-1].append(panel)
    close()
    return scene


def _n(value: float) -> str:
    return f"{value:.6g}"


def _curves(panel: Panel) -> Iterator[list[str]]:
    yield ["series", "style", "x", "y"]
    for series in panel["series"]:
        for x, y in zip(series["x"], series["y"], strict=True):
            yield [series["name"], series["style"], _n(x), _n(y)]


def _fill_curves(panel: dict[str, Any], rows: Rows) -> None:
    found: dict[str, dict[str, Any]] = {}
    for name, style, x, y in rows:
        series = found.setdefault(name, {"name": name, "style": style, "x": [], "y": []})
        series["x"].append(float(x))
        series["y"].append(float(y))
    panel["series"] = list(found.values())


def _bars(panel: Panel) -> Iterator[list[str]]:
    yield ["series", "group", "value", "error"]
    for series in panel["series"]:
        for group, value, error in zip(panel["groups"], series["values"], series["errors"], strict=True):
            yield [series["name"], group, _n(value), _n(error)]


def _fill_bars(panel: dict[str, Any], rows: Rows) -> None:
    found: dict[str, dict[str, Any]] = {}
    panel["groups"] = list(dict.fromkeys(row[1] for row in rows))
    for name, _, value, error in rows:
        series = found.setdefault(name, {"name": name, "values": [], "errors": []})
        series["values"].append(float(value))
        series["errors"].append(float(error))
    panel["series"] = list(found.values())


def _spans(panel: Panel) -> Iterator[list[str]]:
    marked = "mark" in panel["rows"][0]
    yield ["row", "low", "high", *(["mark"] if marked else [])]
    for row in panel["rows"]:
        yield [row["name"], _n(row["low"]), _n(row["high"]), *([_n(row["mark"])] if marked else [])]


def _fill_spans(panel: dict[str, Any], rows: Rows) -> None:
    panel["rows"] = [
        {"name": name, **dict(zip(("low", "high", "mark"), map(float, values), strict=False))}
        for name, *values in rows
    ]


def _objects(panel: Panel) -> Iterator[list[str]]:
    yield ["species", "x", "y", "radius"]
    for one in panel["objects"]:
        yield [one["species"], _n(one["x"]), _n(one["y"]), _n(one["r"])]


def _fill_objects(panel: dict[str, Any], rows: Rows) -> None:
    panel["objects"] = [
        {"species": species, "x": float(x), "y": float(y), "r": float(r)} for species, x, y, r in rows
    ]


def _gel(panel: Panel) -> Iterator[list[str]]:
    yield ["lane", "size"]
    for lane in panel["lanes"]:
        for size in lane["bands"]:
            yield [lane["name"], _n(size)]


def _fill_gel(panel: dict[str, Any], rows: Rows) -> None:
    found: dict[str, dict[str, Any]] = {}
    for name, size in rows:
        found.setdefault(name, {"name": name, "bands": []})["bands"].append(float(size))
    panel["lanes"] = list(found.values())


def _heat(panel: Panel) -> Iterator[list[str]]:
    yield ["row", "column", "value"]
    for r, row in enumerate(panel["cells"], 1):
        for c, value in enumerate(row, 1):
            yield [str(r), str(c), _n(value)]


def _fill_heat(panel: dict[str, Any], rows: Rows) -> None:
    cells: list[list[float]] = []
    for r, _, value in rows:
        if int(r) > len(cells):
            cells.append([])
        cells[-1].append(float(value))
    panel["cells"] = cells


def _flow(panel: Panel) -> Iterator[list[str]]:
    yield ["stream", "rate"]
    for name, rate in panel["streams"].items():
        yield [name, _n(rate)]


def _fill_flow(panel: dict[str, Any], rows: Rows) -> None:
    panel["streams"] = {name: float(rate) for name, rate in rows}


_ROWS: Mapping[str, Callable[[Panel], Iterator[list[str]]]] = {
    "curves": _curves,
    "scope": _curves,
    "bars": _bars,
    "spans": _spans,
    "objects": _objects,
    "gel": _gel,
    "heat": _heat,
    "flow": _flow,
}

_FILL: Mapping[str, Callable[[dict[str, Any], Rows], None]] = {
    "curves": _fill_curves,
    "scope": _fill_curves,
    "bars": _fill_bars,
    "spans": _fill_spans,
    "objects": _fill_objects,
    "gel": _fill_gel,
    "heat": _fill_heat,
    "flow": _fill_flow,
}

"""Small inline pictures as SVG: intervals, bars, line charts, graphs, histograms.

Colours and line styles come from classes in `assets/episode.css`, so that they adapt to dark mode and print.
Shapes and line styles repeat what colours express, for readers who cannot distinguish the colours.
Coordinates are rounded to a tenth of a pixel, texts are escaped, and each picture has a title. Callers cannot
set colours, scripts or addresses.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.report.blocks import Drawing

# Control characters and lone surrogates are not allowed in HTML, not even escaped.
_SIGNS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160)], "\ufffd")
_SIGNS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
# Invisible characters, and those that change the direction of writing, can make a text look like another.
_SIGNS |= dict.fromkeys([0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], "\ufffd")
_SIGNS |= dict.fromkeys([*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)], "\ufffd")
_TEXT = _SIGNS | {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def visible(text: str) -> str:
    """Replace control, invisible and bidirectional characters by U+FFFD. Markup is not escaped."""
    return text.translate(_SIGNS)


def plain(value: object) -> str:
    """Escape a value for use between tags. Quotation marks are kept, so attributes need further escaping."""
    return str(value).translate(_TEXT)


Edge = tuple[str, str]

LOOKS = ("one", "two", "three", "four", "five")
"""CSS classes of the series of a picture, in order. Each has its own colour and line style."""

LONGEST_NAME = 22
"""Largest number of characters of a name in a picture; longer names are cut."""


def interval(
    value: float | None,
    low: float | None,
    high: float | None,
    title: str,
    *,
    domain: tuple[float, float] = (-1.0, 1.0),
    zero: float | None = 0.0,
    band: tuple[float, float] | None = None,
    filled: bool = True,
    probe: bool = False,
) -> Drawing:
    """Draw an estimate with its interval on an axis, at the size of a table row.

    Args:
        value: The estimate, or None if it is missing.
        low: Lower end of its interval, or None without an interval.
        high: Upper end of its interval, or None without an interval.
        title: Description of the picture.
        domain: The values at both ends of the axis.
        zero: The reference value, marked by a vertical line, or None for no line.
        band: The range that contains the true value, drawn shaded, or None for no band.
        filled: False draws a hollow mark, for an estimate that is not significant.
        probe: True draws a square mark, for a probe.
    """
    x = _Scale(domain, (6.0, 214.0))
    drawn = ['<path class="axis" d="M6 10H214"/>']
    if zero is not None:
        drawn.append(f'<path class="zero" d="M{_n(x(zero))} 2V18"/>')
    if band is not None:
        left, right = x(band[0]), x(band[1])
        drawn.append(f'<path class="band" d="M{_n(left)} 1H{_n(max(right, left + 1.5))}V19H{_n(left)}Z"/>')
    look = "two" if probe else "one"
    if low is not None and high is not None:
        drawn.append(f'<path class="line {look}" d="M{_n(x(low))} 10H{_n(x(high))}"/>')
    if value is not None:
        at, fill = x(value), "full" if filled else "hollow"
        shape = f"M{_n(at - 4)} 6h8v8h-8Z" if probe else _circle(at, 10, 4.5)
        drawn.append(f'<path class="{fill} {look}" d="{shape}"/>')
    return _svg(220, 20, title, drawn)


def bar(share: float, title: str, look: int = 0) -> Drawing:
    """Draw a share between 0 and 1 as a bar at the size of a table row; `look` is an index of `LOOKS`."""
    width = _n(160 * min(max(share, 0.0), 1.0))
    return _svg(
        160,
        12,
        title,
        [
            '<path class="trough" d="M0 1H160V11H0Z"/>',
            f'<path class="full {LOOKS[look]}" d="M0 1H{width}V11H0Z"/>',
        ],
    )


@dataclass(frozen=True)
class Line:
    """A series of a line chart, with a value for each position on the axis; None leaves a gap."""

    name: str
    values: tuple[float | None, ...]


def lines(
    series: Sequence[Line],
    title: str,
    *,
    first: int = 1,
    along: str = "",
    marks: Sequence[tuple[int, str]] = (),
    least: float | None = 0.0,
    steps: bool = False,
) -> Drawing:
    """Draw a line chart whose horizontal axis counts in whole numbers.

    Args:
        series: At most five series.
        title: Description of the picture.
        first: The number at which the horizontal axis begins.
        along: Name of the horizontal axis.
        marks: Positions on the horizontal axis to mark, each with a description.
        least: Where the value axis begins, unless a value is lower. If it is None, the axis begins at the
            smallest value.
        steps: Whether to draw steps, for values that stay constant until the next one.
    """
    values = [v for line in series for v in line.values if v is not None and math.isfinite(v)]
    n = max((len(line.values) for line in series), default=1)
    low = min([*values, *([] if least is None else [least])], default=0.0)
    high = max([*values, low], default=1.0)
    ticks = _ticks(low, high if high > low else low + 1.0)
    y = _Scale((ticks[0], ticks[-1]), (138.0, 26.0))
    x = _Scale((float(first), float(max(first + n - 1, first + 1))), (52.0, 340.0))
    drawn = _grid(ticks, y, 52, 340)
    stride = _stride(n)
    # Label the first position, and the round ones whose labels do not overlap with its label.
    whole = [first, *(t for t in range(first + stride - stride // 3, first + n) if t % stride == 0)]
    drawn += [f'<text class="end" x="{_n(x(t))}" y="154" text-anchor="middle">{t}</text>' for t in whole]
    if along:
        drawn.append(f'<text class="axis-name" x="340" y="168" text-anchor="end">{plain(along)}</text>')
    for place, words in marks:
        at = _n(x(float(place)))
        drawn.append(f'<path class="mark" d="M{at} 26V138"><title>{plain(words)}</title></path>')
    for line, look in zip(series, LOOKS, strict=False):
        drawn.append(f'<path class="line {look}" d="{_polyline(line.values, first, x, y, steps=steps)}"/>')
    drawn += _legend([line.name for line in series], 52)
    return _svg(350, 172, title, drawn)


def histogram(
    edges: Sequence[float],
    reference: Sequence[float] | None,
    submitted: Sequence[float] | None,
    title: str,
    *,
    band: Sequence[float] | None = None,
    labels: Sequence[str] = (),
    along: str = "",
) -> Drawing:
    """Draw a submitted histogram as points over its reference, which is drawn as a step line.

    Args:
        edges: Edges of the bins.
        reference: Content of each bin of the reference, or None if there is no reference.
        submitted: Content of each submitted bin, or None if nothing was submitted.
        title: Description of the picture.
        band: Half the height of the shaded band around each bin of the reference.
        labels: Names of the bins. If given, all bins are drawn with the same width.
        along: Name of the horizontal axis.
    """
    n = len(edges) - 1
    widths = list(band or [0.0] * n)
    tops = [*(submitted or ()), *(v + w for v, w in zip(reference or (), widths, strict=False))]
    ticks = _ticks(0.0, max([v for v in tops if math.isfinite(v)], default=0.0) or 1.0)
    places = [float(k) for k in range(n + 1)] if labels else [float(e) for e in edges]
    x, y = _Scale((places[0], places[-1]), (52.0, 452.0)), _Scale((0.0, ticks[-1]), (206.0, 26.0))
    drawn = _grid(ticks, y, 52, 452)
    bins = list(pairwise(places))
    if reference is not None:
        for (left, right), value, width in zip(bins, reference, widths, strict=False):
            if width:
                top, bottom = _n(y(value + width)), _n(y(max(value - width, 0.0)))
                drawn.append(
                    f'<path class="band" d="M{_n(x(left))} {top}H{_n(x(right))}V{bottom}H{_n(x(left))}Z"/>'
                )
        path = f"M{_n(x(places[0]))} {_n(y(0.0))}" + "".join(
            f"V{_n(y(value))}H{_n(x(right))}" for (_, right), value in zip(bins, reference, strict=False)
        )
        drawn.append(f'<path class="line ink" d="{path}V{_n(y(0.0))}"/>')
    if submitted is not None:
        for (left, right), value in zip(bins, submitted, strict=False):
            if math.isfinite(value):
                inside = y(min(max(value, 0.0), ticks[-1]))
                drawn.append(f'<path class="line one" d="M{_n(x(left))} {_n(inside)}H{_n(x(right))}"/>')
                drawn.append(f'<path class="full one" d="{_circle(x((left + right) / 2), inside, 3.5)}"/>')
    named = [(x((a + b) / 2), words) for (a, b), words in zip(bins, labels, strict=False)]
    named = named or [(x(edge), number(edge)) for edge in places]
    every = -(-len(named) // 9)
    drawn += [
        f'<text class="end" x="{_n(at)}" y="222" text-anchor="middle">{plain(_short(words))}</text>'
        for at, words in named[::every]
    ]
    if along:
        drawn.append(f'<text class="axis-name" x="452" y="238" text-anchor="end">{plain(along)}</text>')
    names = [("reference", "ink")] * (reference is not None) + [("submitted", "one")] * (
        submitted is not None
    )
    drawn += _legend([name for name, _ in names], 52, [look for _, look in names])
    return _svg(462, 244, title, drawn)


def graph(
    names: Mapping[str, str],
    edges: Collection[Edge],
    title: str,
    *,
    truth: Collection[Edge] | None = None,
    target: str = "",
) -> Drawing:
    """Draw a directed graph with its nodes on a circle.

    Args:
        names: The label of each node.
        edges: Pairs of cause and effect.
        title: Description of the picture.
        truth: The true edges. If given, correct edges are solid, wrong ones dashed and missing ones dotted.
        target: A node to highlight.
    """
    nodes = list(names)
    radius = max(80.0, 6.0 * len(nodes))  # many nodes need a larger circle, or their names would overlap
    middle = (radius + 100.0, radius + 38.0)
    place = {node: _on_circle(k, len(nodes), *middle, radius) for k, node in enumerate(nodes)}
    kinds: list[tuple[Edge, str]] = [
        (edge, "plain" if truth is None else "right" if edge in truth else "wrong")
        for edge in sorted(set(edges))
    ]
    if truth is not None:
        kinds += [(edge, "missing") for edge in sorted(set(truth) - set(edges))]
    drawn = [
        _arrow(place[a], place[b], kind, both=(b, a) in edges)
        for (a, b), kind in kinds
        if a in place and b in place and a != b
    ]
    for node, (px, py) in place.items():
        drawn.append(f'<path class="{"goal" if node == target else "node"}" d="{_circle(px, py, 5)}"/>')
        # Place labels outside the circle, so that no edge crosses them.
        side, up = px - middle[0], py - middle[1]
        anchor = "middle" if abs(side) < 0.3 * radius else "start" if side > 0 else "end"
        dx = 0 if anchor == "middle" else 10 if side > 0 else -10
        dy = 4 if anchor != "middle" else 20 if up > 0 else -11
        words = plain(_short(names[node]))
        drawn.append(f'<text x="{_n(px + dx)}" y="{_n(py + dy)}" text-anchor="{anchor}">{words}</text>')
    return _svg(round(2 * middle[0]), round(2 * radius + 68), title, drawn)


def number(value: float | None, digits: int = 4) -> str:
    """Format a number with at most `digits` significant digits, or in full if it is whole.

    None and non-finite values become a dash.

    >>> number(0.123456), number(1234.0), number(None)
    ('0.1235', '1234', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == int(value) and abs(value) < 1e15:
        text = f"{int(value):,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(int(value))
    else:
        text = f"{value:.{digits}g}"
    return text.replace("-", "\u2212")


# ------------------------------------------------------------ inside


class _Scale:
    """A linear map from a range of values to pixels. Values outside the range are clipped."""

    def __init__(self, domain: tuple[float, float], pixels: tuple[float, float]) -> None:
        self._low, self._high = domain
        self._from, self._to = pixels

    def __call__(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low) if self._high != self._low else 0.5
        return self._from + (self._to - self._from) * min(max(share, 0.0), 1.0)


def _svg(width: int, height: int, title: str, drawn: Sequence[str]) -> Drawing:
    return Drawing(
        f'<svg class="drawing" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<title>{plain(title)}</title>{''.join(drawn)}</svg>"
    )


def _n(value: float) -> str:
    """Format a coordinate in pixels with at most one decimal."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def _circle(x: float, y: float, r: float) -> str:
    return f"M{_n(x - r)} {_n(y)}a{_n(r)} {_n(r)} 0 1 0 {_n(2 * r)} 0a{_n(r)} {_n(r)} 0 1 0 {_n(-2 * r)} 0Z"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _ticks(low: float, high: float) -> list[float]:
    """Return a few equally spaced round numbers that cover the range from `low` to `high`."""
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return [0.0, 1.0]
    power = float(f"1e{int(f'{span / 4:e}'.partition('e')[2])}")
    step = next((power * m for m in (1, 2, 2.5, 5, 10) if span / (power * m) <= 4.5), power * 10)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [k * step for k in range(first, last + 1)]


def _grid(ticks: Sequence[float], y: _Scale, left: int, right: int) -> list[str]:
    drawn = []
    for tick in ticks:
        at = y(tick)
        drawn.append(f'<path class="grid" d="M{left} {_n(at)}H{right}"/>')
        drawn.append(
            f'<text class="end" x="{left - 6}" y="{_n(at + 4)}" text-anchor="end">{_tick(tick)}</text>'
        )
    return drawn


def _tick(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{number(value / (1e3 if letter == 'k' else size))}{letter}"
    return number(value)


def _stride(n: int) -> int:
    return next(step for step in (1, 2, 5, 10, 12, 20, 50, 100, 10**9) if n / step <= 8 or step == 10**9)


def _polyline(values: Sequence[float | None], first: int, x: _Scale, y: _Scale, *, steps: bool) -> str:
    parts, pen, last = [], "M", ""
    for place, value in enumerate(values, first):
        if value is None or not math.isfinite(value):
            pen = "M"
            continue
        at, height = _n(x(float(place))), _n(y(value))
        if steps and pen == "L":
            parts.append(f"H{at}")
            if height != last:
                parts.append(f"V{height}")
        else:
            parts.append(f"{pen}{at} {height}")
        pen, last = "L", height
    return "".join(parts)


def _legend(names: Sequence[str], left: int, looks: Sequence[str] = LOOKS) -> list[str]:
    drawn, at = [], float(left)
    for name, look in zip(names, looks, strict=False):
        if not name:
            continue
        words = _short(name)
        drawn.append(f'<path class="line {look}" d="M{_n(at)} 11h18"/>')
        drawn.append(f'<text x="{_n(at + 23)}" y="15">{plain(words)}</text>')
        at += 36 + 6.6 * len(words)
    return drawn


def _on_circle(k: int, n: int, x: float, y: float, r: float) -> tuple[float, float]:
    """Return the coordinates of position `k` of `n` on a circle, counted clockwise from the top."""
    turn = 2 * math.pi * k / n
    if turn > math.pi:
        turn -= 2 * math.pi
    sine, cosine = _series(turn, turn, 1), _series(turn, 1.0, 0)
    return x + r * sine, y - r * cosine


def _series(x: float, term: float, order: int) -> float:
    """Sum the Taylor series of the sine (`order` 1, `term` x) or the cosine (`order` 0, `term` 1).

    The functions of the C library differ in the last bit between machines; this sum does not.
    """
    total = 0.0
    for k in range(order, order + 40, 2):
        total += term
        term *= -x * x / ((k + 1) * (k + 2))
    return total


def _arrow(start: tuple[float, float], end: tuple[float, float], kind: str, *, both: bool) -> str:
    """Draw an arrow between two nodes. With `both`, it is shifted to leave room for the reverse arrow."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.sqrt(dx * dx + dy * dy) or 1.0
    ux, uy = dx / length, dy / length
    shift = 4.0 if both else 0.0
    ax, ay = start[0] + 8 * ux - shift * uy, start[1] + 8 * uy + shift * ux
    bx, by = end[0] - 8 * ux - shift * uy, end[1] - 8 * uy + shift * ux
    back = (bx - 8 * ux, by - 8 * uy)
    left, right = (back[0] - 3.5 * uy, back[1] + 3.5 * ux), (back[0] + 3.5 * uy, back[1] - 3.5 * ux)
    line = f"M{_n(ax)} {_n(ay)}L{_n(back[0])} {_n(back[1])}"
    head = f"M{_n(bx)} {_n(by)}L{_n(left[0])} {_n(left[1])}L{_n(right[0])} {_n(right[1])}Z"
    return f'<path class="edge {kind}" d="{line}"/><path class="head {kind}" d="{head}"/>'

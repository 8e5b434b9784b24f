"""Small SVG pictures on the pages of the site: an estimate with its interval, and a method profile.

Lengths are in pixels. Colours come from the style sheet alone, so that they adapt to the theme of the
reader's browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from assay.report.drawing import plain

WIDTH = 132
HEIGHT = 14


def interval(
    value: float | None, low: float | None, high: float | None, scale: tuple[float, float], words: str
) -> Markup:
    """Draw an estimate as a dot and its interval as a bar, on a line that represents the scale.

    Args:
        value: The estimate. If it is None, the picture is empty.
        low: Lower end of its interval, or None without an interval.
        high: Upper end of its interval, or None without an interval.
        scale: The values at the left and right end of the line.
        words: Alternative text, for readers who do not see the picture.
    """
    if value is None:
        return Markup("")
    left, right = scale
    span = right - left or 1.0

    def at(number: float) -> str:
        return _number(4 + (WIDTH - 8) * min(max((number - left) / span, 0.0), 1.0))

    y = HEIGHT / 2
    parts = [f'<line class="axis" x1="4" y1="{y:g}" x2="{WIDTH - 4}" y2="{y:g}"/>']
    if low is not None and high is not None:
        parts.append(f'<line class="bar" x1="{at(low)}" y1="{y:g}" x2="{at(high)}" y2="{y:g}"/>')
    parts.append(f'<circle class="dot" cx="{at(value)}" cy="{y:g}" r="3.5"/>')
    return _svg(WIDTH, HEIGHT, "interval", words, parts)


def profile(axes: Sequence[tuple[str, float | None, float | None, float | None]]) -> Markup:
    """Draw a method profile with one row for each axis.

    Args:
        axes: For each axis its name, its value in [0, 1], and the lower and upper end of the interval. The
            value of an axis that was not measured is None.
    """
    row, label, width = 26, 190, 560
    height = row * len(axes) + 22
    left, right = label + 8, width - 12

    def at(number: float) -> str:
        return _number(left + (right - left) * min(max(number, 0.0), 1.0))

    parts = []
    for tick in (0, 0.5, 1):
        parts.append(f'<line class="grid" x1="{at(tick)}" y1="4" x2="{at(tick)}" y2="{height - 18}"/>')
        parts.append(
            f'<text class="tick" x="{at(tick)}" y="{height - 4}" text-anchor="middle">{tick:g}</text>'
        )
    measured = []
    for i, (name, value, low, high) in enumerate(axes):
        y = row * i + 16
        parts.append(f'<text x="{label}" y="{y + 4}" text-anchor="end">{plain(name)}</text>')
        if value is None:
            parts.append(f'<text class="tick" x="{left + 4}" y="{y + 4}">not measured</text>')
            continue
        measured.append(f"{name} {value:.2f}")
        filled = _number(float(at(value)) - left)
        parts.append(f'<rect class="fill" x="{left}" y="{y - 6}" width="{filled}" height="12"/>')
        if low is not None and high is not None:
            parts.append(f'<line class="bar" x1="{at(low)}" y1="{y}" x2="{at(high)}" y2="{y}"/>')
        parts.append(f'<circle class="dot" cx="{at(value)}" cy="{y}" r="3.5"/>')
    return _svg(width, height, "profile", "; ".join(measured) or "nothing was measured", parts)


@dataclass(frozen=True)
class Point:
    """An agent in a picture of score against cost.

    Attributes:
        name: The agent.
        cost: The mean cost of its episodes.
        score: Its mean score, with the ends of the interval (None without one).
        sure: Whether it is on the frontier in at least 90 % of bootstrap samples.
    """

    name: str
    cost: float
    score: float
    low: float | None
    high: float | None
    sure: bool


def against_cost(points: Sequence[Point], scale: tuple[float, float], unit: str) -> Markup:
    """Draw scores with their intervals against mean costs; agents on the frontier are filled diamonds.

    Args:
        points: The agents.
        scale: The scores at the lower and upper end of the vertical axis.
        unit: What costs are counted in.
    """
    width, height, left, right, top, bottom = 640, 300, 46, 150, 10, 36
    most = max((point.cost for point in points), default=0.0) or 1.0
    span = scale[1] - scale[0] or 1.0

    def x(cost: float) -> str:
        return _number(left + (width - left - right) * cost / most)

    def y(score: float) -> str:
        return _number(top + (height - top - bottom) * (1 - min(max((score - scale[0]) / span, 0.0), 1.0)))

    parts = []
    for share in (0.0, 0.5, 1.0):
        score = scale[0] + share * span
        parts += [
            f'<line class="grid" x1="{left}" y1="{y(score)}" x2="{width - right}" y2="{y(score)}"/>',
            f'<text class="tick" x="{left - 6}" y="{y(score)}" dy="4" text-anchor="end">{score:g}</text>',
            f'<text class="tick" x="{x(share * most)}" y="{height - 20}" text-anchor="middle">'
            f"{share * most:.3g}</text>",
        ]
    parts.append(
        f'<text class="tick" x="{x(most / 2)}" y="{height - 4}" text-anchor="middle">'
        f"{plain(unit)} an episode</text>"
    )
    for point in points:
        at, on = x(point.cost), y(point.score)
        if point.low is not None and point.high is not None:
            parts.append(f'<line class="bar" x1="{at}" y1="{y(point.low)}" x2="{at}" y2="{y(point.high)}"/>')
        shape = (
            f'<path class="dot" d="M{at} {on}m0-6l6 6-6 6-6-6z"/>'
            if point.sure
            else f'<circle class="ring" cx="{at}" cy="{on}" r="4"/>'
        )
        parts.append(f'{shape}<text x="{at}" y="{on}" dx="9" dy="4">{plain(point.name)}</text>')
    words = "; ".join(
        f"{point.name} scores {point.score:.3g} for {point.cost:.3g} {unit}"
        + (", on the frontier" if point.sure else "")
        for point in points
    )
    return _svg(width, height, "against-cost", words, parts)


def _svg(width: float, height: float, kind: str, words: str, parts: Sequence[str]) -> Markup:
    label = plain(words).replace('"', "&quot;")
    return Markup(
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
        f' role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")

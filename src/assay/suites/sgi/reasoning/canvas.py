"""A canvas in pixels: lines, areas, discs and text by matplotlib's rasteriser, the same pixels every time.

Coordinates are pixels from the lower left corner. They are rounded to 1/16 and shades to
multiples of 5, well above the noise of floating point. The font is the one that comes with matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.transforms import Bbox, IdentityTransform
from numpy.typing import NDArray

from assay import plotting

DPI = 100
INK = "#222222"
TEXT_SIZE = 8
"""Points: the digits are 8 pixels high."""

Pixels = NDArray[np.uint8]
"""Rows from the top, columns, red-green-blue."""

_STEPS = np.array([(shade + 2) // 5 * 5 for shade in range(256)], dtype=np.uint8)
"""Of each shade the multiple of 5 that stands for it."""

Point = tuple[float, float]


@lru_cache
def _font(size: float) -> Any:
    file = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    return FontProperties(fname=str(file), size=size)


def _grid(value: float) -> float:
    return round(value * 16) / 16


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


class Canvas:
    """A white picture of `width` times `height` pixels."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        with plotting.style():
            self._renderer: Any = RendererAgg(width, height, DPI)
        self._clip: tuple[float, float, float, float] | None = None
        self.area([(0, 0), (width, 0), (width, height), (0, height)], "#ffffff")

    def clip(self, box: tuple[float, float, float, float] | None) -> None:
        """Draw only within left, bottom, right, top from now on; null: everywhere."""
        self._clip = box

    def _context(self, colour: str, width: float) -> Any:
        context = self._renderer.new_gc()
        context.set_foreground(_rgb(colour))
        context.set_linewidth(width)
        context.set_joinstyle("round")
        context.set_capstyle("butt")
        if self._clip is not None:
            context.set_clip_rectangle(Bbox.from_extents(*self._clip))
        return context

    def line(self, points: Sequence[Point], colour: str = INK, width: float = 1.0) -> None:
        """A line through the points."""
        path = Outline(np.array([(_grid(x), _grid(y)) for x, y in points]))
        self._renderer.draw_path(self._context(colour, width), path, IdentityTransform())

    def area(self, points: Sequence[Point], colour: str, edge: str | None = None) -> None:
        """A filled polygon."""
        corners = np.array([(_grid(x), _grid(y)) for x, y in [*points, points[0]]])
        context = self._context(edge or colour, 1.0 if edge else 0.0)
        self._renderer.draw_path(context, Outline(corners, closed=True), IdentityTransform(), _rgb(colour))

    def rectangle(self, left: float, bottom: float, right: float, top: float, colour: str) -> None:
        """A filled rectangle."""
        self.area([(left, bottom), (right, bottom), (right, top), (left, top)], colour)

    def disc(self, x: float, y: float, radius: float, colour: str) -> None:
        """A filled disc."""
        unit: Any = Outline.unit_circle()
        corners = np.array(
            [(_grid(x + radius * float(a)), _grid(y + radius * float(b))) for a, b in unit.vertices]
        )
        path = Outline(corners, unit.codes)
        self._renderer.draw_path(self._context(colour, 0.0), path, IdentityTransform(), _rgb(colour))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        across: float = 0.5,
        colour: str = INK,
        size: float = TEXT_SIZE,
        upright: bool = False,
    ) -> None:
        """Words whose baseline is at `y`; `across` says which part of their width is at `x` (0: the start).

        `upright` turns them by 90 degrees, around the point.
        """
        font = _font(size)
        wide, _, _ = self._renderer.get_text_width_height_descent(words, font, ismath=False)
        left, base = (x, y - across * wide) if upright else (x - across * wide, y)
        context = self._context(colour, 1.0)
        context.set_alpha(1.0)
        self._renderer.draw_text(
            context, round(left), self.height - round(base), words, font, 90 if upright else 0
        )

    def pixels(self) -> Pixels:
        """What is on the canvas."""
        shown: Pixels = np.asarray(self._renderer.buffer_rgba())[:, :, :3]
        return _STEPS.take(shown)

"""Numbers in pictures: glyphs of the one font that figures use, found by comparing their shapes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.suites.sgi.reasoning.canvas import Canvas, Pixels

GLYPHS = "0123456789.-"
INK_LEVEL = 70
"""Darkness from which a pixel is part of a glyph: the rims of neighbours do not join."""

HEAD = 9
"""Rows above the baseline that a glyph may fill."""

Ink = NDArray[np.int64]


def darkness(pixels: Pixels) -> Ink:
    """How dark each pixel is, 0 to 255, coloured or not."""
    ink: Ink = 255 - pixels.astype(np.int64).min(axis=2)
    return ink


@lru_cache
def _glyphs() -> dict[str, Ink]:
    """Of each glyph its columns, over the rows between its baseline and its head."""
    found = {}
    for glyph in GLYPHS:
        canvas = Canvas(30, 20)
        canvas.text(10, 5, glyph, across=0)
        ink = darkness(canvas.pixels())[15 - HEAD : 16]
        columns = np.flatnonzero(ink.max(axis=0) > INK_LEVEL)
        found[glyph] = ink[:, columns[0] : columns[-1] + 1]
    return found


def read_number(ink: Ink, baseline: int) -> float | None:
    """The number whose baseline is in this row from the top of a picture; null where there is none."""
    band = ink[baseline - HEAD : baseline + 1]
    if band.shape[0] < HEAD + 1:
        return None
    dark = np.flatnonzero(band.max(axis=0) > INK_LEVEL)
    if not len(dark):
        return None
    runs = np.split(dark, np.flatnonzero(np.diff(dark) > 1) + 1)
    text = "".join(_nearest(band[:, run[0] : run[-1] + 1]) for run in runs)
    try:
        return float(text)
    except ValueError:
        return None


def _nearest(shape: Ink) -> str:
    def away(glyph: str) -> float:
        known = _glyphs()[glyph]
        wide = max(known.shape[1], shape.shape[1])
        if abs(known.shape[1] - shape.shape[1]) > 1:
            return float("inf")
        a, b = (np.pad(m, ((0, 0), (0, wide - m.shape[1]))) for m in (known, shape))
        return float(((a - b) ** 2).sum())

    best = min(GLYPHS, key=away)
    return best if away(best) < float("inf") else "?"

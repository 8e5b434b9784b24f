"""Figures of generated events; where the generator is not installed, a word in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay import plotting


def draw(height_mm: float, panels: Callable[[Any], None]) -> Any:
    """A figure as wide as the page, which `panels` fills where there is a generator."""
    from assay.suites.collider.chain import generation

    figure = plotting.figure(width_mm=180, height_mm=height_mm)
    if generation.available():
        panels(figure)
    else:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.text(0.5, 0.5, generation.MISSING, ha="center", va="center")
    return figure

"""Figures of generated events; they show a message if the generator is not installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay import plotting


def draw(height_mm: float, panels: Callable[[Any], None]) -> Any:
    """Return a figure as wide as the page, which `panels` fills if the generator is installed."""
    from assay.suites.collider.chain import generation

    figure = plotting.figure(width_mm=180, height_mm=height_mm)
    if generation.available():
        panels(figure)
    else:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.text(0.5, 0.5, generation.MISSING, ha="center", va="center")
    return figure

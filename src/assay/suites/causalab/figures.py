"""The suite's own figures, one after another; each is drawn where its idea is at home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay import plotting
from assay.protocol import FigureSpec, Tables
from assay.suites.causalab import recovery_figures


def _in_style(draw: Callable[[Tables], Any]) -> Callable[[Tables], Any]:
    """The same picture, whoever asks for it, in the project's look."""

    def drawn(tables: Tables) -> Any:
        with plotting.style():
            return draw(tables)

    return drawn


FIGURES: Mapping[str, FigureSpec] = {
    "recovery-by-size": FigureSpec(
        _in_style(recovery_figures.recovery_by_size),
        "Four panels over the number of variables: task accuracy, F1 of all edges, root F1 and F1 of the "
        "frequency's weights, one line an agent; two models of the paper hollow.",
    ),
}

"""Registry of the suite's figures; each is drawn in a module of `drawings`."""

from __future__ import annotations

from collections.abc import Mapping

from assay.specs import FigureSpec

FIGURES: Mapping[str, FigureSpec] = {
    "scores": FigureSpec(
        "tests.protocol.madeup.drawings.scores:scores",
        "The mean score of each agent, one horizontal bar an agent.",
    ),
}

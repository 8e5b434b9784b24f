"""Shortcuts: yields that no analysis gave. None of them is told the reference of its task."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.collider.validity.shortcuts import guessing, table

SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-format": Solver(
        guessing.form,
        "Fills in one event for every bin.",
        exploits="A histogram in the right form has a distance below one where yields are small.",
    ),
    "shortcut-dummy": Solver(
        guessing.dummy,
        "Reads a page of the manual, looks at nothing, and guesses yields that fall from bin to bin.",
        exploits="Yields of most searches fall towards large values.",
    ),
    "shortcut-table": Solver(
        table.copy,
        "Generates a sample and marks in each bin as many of its events as the published table has.",
        exploits=(
            "The package holds the published yields, and events of a sample can be selected until their "
            "weights make them."
        ),
    ),
}
"""All shortcuts by name."""

"""Shortcuts: yields that no analysis gave. None of them is told the reference of its task."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.collider.validity.shortcuts import guessing, passing, table

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
    "shortcut-copier": Solver(
        passing.copier,
        "Spreads the luminosity of the prompt over the bins.",
        exploits="The prompt tells luminosity and bins, and a distance is small where yields are.",
    ),
    "shortcut-free": Solver(
        passing.free,
        "Looks up the published rate, and spreads a tenth of the expected signal over the bins.",
        exploits="Cross sections cost nothing, and the package names the process of each point.",
    ),
    "shortcut-reopen": Solver(
        passing.reopen,
        "Guesses anew at each opening.",
        exploits="A task may be opened until a guess suits it.",
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

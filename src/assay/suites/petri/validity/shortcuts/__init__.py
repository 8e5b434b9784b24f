"""Shortcuts: solvers that score without finding out what was changed. None of them is told the truth."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.petri.validity.shortcuts import guessing, tables

SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-format": Solver(
        guessing.form,
        "Submits the first candidate and the first words, without an experiment.",
        exploits="An answer in the right form earns points where it happens to be right.",
    ),
    "shortcut-dummy": Solver(
        guessing.dummy,
        "Makes one experiment with a candidate, whatever it shows, and guesses the rest.",
        exploits="A guess that is right by chance earns the points for rigor and efficiency, too.",
    ),
    "shortcut-tables": Solver(
        tables.read,
        "Reads in the tables of the package which candidate can be the driver, and stages the experiment.",
        exploits=(
            "The package says which parameters drive a target, with which value, and which serve as decoys; "
            "a candidate that never serves as a decoy is a driver."
        ),
    ),
}
"""All shortcuts by name."""

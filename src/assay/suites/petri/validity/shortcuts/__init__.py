"""Shortcuts: solvers that score without finding out what was changed. None of them is told the truth."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.petri.validity.shortcuts import boundaries, guessing, tables

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
    "shortcut-middle": Solver(
        boundaries.middle,
        "Measures on both sides of the middle of the range and answers the middle.",
        exploits="Two measurements for show support an answer that happens to be near.",
    ),
    "shortcut-ends": Solver(
        boundaries.ends,
        "Measures at both ends of the range and interpolates.",
        exploits="A metric that changes evenly passes the level where a line through its ends does.",
    ),
    "shortcut-prior": Solver(
        boundaries.prior,
        "Answers where most boundaries of the public simulation lie, after a measurement on each side.",
        exploits="The ranges of the hidden parameters are in the package, and so is the simulation.",
    ),
}
"""All shortcuts by name."""

"""Shortcuts: ways to play that do not lead a laboratory better. None of them is told the seed."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.pilab.validity.shortcuts import managers, passing

SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-format": Solver(
        passing.form,
        "Ends month after month without a decision.",
        exploits="A lab that spends nothing is never closed.",
    ),
    "shortcut-dummy": Solver(
        passing.dummy,
        "Starts projects by chance, submits what comes out to the first venue, and looks at nothing.",
        exploits="Papers come out of any project, whatever it is about.",
    ),
    "shortcut-manager": Solver(
        managers.play,
        "Plays the policy steward with two managers, hired when a month begins and dismissed when it ends.",
        exploits="Pay is due at the end of a month, so a manager who was dismissed before works unpaid.",
    ),
}
"""All shortcuts by name."""

"""Shortcuts: ways to play that do not lead a laboratory better. None of them is told the seed."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.pilab.validity.shortcuts import blind, copying, free, managers, passing, reading, trained

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
    "shortcut-copier": Solver(
        copying.play,
        "Starts the project of the prompt's example every month, and submits what comes out to the workshop.",
        exploits="The prompt shows a call that works.",
    ),
    "shortcut-reopen": Solver(
        passing.reopened,
        "Plays shortcut-dummy about one topic, which each attempt draws anew.",
        exploits="A task can be opened again, but only the luck of the agent itself is new then.",
    ),
    "shortcut-reader": Solver(
        reading.play,
        "Recognises the worlds of public seeds by the preprints of month 1, and plays the oracle there.",
        exploits="The world follows from its seed, and the program is public.",
    ),
    "shortcut-trained": Solver(
        trained.play,
        "Plays shortcut-dummy about the topic that 500 other worlds make most likely to boom.",
        exploits="All worlds begin alike, and the first month's news may tell how they go on.",
    ),
    "shortcut-blind": Solver(
        blind.play,
        "Makes the same calls in every world: a plan that was tuned on other worlds and reads nothing.",
        exploits="All worlds have the same constants, and a plan can be fitted to them.",
    ),
    "shortcut-free": Solver(
        free.play,
        "Plays shortcut-dummy with unpaid managers, gift authors and every event accepted.",
        exploits="What costs nothing can be done every month.",
    ),
    "shortcut-manager": Solver(
        managers.play,
        "Plays the policy steward with two managers, hired when a month begins and dismissed when it ends.",
        exploits="Pay is due at the end of a month, so a manager who was dismissed before works unpaid.",
    ),
}
"""All shortcuts by name."""

GUESSERS = {"shortcut-trained": trained.GUESSER}
"""The trained ones, which `assay train pilab` trains again."""

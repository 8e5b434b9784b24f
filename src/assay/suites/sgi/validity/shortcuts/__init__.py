"""Shortcuts: replies that score without the science that an item asks for. None of them is told the truth."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.sgi.validity.shortcuts import gibberish, guessing, trained
from assay.suites.sgi.validity.shortcuts.sound import SOUND

SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-format": Solver(
        guessing.form,
        "Replies in the form that each family asks for, with no content.",
        exploits="A reply in the right form earns points by itself.",
    ),
    "shortcut-dummy": Solver(
        guessing.dummy,
        "Searches once where there is a search, looks at nothing, and replies by chance.",
        exploits="A reply that is drawn by chance is right now and then.",
    ),
    "shortcut-gibberish": Solver(
        gibberish.idea,
        "Ideas: nonsense words in sentences of the right length, with the plan of the public template.",
        exploits=(
            "Novelty is distance from known work, detail is length without repetition, and the plan of the "
            "reference has the same shape in every item: none of them asks whether an idea means anything."
        ),
    ),
    "shortcut-trained": Solver(
        trained.learnt,
        "Experimental reasoning, v1: the option that a regression finds likeliest, trained on 500 items.",
        exploits="What right options say, and where they stand, in other items, whose truth is public.",
    ),
    **SOUND,
}
"""All shortcuts by name."""

GUESSERS = {"shortcut-trained": trained.GUESSER}
"""The trained one, which `assay train sgi` trains again."""

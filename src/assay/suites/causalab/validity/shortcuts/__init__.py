"""Shortcuts: solvers that score without an intervention that could show a cause. None is told the truth."""

from __future__ import annotations

from collections.abc import Mapping

from assay.protocol import Solver
from assay.suites.causalab.validity.shortcuts import guessing, prior, trained

SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-format": Solver(
        guessing.form,
        "States that every property causes the frequency, without an intervention.",
        exploits="A hypothesis in the right form has some right edges by itself.",
    ),
    "shortcut-dummy": Solver(
        guessing.dummy,
        "Makes one intervention, looks at nothing, and draws a graph and a prediction by chance.",
        exploits="A graph that is drawn by chance has some right edges.",
    ),
    "shortcut-constants": Solver(
        prior.constant,
        "Subtracts the public start values from what crystals show, and solves for whole coefficients.",
        exploits=(
            "The start values of records, manipulator and reactor are drawn from seeds that are constants of "
            "the package, so what is shown less the start value is what the causes add."
        ),
    ),
    "shortcut-trained": Solver(
        trained.learnt,
        "States the edges that a logistic regression finds likely, trained on 500 tasks of main-v1.",
        exploits="What records and the reactor's properties look like in other tasks, whose truth is public.",
    ),
    **{name: Solver(act, doc, exploits=leak) for name, (act, doc, leak) in prior.ATTACKS.items()},
}
"""All shortcuts by name."""

GUESSERS = {"shortcut-trained": trained.GUESSER}
"""The trained ones, which `assay train causalab` trains again."""

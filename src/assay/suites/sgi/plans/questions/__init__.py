"""Questions that a plan on a response surface can be asked; each is a module of the form `Question`.

In all of them a signal is the product of two things: how well the conditions suit the measurement (a response
surface, `plans.surface`) and what the question is about, which depends on factors of its own, the asked ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np

from assay.numbers.kernels import kernel
from assay.numbers.portable import exp
from assay.numbers.rng import Stream

MODULES: Mapping[str, str] = {
    "rivals": "assay.suites.sgi.plans.questions.rivals:decide",
    "effect": "assay.suites.sgi.plans.questions.effect:decide",
    "threshold": "assay.suites.sgi.plans.questions.threshold:decide",
    "graph": "assay.suites.sgi.plans.questions.graph:decide",
    "boundary": "assay.suites.sgi.plans.questions.boundary:decide",
}
"""Where each question is, in the form that the fingerprint of a job follows like an import."""

KINDS = ("surface", *MODULES)
"""All worlds of ideas; `surface` asks for the best conditions, and has no module here."""

LN10 = 2.302585092994046
DECADES = 4
"""A factor with a logarithmic scale covers that many."""


class Question(Protocol):
    """What a question is.

    Every world has one of two forms, `parameters["form"]`, 0 or 1. Settings are scaled to 0 .. 1; arrays of
    them have the shape (runs, asked factors).

    Attributes:
        ASKED: how many factors the question has.
        PARAMETERS: hidden numbers with their bounds, from which `signal` follows.
        MODELS: analyses that a plan can name; each is right in the worlds of one of two forms.
        NOISE: scatter of readings as a multiple of that on a surface.
        TURNS: how many rivals are true in turn, so that none is right by itself; 1 where the truth is one.
    """

    ASKED: int
    PARAMETERS: Mapping[str, tuple[float, float]]
    MODELS: tuple[str, str]
    TURNS: int
    NOISE: float

    def draw(self, stream: Stream, usual: Sequence[float]) -> dict[str, float]:
        """Hidden parameters; with the usual setting of the asked factors nothing is known yet."""

    def signal(self, parameters: Mapping[str, float], x: Any, turn: int) -> Any:
        """The signal in good conditions: an array of shape (runs,), or (runs, readings)."""

    def decide(self, x: Any, seen: Any, model: str) -> Any:
        """What the plan's analysis concludes from means of readings at different settings.

        Args:
            x: settings of the asked factors, of shape (settings, factors).
            seen: means, of shape (repetitions, settings) or (repetitions, settings, readings).
            model: one of `MODELS`.

        Returns:
            An array with a conclusion in each row.
        """

    def value(self, parameters: Mapping[str, float], decisions: Any, turns: Any) -> Any:
        """What each conclusion is worth, 0 (no investigation) .. 1; below 0 where it does harm."""

    def places(self, parameters: Mapping[str, float]) -> Sequence[float]:
        """Where a search for good plans begins to place the asked factors."""


def question_of(world: Mapping[str, Any]) -> Question | None:
    """The question of a world; None for one that asks for the best conditions."""
    kind = world["kind"]
    if kind == "surface":
        return None
    return cast("Question", import_module(MODULES[kind].partition(":")[0]))


def power(x: Any) -> Any:
    """10^(4 x - 2) of an array of scaled settings, with the same bits everywhere."""
    return exponential(LN10 * (DECADES * np.asarray(x) - DECADES / 2))


def exponential(x: Any) -> Any:
    """e to the numbers of an array, with the same bits everywhere."""
    found = np.array(x, dtype=float, order="C")
    _exponentials(found.reshape(-1))
    return found


@kernel
def _exponentials(x: np.ndarray) -> None:
    """Replace numbers by their exponentials."""
    for i in range(x.size):
        x[i] = exp(x[i])


def products(curves: Any, seen: Any) -> Any:
    """Sums of products of curves and readings over settings, added in their order: the same bits everywhere.

    Args:
        curves: of shape (..., settings).
        seen: of shape (repetitions, settings).

    Returns:
        An array of shape (repetitions, ...).
    """
    total = np.zeros((len(seen), *curves.shape[:-1]))
    for at, column in enumerate(seen.T):
        total += column.reshape(-1, *[1] * (curves.ndim - 1)) * curves[..., at]
    return total

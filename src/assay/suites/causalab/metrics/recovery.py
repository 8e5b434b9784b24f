"""Recovery of a model: edges, roots, weights of the target's equation (paper, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.model.files import is_number
from assay.suites.causalab.model.scm import Edge, Model, ancestors
from assay.suites.causalab.model.variables import TARGET, token

EXACT = 1e-6
"""Largest absolute error of a weight that counts as right."""

CLOSE = 0.01
"""Largest relative error of a quadratic model's weight that counts as right.

Such weights have six decimals, which cannot be recovered from data with two decimals.
"""


class Agreement(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def agreement(predicted: Collection[Any], true: Collection[Any]) -> Agreement:
    """Compare two sets. All three values are 1 if both sets are empty, and 0 if only one is."""
    given, wanted = set(predicted), set(true)
    return counted(len(given & wanted), len(given), len(wanted))


def counted(right: int, predicted: int, true: int) -> Agreement:
    """Return the agreement given the numbers of right, predicted and true elements."""
    precision = right / predicted if predicted else float(true == 0)
    recall = right / true if true else float(predicted == 0)
    return _agreement(precision, recall)


def _agreement(precision: float, recall: float) -> Agreement:
    both = precision + recall
    return Agreement(precision, recall, 2 * precision * recall / both if both else 0.0)


def into_target(edges: Collection[Edge]) -> set[Edge]:
    return {edge for edge in edges if edge[1] == TARGET}


class Distance(NamedTuple):
    """The directed structural Hamming distance and its parts; a reversed edge counts once."""

    missing: int
    extra: int
    reversed: int

    @property
    def shd(self) -> int:
        return self.missing + self.extra + self.reversed


def distance(predicted: Collection[Edge], true: Collection[Edge]) -> Distance:
    """Count the edges that must be added, removed or reversed."""
    given, wanted = set(predicted), set(true)
    left, lacking = given - wanted, wanted - given
    turned = {(b, a) for a, b in lacking if (b, a) in left}
    return Distance(len(lacking) - len(turned), len(left) - len(turned), len(turned))


def roots(edges: Collection[Edge]) -> frozenset[str]:
    """Return the ancestors of the target that have no parents; a variable on a cycle is never a root."""
    return ancestors(edges, TARGET) - {b for _, b in edges}


# ------------------------------------------------------------ the weights of the target's equation


def true_weights(model: Model) -> dict[str, float]:
    """Return the linear coefficient of each parent in the target's equation."""
    weights = {}
    for parent in model.parents[TARGET]:
        for key in (f"coeff_{parent}_freq", f"coeff_{parent}_frequency", f"c_{parent}", parent):
            if key in model.params:
                weights[parent] = model.params[key]
                break
        else:
            for term in model.terms(TARGET) or ():
                if term.parent == parent and term.power == 1:
                    weights[parent] = model.params[term.parameter]
    return weights


def predicted_weight(coefficients: Mapping[str, Any], parent: str) -> tuple[str, float] | None:
    """Return the key and the number that a hypothesis gives for a parent, or None if it gives none.

    The accepted spellings are tried in order. For each, the exact key is taken, otherwise the last key that
    differs only in case. If its value is not a number, the next spelling is tried.
    """
    folded: dict[str, str] | None = None
    for name in (f"c_{parent}", f"coeff_{parent}_freq", f"coeff_{parent}_frequency", parent):
        key: str | None = name
        if name not in coefficients:
            folded = folded or {other.lower(): other for other in coefficients}  # the last spelling wins
            key = folded.get(name.lower())
        if key is not None:
            number = _number(coefficients[key])
            if number is not None:
                return key, number
    return None


def _number(value: Any) -> float | None:
    """Convert a JSON value with `float`; returns None for booleans and values that are not numbers."""
    if type(value) not in (float, int, str):  # unlike isinstance, this excludes bool
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def weights(model: Model, coefficients: Mapping[str, Any]) -> Agreement:
    """Compare the linear weights of the target's equation; squares and the intercept are not scored."""
    true = true_weights(model)
    right, keys = 0, set()
    for parent, wanted in true.items():
        stated = predicted_weight(coefficients, parent)
        if stated is not None:
            keys.add(stated[0])
            right += abs(stated[1] - wanted) <= EXACT
    prefixed = len([key for key in coefficients if key.startswith(("c_", "coeff_"))])
    return counted(right, max(len(keys), prefixed), len(model.parents[TARGET]))


def quadratic_weights(model: Model, coefficients: Mapping[str, Any]) -> Agreement:
    """Compare the square (`c_P_1`) and linear (`c_P_2`) terms of every parent, with a tolerance of 1 %.

    In a linear model `c_P` is the linear term, and `c_P_Q` is a product of two causes where a model has them.
    This metric is not in the paper.
    """
    true = {(t.parent, t.power): model.params[t.parameter] for t in model.terms(TARGET) or ()}
    true |= {(f"{a}_{b}", 1): weight for (a, b), weight in model.products(TARGET).items()}
    right = predicted = 0
    for key, value in coefficients.items():
        if not key.startswith("c_"):
            continue
        predicted += 1
        name, power = key[2:], 1
        if model.quadratic and name.endswith(("_1", "_2")):
            name, power = name[:-2], 2 if name.endswith("_1") else 1
        wanted, number = true.get((name, power)), _number(value)
        if wanted is not None and number is not None:
            right += abs(number - wanted) <= CLOSE * abs(wanted)
    return counted(min(right, len(true)), predicted, len(true))


# ------------------------------------------------------------ along the way


@dataclass(frozen=True)
class StepScore:
    """Scores of an intermediate hypothesis, as the released script computes them: empty sets count as 0."""

    correct: int
    edges: Agreement
    into_target: Agreement
    weight_accuracy: float | None
    shd: int


def step_score(model: Model, hypothesis: Hypothesis) -> StepScore:
    """Score one hypothesis of a trajectory."""
    true, given = set(model.edges), set(hypothesis.edges)
    return StepScore(
        len(true & given),
        _hollow(given, true),
        _hollow(into_target(given), into_target(true)),
        weight_accuracy(model, hypothesis.coefficients),
        distance(given, true).shd,
    )


def _hollow(given: set[Edge], true: set[Edge]) -> Agreement:
    right = len(given & true)
    return _agreement(right / len(given) if given else 0.0, right / len(true) if true else 0.0)


def weight_accuracy(model: Model, coefficients: Mapping[str, Any]) -> float | None:
    """Return the share of the parameters `coeff_<t>_freq` that are stated within 0.01.

    Returns None if the model has no such parameter. This is the case for quadratic models, whose weights are
    called `coeff1_...` and `coeff2_...`: the released script does not find them either.
    """
    full = {token(name): name for name in model.names}
    right = every = 0
    for key, wanted in model.params.items():
        if not (key.startswith("coeff_") and key.endswith("_freq")):
            continue
        every += 1
        short = key[len("coeff_") : -len("_freq")]
        for name in (f"c_{short}", f"c_{full.get(short, short)}", f"c_{short[:4]}"):
            value: Any = coefficients.get(name)
            if is_number(value):
                right += abs(float(value) - wanted) < 0.01
                break
    return right / every if every else None


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values that are not None, or None if there are none."""
    present = [value for value in values if value is not None]
    return math.fsum(present) / len(present) if present else None

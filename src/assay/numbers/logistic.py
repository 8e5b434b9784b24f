"""Logistic regression over named features, with the same coefficients on every machine.

The fit uses only element-wise arithmetic of NumPy and sums in a fixed order (`numpy.bincount`), and the
portable exponential, so no BLAS and no thread decides a bit. Coefficients are rounded to six digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers.kernels import kernel
from assay.numbers.portable import exp

CONSTANT = "(constant)"
"""The feature that every row has with the value 1."""

ROUNDS = 3000
"""Steps of accelerated gradient descent; in the tests the slope is then below 1e-4."""

DIGITS = 6
"""Significant digits of a coefficient."""


def fit(rows: Sequence[Mapping[str, float]], labels: Sequence[bool]) -> dict[str, float]:
    """Fit the log-odds of a label as a linear function of features.

    The penalty is half the sum of squared coefficients of features scaled to a largest size of 1, as in
    scikit-learn with `C=1`; the constant is penalised, too. The method is accelerated gradient descent
    (Nesterov 1983) from zero.

    Args:
        rows: The features of each example by name; a missing one is 0.
        labels: The label of each example.

    Returns:
        The coefficient of each feature by name, `CONSTANT` among them; features that are always 0 are left
        out.

    Raises:
        ValueError: If there is no example, or the lengths differ.

    Example:
        >>> fit([{"red": 1.0}, {"red": 1.0}, {"blue": 1.0}], [True, True, False])
        {'(constant)': 0.18251, 'blue': -0.436774, 'red': 0.619284}
    """
    if not rows:
        raise ValueError("a regression needs examples")
    full = [{**row, CONSTANT: 1.0} for row in rows]
    sizes: dict[str, float] = {}
    for row in full:
        for name, value in row.items():
            sizes[name] = max(sizes.get(name, 0.0), abs(value))
    names = sorted(name for name, size in sizes.items() if size)
    at = {name: place for place, name in enumerate(names)}
    cells = [
        (number, at[name], row[name] / sizes[name])
        for number, row in enumerate(full)
        for name in sorted(row)
        if name in at
    ]
    row_of, column_of, value_of = (np.array(column) for column in zip(*cells, strict=True))
    wanted = np.array([float(label) for _, label in zip(full, labels, strict=True)])
    scaled = _descend(row_of, column_of, value_of, wanted, len(names))
    return {name: _rounded(scaled[place] / sizes[name]) for name, place in at.items()}


def log_odds(coefficients: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Return the log-odds of one example; features without a coefficient do not count.

    Example:
        >>> log_odds({"(constant)": -1.0, "red": 2.0}, {"red": 1.0, "unknown": 5.0})
        1.0
    """
    total = coefficients.get(CONSTANT, 0.0)
    for name in sorted(features):
        total += coefficients.get(name, 0.0) * features[name]
    return total


def _descend(row_of: Any, column_of: Any, value_of: Any, wanted: Any, columns: int) -> Any:
    """Minimise the mean loss; the cells of the matrix are given by row, column and value."""
    count = len(wanted)
    ridge = 1.0 / count
    squares = np.bincount(row_of, value_of * value_of, count)
    step = 1.0 / (0.25 * float(squares.max()) + ridge)
    ahead = present = np.zeros(columns)
    pace = 1.0
    for _ in range(ROUNDS):
        error = _chance(np.bincount(row_of, value_of * ahead[column_of], count)) - wanted
        slope = np.bincount(column_of, value_of * error[row_of], columns) / count + ridge * ahead
        following = ahead - step * slope
        quicker = 0.5 + 0.5 * float(np.sqrt(1.0 + 4.0 * pace * pace))
        ahead = following + (pace - 1.0) / quicker * (following - present)
        present, pace = following, quicker
    return present


@kernel
def _chance(odds: Any) -> Any:
    """The probability that belongs to each log-odds."""
    result = np.empty_like(odds)
    for i in range(odds.size):
        result[i] = 1.0 / (1.0 + exp(-odds[i]))
    return result


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") + 0.0

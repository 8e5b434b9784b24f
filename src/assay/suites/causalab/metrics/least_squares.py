"""Least squares by orthogonal projection, with plain arithmetic in a fixed order for reproducible results."""

from __future__ import annotations

import math
from collections.abc import Sequence

DEPENDENT = 1e-10
"""Columns whose norm falls to this share or less after projection are treated as linearly dependent."""


class Basis:
    """An orthonormal basis of the columns added so far, and the residual of a goal vector.

    Each column is orthogonalised twice against the previous ones (modified Gram-Schmidt), which keeps the
    basis orthogonal to rounding accuracy. `centred` adds a column of ones first. `worst` is the largest
    absolute residual.
    """

    __slots__ = ("residual", "units")

    def __init__(self, goal: Sequence[float], centred: bool = False) -> None:
        self.units: tuple[list[float], ...] = ()
        self.residual = list(goal)
        if centred and goal:
            self._add([1.0] * len(goal))

    @property
    def worst(self) -> float:
        return max((abs(value) for value in self.residual), default=0.0)

    def with_column(self, column: Sequence[float]) -> Basis:
        twin = Basis.__new__(Basis)
        twin.units = self.units
        twin.residual = self.residual
        twin._add(list(column))
        return twin

    def _add(self, column: list[float]) -> None:
        size = _norm(column)
        if size == 0.0:
            return
        for _ in range(2):
            for unit in self.units:
                column = _less(column, unit)
        left = _norm(column)
        if left <= DEPENDENT * size:
            return
        unit = [value / left for value in column]
        self.units = (*self.units, unit)
        self.residual = _less(_less(self.residual, unit), unit)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    # Not `sum`: it compensates rounding errors from Python 3.12 on, so its result depends on the version.
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


def _minus(vector: Sequence[float], share: float, unit: Sequence[float]) -> list[float]:
    return [a - share * b for a, b in zip(vector, unit, strict=True)]


def _less(vector: list[float], unit: list[float]) -> list[float]:
    """Return a vector without its component along a unit vector."""
    return _minus(vector, _dot(vector, unit), unit)


def _norm(vector: Sequence[float]) -> float:
    return math.sqrt(_dot(vector, vector))


def independent(columns: Sequence[Sequence[float]]) -> int:
    """Return the number of linearly independent columns."""
    basis = Basis([0.0] * len(columns[0]) if columns else [])
    for column in columns:
        basis = basis.with_column([float(value) for value in column])
    return len(basis.units)


def solve(columns: Sequence[Sequence[float]], goal: Sequence[float]) -> list[float]:
    """Return the least-squares coefficients of the columns, of smallest norm if they are not unique.

    Each of `columns` is a vector as long as `goal`.
    """
    basis = Basis([0.0] * len(goal))
    for column in columns:
        basis = basis.with_column([float(v) for v in column])
    return (_triangular if len(basis.units) == len(columns) else _smallest)(columns, goal)


def _triangular(columns: Sequence[Sequence[float]], goal: Sequence[float]) -> list[float]:
    """Solve for independent columns by QR decomposition (Gram-Schmidt) and back substitution."""
    units: list[list[float]] = []
    upper: list[list[float]] = []
    for column in columns:
        vector = [float(value) for value in column]
        shares = [0.0] * len(units)
        for _ in range(2):
            for n, unit in enumerate(units):
                share = _dot(vector, unit)
                shares[n] += share
                vector = _minus(vector, share, unit)
        size = _norm(vector)
        units.append([value / size for value in vector])
        upper.append([*shares, size])
    left = [float(value) for value in goal]
    right = []
    for unit in units:
        share = _dot(left, unit)
        right.append(share)
        left = _minus(left, share, unit)
    solution = [0.0] * len(units)
    for n in reversed(range(len(units))):
        total = right[n]
        for m in range(n + 1, len(units)):
            total -= upper[m][n] * solution[m]
        solution[n] = total / upper[n][n]
    return solution


def _smallest(columns: Sequence[Sequence[float]], goal: Sequence[float]) -> list[float]:
    """Return the solution of smallest norm for dependent columns.

    This solution lies in the row space, so it is found as a combination of an orthonormal basis of the rows.
    """
    rows = [[float(column[n]) for column in columns] for n in range(len(goal))]
    basis = Basis([0.0] * len(columns))
    for row in rows:
        basis = basis.with_column(row)
    if not basis.units:
        return [0.0] * len(columns)
    images = [
        [math.fsum(a * b for a, b in zip(row, unit, strict=True)) for row in rows] for unit in basis.units
    ]
    shares = _triangular(images, goal)
    solution = [0.0] * len(columns)
    for share, unit in zip(shares, basis.units, strict=True):
        solution = [a + share * b for a, b in zip(solution, unit, strict=True)]
    return solution

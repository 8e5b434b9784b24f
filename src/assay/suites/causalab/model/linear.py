"""Linear algebra in plain arithmetic and a fixed order, so that results are equal on every machine."""

from __future__ import annotations

from collections.abc import Sequence

Matrix = list[list[float]]

SINGULAR = 1e-12
"""A matrix with a smaller pivot counts as singular."""


def inverse(matrix: Sequence[Sequence[float]]) -> Matrix | None:
    """Invert a matrix by elimination with partial pivoting; returns None if it is singular.

    >>> inverse([[2.0, 0.0], [0.0, 4.0]])
    [[0.5, 0.0], [0.0, 0.25]]
    """
    n = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for column in range(n):
        pivot = max(range(column, n), key=lambda i: abs(rows[i][column]))
        if abs(rows[pivot][column]) < SINGULAR:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        size = rows[column][column]
        rows[column] = [value / size for value in rows[column]]
        for i in range(n):
            share = rows[i][column]
            if i != column and share != 0.0:
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [row[n:] for row in rows]


def product(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> Matrix:
    """Return the matrix product of two square matrices."""
    n = len(a)
    result = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                result[i][j] += a[i][k] * b[k][j]
    return result

"""Which of four variables act on which, in a linear causal model that can be pushed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers.rng import Stream

ASKED = 4
PAIRS = tuple((i, j) for i in range(ASKED) for j in range(ASKED) if i != j)
PARAMETERS = {f"{i + 1} on {j + 1}": (-1.3, 1.3) for i, j in PAIRS}
MODELS = ("at once", "handed on")
NOISE = 1.0
TURNS = 1
EDGE = 0.25
"""A weight counts as an edge from here on; real ones are 0.45 or more."""

GUESS = 0.5
"""F1 of naming about all pairs."""


def draw(stream: Stream, usual: Sequence[float]) -> dict[str, float]:
    """Four to five edges in a hidden order, at least one chain of two among them."""
    order = [0, 1, 2, 3]
    stream.shuffle(order)
    forward = [(order[a], order[b]) for a in range(ASKED) for b in range(a + 1, ASKED)]
    while True:
        edges = stream.sample(forward, 4 + stream.below(2))
        if any(a[1] == b[0] and (a[0], b[1]) not in edges for a in edges for b in edges):
            break
    made = {"form": float(stream.below(2)), **dict.fromkeys(PARAMETERS, 0.0)}
    for i, j in edges:
        size = 0.45 + 0.6 * stream.uniform()
        made[f"{i + 1} on {j + 1}"] = round(size if stream.below(2) else -size, 4)
    return made


def _weights(parameters: Mapping[str, float]) -> Any:
    weights = np.zeros((ASKED, ASKED))
    for i, j in PAIRS:
        weights[i, j] = parameters[f"{i + 1} on {j + 1}"]
    return weights


def signal(parameters: Mapping[str, float], x: Any, turn: int) -> Any:
    """Readings of all variables: half of the scale without a push, and what pushes add along the edges.

    A move has been handed on once (form 0), or along all chains.
    """
    weights = _weights(parameters)
    whole = step = np.eye(ASKED)
    for _ in range(ASKED - 1 if parameters["form"] else 1):  # an acyclic model has no longer chain
        step = (step[:, :, None] * weights[None, :, :]).sum(axis=1)
        whole = whole + step
    total = np.zeros(x.shape)
    for i in range(ASKED):
        total = total + (x[:, i : i + 1] - 0.5) * whole[i]
    return 0.5 + 0.3 * total


def decide(x: Any, seen: Any, model: str) -> Any:
    """Edges, from how readings move along with each variable that was pushed alone."""
    repetitions = len(seen)
    total = np.tile(np.eye(ASKED), (repetitions, 1, 1))
    middle = np.array([_mode(x[:, at]) for at in range(ASKED)])
    for i in range(ASKED):
        others = [at for at in range(ASKED) if at != i]
        line = np.all(np.abs(x[:, others] - middle[others]) < 1e-9, axis=1)
        pushed = x[line, i]
        if line.sum() < 2 or pushed.max() - pushed.min() < 1e-9:
            continue
        off = pushed - pushed.mean()
        slope = (off[:, None] * seen[:, line]).sum(axis=1) / (off * off).sum()
        moves = np.abs(slope[:, i]) > 1e-9
        total[moves, i] = slope[moves] / slope[moves, i][:, None]
    weights = total - np.eye(ASKED)
    if model == MODELS[1]:
        regular = np.abs(np.linalg.det(total)) > 1e-6
        weights[regular] = np.eye(ASKED) - np.linalg.inv(total[regular])
    return np.array([np.abs(np.round(weights[:, i, j], 9)) > EDGE for i, j in PAIRS]).T


def _mode(values: Any) -> float:
    found, counts = np.unique(values, return_counts=True)
    return float(found[int(np.argmax(counts))])


def value(parameters: Mapping[str, float], decisions: Any, turns: Any) -> Any:
    """F1 of the directed edges, beyond what naming all pairs would give."""
    true = np.array([abs(parameters[f"{i + 1} on {j + 1}"]) > EDGE for i, j in PAIRS])
    f1 = 2 * (true & decisions).sum(axis=1) / (true.sum() + decisions.sum(axis=1))
    return np.maximum((f1 - GUESS) / (1 - GUESS), 0.0)


def places(parameters: Mapping[str, float]) -> Sequence[float]:
    """The middle of all pushes."""
    return [0.5] * ASKED

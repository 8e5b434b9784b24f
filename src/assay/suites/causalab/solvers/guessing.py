"""The best guess from what is shown before any intervention: `map` in sealed sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay import canonical
from assay.numbers.rng import Stream
from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics import belief as beliefs
from assay.suites.causalab.metrics.belief import LINEAR, Belief, View
from assay.suites.causalab.metrics.graphs import graphs_of
from assay.suites.causalab.metrics.imec import Evidence
from assay.suites.causalab.model.continuous import INTERCEPT
from assay.suites.causalab.model.mechanism import curve
from assay.suites.causalab.model.scm import Edge, Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Client
from assay.suites.causalab.solvers.discovery import Estimate, with_equation

Table = NDArray[np.float64]
"""Log odds for each variable (a row; the target last) and each set of causes."""

Leak = Callable[[Client, Stream], Table]
"""What a suspected leak adds to the log probabilities of the evidence."""

REACH = 5.0
"""Distance (Hz) within which a prediction is accepted."""


def guess(client: Client, stream: Stream, leak: Leak | None = None) -> None:
    """State the graph with the best expected F1, then predict the likeliest frequencies."""
    client.look()
    if client.open_reactor() is None:
        client.open_reactor()
    names, crystal = client.properties, client.reactor or {}
    if client.quadratic or len(names) >= beliefs.LARGEST or not crystal:
        _by_equation(client, crystal)
        return
    belief = believed(client, stream, leak)
    graph, _ = beliefs.best_graph(belief)
    edges = beliefs.named(names, graph)
    state(client, edges)
    states = client.evidence().all_states
    if view_of(client).curved:
        states, crystal = [_bent(dict(seen)) for seen in states], _bent(crystal)
    for value in beliefs.predictions(names, belief, states, crystal, client.submissions, REACH):
        if client.predict(round(max(0.0, value), 2)):
            return
    client.write({"op": "stop"})


def state(client: Client, edges: Sequence[Edge]) -> None:
    """Make a graph the hypothesis, with the equation of smallest norm, or one of the prior without data."""
    states = client.evidence().all_states
    if states:
        client.hypothesis = with_equation(edges, states).hypothesis()
    else:
        weights = {cause: (0.0, 1.0) for cause, effect in edges if effect == TARGET}
        client.hypothesis = Estimate(tuple(edges), INTERCEPT[0], weights).hypothesis()


def believed(client: Client, stream: Stream, leak: Leak | None = None) -> Belief:
    """Return the probabilities of graphs given everything that was shown."""
    names = client.properties
    crystals = [client.reactor] if client.reactor else []
    found = _remembered(canonical.dumps([names, vars(client.evidence()), crystals]), view_of(client))
    if leak is not None:
        found = found + leak(client, stream)
    masks, weights = graphs_of(len(names) + 1, found)
    return beliefs.weighed(names, masks, found, weights)


@lru_cache(maxsize=2048)
def _remembered(text: str, view: View) -> Table:
    """Return what evidence says; many solvers see the same before any intervention."""
    names, evidence, crystals = canonical.loads(text)
    return beliefs.tables(names, Evidence(**evidence), crystals, view=view)


VIEWS = {
    "noise": View(of_property=8.0, of_target=1000.0),
    "monotone": View(curved=True),
    "interaction": View(of_property=1600.0, of_target=300_000.0),
}
"""The prior of settings beyond the paper's families, by name. Variances are those of errors, and rough ones
of the products of two causes in crystals without an intervention; all other settings are linear."""


def view_of(client: Client) -> View:
    """Return how equations differ from linear ones in a task."""
    return VIEWS.get(str(client.laboratory.get("setting", "")), LINEAR)


def _bent(values: Values) -> Values:
    """Return a state with the curve of each property in its place."""
    return {name: value if name == TARGET else curve(value) for name, value in values.items()}


def _by_equation(client: Client, crystal: Values) -> None:
    """Where there are too many graphs: every property causes the target, with the smallest weights."""
    edges = [(name, TARGET) for name in client.properties]
    states = client.evidence().all_states
    estimate = with_equation(edges, states, client.quadratic) if states else Estimate()
    client.hypothesis = estimate.hypothesis() if states else Hypothesis()
    value = estimate.frequency(crystal) if crystal else None
    if value is not None and math.isfinite(value):
        client.predict(round(max(0.0, value), 2))
    client.write({"op": "stop"})

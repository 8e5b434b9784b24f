"""The agent that makes the best next intervention under the declared prior, and infers all that follows."""

from __future__ import annotations

import math

from assay.numbers.rng import Stream
from assay.suites.causalab.metrics import belief as beliefs
from assay.suites.causalab.metrics.attainable import CERTAIN, SHIFT, Known
from assay.suites.causalab.metrics.least_squares import independent
from assay.suites.causalab.solvers.client import Client
from assay.suites.causalab.solvers.discovery import with_equation
from assay.suites.causalab.solvers.guessing import REACH, guess, state


def known(client: Client, first_set: str) -> Known:
    """Return what the client's evidence says; `first_set` was set before the first state, if any was."""
    crystals = () if client.reactor is None else (client.reactor,)
    return Known(tuple(client.properties), client.evidence(), crystals, first_set)


def conduct(client: Client, stream: Stream) -> None:
    """Make the best next intervention until graph and equation are certain, then predict.

    Where the prior is not that of sealed linear models, nothing is set and the guess from records is stated.
    """
    client.look()
    if client.quadratic or client.decimals is None or len(client.names) > beliefs.LARGEST:
        guess(client, stream)
        return
    first_set = ""
    while client.remaining:
        now = known(client, first_set)
        name = _next(client, now)
        if name is None:
            break
        graph, _ = beliefs.best_graph(now.belief)
        state(client, beliefs.named(now.names, graph))
        if not client.states:
            first_set = name
        value = SHIFT + (client.states[-1][name] if client.states else 0.0)
        if not client.intervene(name, round(value, 2)):
            break
    _finish(client, known(client, first_set))


def _next(client: Client, now: Known) -> str | None:
    """Return the property to set next: for the graph, then for the weights of the target, or None."""
    if now.entropy > CERTAIN:
        return now.best(client.controllable)[0]
    graph, _ = beliefs.best_graph(now.belief)
    causes = [name for at, name in enumerate(now.names) if graph[1] >> at & 1]
    states = client.evidence().all_states
    columns = [[1.0] * len(states), *([float(s[name]) for s in states] for name in causes)]
    if independent(columns) == len(columns):
        return None
    waiting = [name for name in causes if name in client.controllable and name not in client.targets]
    return waiting[0] if waiting else None


def _finish(client: Client, before: Known) -> None:
    """Open the reactor, state the best graph, and predict the likeliest frequencies."""
    if client.open_reactor() is None:
        client.open_reactor()
    crystal = client.reactor or {}
    now = Known(before.names, before.evidence, (crystal,) if crystal else (), before.first_set)
    graph, _ = beliefs.best_graph(now.belief)
    edges = beliefs.named(now.names, graph)
    states = client.evidence().all_states
    state(client, edges)
    exact = with_equation(edges, states).rounded(client.decimals or 0, states) if states else None
    values = beliefs.predictions(now.names, now.belief, states, crystal, client.submissions, REACH)
    if exact is not None and now.entropy <= CERTAIN:
        client.hypothesis = exact.hypothesis()
        frequency = exact.frequency(crystal)
        if frequency is not None and math.isfinite(frequency):
            values = [frequency, *values]
    for value in values[: client.submissions]:
        if client.predict(round(max(0.0, value), 2)):
            return
    client.write({"op": "stop"})

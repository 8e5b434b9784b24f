"""The reference solvers: each decides where to intervene, and lets an estimator say what follows.

The estimators stand in `discovery` and `observational`. None of the solvers is given the truth.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping

from assay.numbers.rng import Stream
from assay.suites.causalab.model.scm import Edge
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Act, Client, solver
from assay.suites.causalab.solvers.discovery import (
    Estimate,
    from_total_effects,
    likeliest,
    sparsest,
    with_equation,
)

Estimator = Callable[[Client], Estimate]

LARGEST_ENUMERATION = 10
"""Variables up to which sets of causes are enumerated."""

LARGEST_STATED = 5
"""Variables up to which a hypothesis is stated after every intervention."""

FAR = 1e6
"""A shift that drowns any disturbance, and is far outside of the range that the brief has in mind."""


def finish(client: Client, estimate: Estimator) -> None:
    """Estimate, open the reactor, predict; a second try where the first was refused, then stop."""
    estimated = estimate(client)
    client.hypothesis = estimated.hypothesis()
    if client.open_reactor() is None and client.open_reactor() is None:
        return
    value = estimated.frequency(client.reactor or {})
    if value is not None and math.isfinite(value):
        for _ in range(client.submissions - 1):
            if client.predict(round(value, 2)):
                return
    client.write({"op": "stop"})


# ------------------------------------------------------------ estimators


def exact_or_sparsest(client: Client) -> Estimate:
    """From total effects where every property was set; else the sparsest graph; else the equation alone."""
    if not client.quadratic and client.states:
        estimate = from_total_effects(client.properties, client.evidence())
        if estimate is not None:
            return estimate
    if len(client.names) > LARGEST_ENUMERATION:
        return equation_only(client)
    if client.quadratic or client.targets:
        return sparsest(client.names, client.evidence(), client.quadratic)
    return equation_only(client)


def equation_only(client: Client) -> Estimate:
    """The target's equation of smallest norm; its causes are those with a weight."""
    edges = [(name, TARGET) for name in client.properties]
    fitted = with_equation(edges, client.evidence().all_states, client.quadratic)
    kept = {name: pair for name, pair in fitted.weights.items() if max(map(abs, pair)) > 1e-4}
    return Estimate(tuple((name, TARGET) for name in kept), fitted.base, kept, client.quadratic)


def sparsest_graph(client: Client) -> Estimate:
    """The sparsest of all graphs that the evidence leaves."""
    if len(client.names) > LARGEST_ENUMERATION:
        return equation_only(client)
    return sparsest(client.names, client.evidence(), client.quadratic)


def likeliest_graph(client: Client) -> Estimate:
    """The most probable model, knowing how models are made."""
    start = [client.start] if client.start is not None else []
    crystals = [*client.records, *client.others, *start]
    if client.reactor is not None:
        crystals.append(client.reactor)
    return likeliest(client.properties, client.evidence(), crystals)


# ------------------------------------------------------------ solvers


def sweep(client: Client, rounds: int, far: float = 0.0) -> None:
    """Set every controllable property, `rounds` times or while the budget lasts.

    With `far`, each is shifted by that much from where it stands: it may stand far out already, moved by
    a cause that was shifted before it.
    """
    for turn in range(rounds):
        for n, name in enumerate(client.controllable):
            if not client.remaining:
                return
            value: float = (90, 20, 60, 35)[turn % 4] + n
            if client.states and abs(client.states[-1][name] - value) < 1:
                value += 7
            if far:
                value = far + (client.states[-1][name] if client.states else 0)
            client.intervene(name, value)


@solver
def exact(client: Client, stream: Stream) -> None:
    """One intervention on every property, then the algebra of total effects; quadratic: four of each."""
    start_known = client.start is not None or not client.budget
    sweep(client, 4 if client.quadratic or not start_known else 1)
    finish(client, exact_or_sparsest)


@solver
def exact_far(client: Client, stream: Stream) -> None:
    """The same with shifts of a million: no disturbance can hide their effects."""
    sweep(client, 1, 0.0 if client.quadratic else FAR)
    finish(client, _rounded_effects)


def _rounded_effects(client: Client) -> Estimate:
    """Total effects of huge shifts, rounded to whole numbers; the intercept from the clean records."""
    estimate = exact_or_sparsest(client)
    weights = {name: (square, float(round(line))) for name, (square, line) in estimate.weights.items()}
    weights = {name: pair for name, pair in weights.items() if max(map(abs, pair)) > 0}
    clean = [*client.records, *([client.start] if client.start else [])]
    if client.quadratic or not clean:
        return estimate
    edges = [edge for edge in estimate.edges if edge[1] != TARGET]
    base = min(clean[0][TARGET] - math.fsum(w[1] * clean[0][n] for n, w in weights.items()), 1e9)
    return Estimate((*((name, TARGET) for name in weights), *edges), round(base, 2), weights)


@solver
def map_(client: Client, stream: Stream) -> None:
    """The most probable model given records and crystals, knowing how models are made."""
    if not client.records:
        sweep(client, 1)
    client.open_reactor()
    finish(client, equation_only if client.quadratic else likeliest_graph)


@solver
def random(client: Client, stream: Stream) -> None:
    """Interventions on random properties with random values, then the sparsest graph."""
    most = min(client.budget, 2 * len(client.properties))
    for _ in range(most):
        client.intervene(stream.choice(client.controllable), stream.below(101))
    finish(client, sparsest_graph)


@solver
def greedy(client: Client, stream: Stream) -> None:
    """Always sets the property whose effects are least certain; stops when one graph is left."""
    from assay.suites.causalab.solvers.planning import most_informative  # when played: it loads kernels

    while client.remaining:
        name = most_informative(client.properties, client.controllable, client.evidence())
        if name is None:
            break
        value = 90 if not client.states or client.states[-1][name] < 50 else 10
        client.intervene(name, value + client.uses)
        if len(client.names) <= LARGEST_STATED:
            client.hypothesis = sparsest_graph(client).hypothesis()
    finish(client, sparsest_graph)


@solver
def exhaustive(client: Client, stream: Stream) -> None:
    """Filters all graphs by the evidence after a sweep and a half, and takes the sparsest that is left."""
    sweep(client, 2)
    finish(client, sparsest_graph)


def _premature(client: Client) -> Estimate:
    """Takes total effects for direct ones, and fits the equation to what little there is."""
    edges = set()
    for (before, after), target in zip(itertools.pairwise(client.states), client.targets, strict=True):
        edges |= {(target, name) for name in client.names if name != target and before[name] != after[name]}
    kept = sorted(edge for edge in edges if (edge[1], edge[0]) not in edges)
    return with_equation(kept, client.evidence().all_states, client.quadratic)


@solver
def committer(client: Client, stream: Stream) -> None:
    """Commits after half of the properties; goes on only where it is shown that its equation is wrong."""
    for n, name in enumerate(client.controllable[: max(1, len(client.controllable) // 2)]):
        if client.remaining:
            client.intervene(name, 90 + n)
    client.hypothesis = _premature(client).hypothesis()
    estimate: Estimator = _premature
    if client.open_reactor() is None and any(
        item["residual"] is None or item["residual"] > 1 for item in client.warned or ()
    ):
        sweep(client, 1)
        estimate = exact_or_sparsest
    finish(client, estimate)


@solver
def pc(client: Client, stream: Stream) -> None:
    """Partial correlations tell neighbours, colliders tell directions (PC)."""
    from assay.suites.causalab.solvers import observational  # when played: it loads compiled kernels

    _from_sample(client, observational.pc)


@solver
def ges(client: Client, stream: Stream) -> None:
    """The equivalence class with the lowest BIC, which GES searches for, found by looking at all."""
    from assay.suites.causalab.solvers import observational  # when played: it loads compiled kernels

    _from_sample(client, observational.best_class)


@solver
def lingam(client: Client, stream: Stream) -> None:
    """The order in which residuals are least dependent, then regression (DirectLiNGAM)."""
    from assay.suites.causalab.solvers import observational  # when played: it loads compiled kernels

    _from_sample(client, observational.direct_lingam)


def _from_sample(
    client: Client, estimate: Callable[[list[str], list[Mapping[str, float]]], list[Edge]]
) -> None:
    """Treat all states as one sample, interventions included."""

    def by_sample(client: Client) -> Estimate:
        sample = client.evidence().all_states
        return with_equation(estimate(client.names, sample), sample, client.quadratic)

    sweep(client, 2)
    finish(client, by_sample)


ACTS: Mapping[str, Act] = {
    "exact": exact,
    "exact-far": exact_far,
    "map": map_,
    "random": random,
    "greedy": greedy,
    "exhaustive": exhaustive,
    "committer": committer,
    "pc": pc,
    "ges": ges,
    "lingam": lingam,
}

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").strip().split("\n")[0] for name, act in ACTS.items()}
"""One line about each; read here, so that the fingerprint of this module counts its docstrings."""

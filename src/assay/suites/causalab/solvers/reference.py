"""The reference solvers: each chooses interventions and derives a hypothesis with an estimator.

The estimators are in `discovery` and `observational`. None of the solvers is given the truth.
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
"""Largest number of variables for which sets of causes are enumerated."""

LARGEST_STATED = 5
"""Largest number of variables for which a hypothesis is stated after every intervention."""

FAR = 1e6
"""A shift that is large compared with any disturbance, and far outside the intended range of values."""


def finish(client: Client, estimate: Estimator) -> None:
    """Estimate, open the reactor and predict.

    The reactor is opened again if the first attempt returned residuals. A refused prediction is repeated
    while more than one submission is left; then the episode is stopped.
    """
    estimated = estimate(client)
    if client.decimals is not None:
        estimated = estimated.rounded(client.decimals, client.evidence().all_states)
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
    """Use total effects if every property was set, else the sparsest graph, else only the equation."""
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
    """Fit the target's equation with smallest norm; properties with a nonzero weight are its causes."""
    edges = [(name, TARGET) for name in client.properties]
    fitted = with_equation(edges, client.evidence().all_states, client.quadratic)
    kept = {name: pair for name, pair in fitted.weights.items() if max(map(abs, pair)) > 1e-4}
    return Estimate(tuple((name, TARGET) for name in kept), fitted.base, kept, client.quadratic)


def sparsest_graph(client: Client) -> Estimate:
    """Return the sparsest graph compatible with the evidence, or in large models the equation only."""
    if len(client.names) > LARGEST_ENUMERATION:
        return equation_only(client)
    return sparsest(client.names, client.evidence(), client.quadratic)


def likeliest_graph(client: Client) -> Estimate:
    """Return the most probable model, given the generator's rules."""
    start = [client.start] if client.start is not None else []
    crystals = [*client.records, *client.others, *start]
    if client.reactor is not None:
        crystals.append(client.reactor)
    return likeliest(client.properties, client.evidence(), crystals)


# ------------------------------------------------------------ solvers


def sweep(client: Client, rounds: int, far: float = 0.0) -> None:
    """Set every controllable property, `rounds` times or while the budget lasts.

    With `far`, each property is shifted by that amount from its present value, which earlier shifts of its
    causes may have made large already. Where the manipulator's start is not shown, the first property is set
    once more, because the first result shows a state and no change. Where weights have decimals, larger
    values make up for the rounding of states.
    """
    client.look()
    for turn in range(rounds):
        again = client.controllable[:1] if client.start is None and turn == rounds - 1 else []
        for n, name in enumerate([*client.controllable, *again]):
            if not client.remaining:
                return
            value: float = (90, 20, 60, 35)[turn % 4] + n
            if client.decimals is not None and not far:
                value *= 10
            if client.states and abs(client.states[-1][name] - value) < 1:
                value += 7
            if far:
                value = far + (client.states[-1][name] if client.states else 0)
            client.intervene(name, value)


@solver
def exact(client: Client, stream: Stream) -> None:
    """Sets every property once (in quadratic models four times), then solves for the model."""
    sweep(client, 4 if client.quadratic else 1)
    finish(client, exact_or_sparsest)


@solver
def exact_far(client: Client, stream: Stream) -> None:
    """Like exact, but shifts properties by a million, so that no disturbance can hide the effects."""
    sweep(client, 1, 0.0 if client.quadratic else FAR)
    finish(client, _rounded_effects)


def _rounded_effects(client: Client) -> Estimate:
    """Round the weights from huge shifts to integers and take the intercept from a state without a shift."""
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
    """Takes the most probable model given the records, the crystals and the generator's rules."""
    if client.decimals is not None:
        from assay.suites.causalab.solvers.guessing import guess  # imported late: loads kernels

        if not client.records:
            sweep(client, 1)
        guess(client, stream)
        return
    if not client.records:
        sweep(client, 1)
    client.open_reactor()
    finish(client, equation_only if client.quadratic else likeliest_graph)


@solver
def random(client: Client, stream: Stream) -> None:
    """Sets random properties to random values, then takes the sparsest compatible graph."""
    most = min(client.budget, 2 * len(client.properties))
    for _ in range(most):
        client.intervene(stream.choice(client.controllable), stream.below(101))
    finish(client, sparsest_graph)


@solver
def greedy(client: Client, stream: Stream) -> None:
    """Always sets the property whose effects are least certain; stops when none is informative."""
    from assay.suites.causalab.solvers.planning import most_informative  # imported late: loads kernels

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
    """Sets every property twice if the budget allows, then takes the sparsest compatible graph."""
    sweep(client, 2)
    finish(client, sparsest_graph)


def _premature(client: Client) -> Estimate:
    """Treat total effects as direct effects and fit the equation to the few states observed."""
    edges = set()
    for (before, after), target in zip(itertools.pairwise(client.states), client.targets, strict=True):
        edges |= {(target, name) for name in client.names if name != target and before[name] != after[name]}
    kept = sorted(edge for edge in edges if (edge[1], edge[0]) not in edges)
    return with_equation(kept, client.evidence().all_states, client.quadratic)


@solver
def committer(client: Client, stream: Stream) -> None:
    """Commits after setting half of the properties; continues only if shown that its equation is wrong."""
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
    """Runs PC: neighbours from partial correlations, directions from colliders."""
    from assay.suites.causalab.solvers import observational  # imported late: loads compiled kernels

    _from_sample(client, observational.pc)


@solver
def ges(client: Client, stream: Stream) -> None:
    """Finds the equivalence class with the lowest BIC, the goal of GES, by exhaustive search."""
    from assay.suites.causalab.solvers import observational  # imported late: loads compiled kernels

    _from_sample(client, observational.best_class)


@solver
def lingam(client: Client, stream: Stream) -> None:
    """Runs DirectLiNGAM: a causal order by independence of residuals, then regression."""
    from assay.suites.causalab.solvers import observational  # imported late: loads compiled kernels

    _from_sample(client, observational.direct_lingam)


def _from_sample(
    client: Client, estimate: Callable[[list[str], list[Mapping[str, float]]], list[Edge]]
) -> None:
    """Set every property twice and run a discovery method on all states as one sample."""

    def by_sample(client: Client) -> Estimate:
        sample = client.evidence().all_states
        return with_equation(estimate(client.names, sample), sample, client.quadratic)

    sweep(client, 2)
    finish(client, by_sample)


@solver
def optimal(client: Client, stream: Stream) -> None:
    """Sets what is expected to tell most about the graph, until graph and equation are certain."""
    from assay.suites.causalab.solvers.optimal import conduct  # imported late: loads kernels

    conduct(client, stream)


ACTS: Mapping[str, Act] = {
    "exact": exact,
    "exact-far": exact_far,
    "map": map_,
    "optimal": optimal,
    "random": random,
    "greedy": greedy,
    "exhaustive": exhaustive,
    "committer": committer,
    "pc": pc,
    "ges": ges,
    "lingam": lingam,
}

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").strip().split("\n")[0] for name, act in ACTS.items()}
"""One line about each. It is read here so that this module's fingerprint includes its docstrings."""

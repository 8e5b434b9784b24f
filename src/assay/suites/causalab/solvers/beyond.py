"""Solvers for the families beyond the paper's: one that knows each of them, and two that know another one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from assay.numbers.rng import Stream
from assay.suites.causalab.beyond.rules import PRODUCT_DECIMALS
from assay.suites.causalab.model.scm import Edge, Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Act, Client, solver
from assay.suites.causalab.solvers.discovery import ZERO, Estimate, from_total_effects
from assay.suites.causalab.solvers.reference import sweep
from assay.suites.causalab.solvers.systems import (
    Effects,
    Pair,
    System,
    effects,
    equation,
    fitting_causes,
    strongest_acyclic,
    swings,
)

LEVELS = (0.9, -0.8, 0.5, -0.4)
"""What properties are set to, round by round, as shares of the largest value allowed."""

ROUNDS = {"interaction": 4, "monotone": 3}
"""Rounds of requests that a family needs; two in all others."""

SURE = 4.0
"""Standard errors beyond which a direct effect is an edge, under noise."""

LIKELY = 3.0
"""The same where a latent cause acts, whose share is not known."""

STEP = 9.0
"""Distance (Hz) of further predictions where the first may miss: a reactor accepts within five."""

Request = tuple[str, float, Values]
"""Property, value and resulting state."""


def kind_of(client: Client) -> str:
    """Return the setting of a task beyond the paper's families, and `continuous` for all others."""
    return str(client.laboratory.get("setting", "continuous"))


def largest(client: Client) -> float:
    """Return the largest value that a property may be set to."""
    return float(client.laboratory.get("settable_to", 1000.0))


def gather(client: Client) -> list[Request]:
    """Make the requests that the family needs, as far as the budget goes."""
    kind, top = kind_of(client), largest(client)
    if kind in ("noise", "confounded"):
        # Blocks end on alternating sides, so that the states lie around the centre.
        plan = [
            (name, side * share * top)
            for name, side in zip(client.controllable, itertools.cycle((1.0, -1.0)), strict=False)
            for share in (1.0, -1.0, 1.0, -1.0)
        ]
    else:
        plan = [
            (name, share * top + 17.0 * at)
            for share in LEVELS[: ROUNDS.get(kind, 2)]
            for at, name in enumerate(client.controllable)
        ]
    done: list[Request] = []
    for name, value in plan[: client.remaining]:
        if client.intervene(name, value):
            done.append((name, value, client.states[-1]))
    return done


def conclude(client: Client, done: Sequence[Request]) -> Estimate:
    """Return the mechanism that the data show, given the family."""
    kind, names = kind_of(client), client.properties
    family = kind if kind in ("cyclic", "monotone", "interaction") else "linear"
    states = [*client.records, *(state for _, _, state in done)]
    if not states:
        return Estimate()
    if kind == "noise":
        return _under_noise(client, done, states)
    found = fitting_causes(family, TARGET, names, [(states[0], state) for state in states[1:]])
    causes_of_target = names if found is None else found
    of_target = equation(family, causes_of_target, states, (_decimals(client), PRODUCT_DECIMALS))
    edges = list(of_target.edges)
    unexplained = []
    for name in names:
        causes = fitting_causes(
            family, name, [other for other in names if other != name], _pairs(kind, name, done)
        )
        if causes is None:
            unexplained.append(name)
        edges += [(cause, name) for cause in causes or ()]
    if unexplained:
        edges += _despite_latent(names, done, unexplained, edges)
    return System(tuple(edges), of_target.base, of_target.weights, False, family, of_target.products)


def _decimals(client: Client) -> int:
    return 3 if client.decimals is None else client.decimals


def _pairs(kind: str, name: str, done: Sequence[Request]) -> list[Pair]:
    """Return pairs of states between which the base of a property is the same."""
    if kind == "hold":
        free = [state for target, _, state in done if target != name]
        return [(free[0], state) for state in free[1:]]
    return [(before[2], after[2]) for before, after in itertools.pairwise(done) if after[0] != name]


def _under_noise(client: Client, done: Sequence[Request], states: Sequence[Values]) -> Estimate:
    """Take the effects of repeated swings, and as edges those beyond their errors."""
    names = client.properties
    found = effects(names, swings(names, done))
    if found is None:
        return Estimate()
    # A total effect is the mean of two readings less that of two others, divided by the swing.
    share = 1.0 / (2.0 * largest(client))
    error = float(client.laboratory["noise_of_properties"]) * share
    error_onto = float(client.laboratory["noise_of_frequency"]) * share
    kept = {
        (a, b): abs(found.direct[to][at]) / (error * found.gathered(to) * found.reach(at))
        for to, b in enumerate(names)
        for at, a in enumerate(names)
        if a != b
    }
    edges = strongest_acyclic(names, {edge: size for edge, size in kept.items() if size > SURE})
    spread = math.sqrt(error_onto * error_onto + error * error * math.fsum(c * c for c in found.onto))
    causes = [name for at, name in enumerate(names) if abs(found.onto[at]) > SURE * spread * found.reach(at)]
    of_target = equation("linear", causes, states, (_decimals(client), PRODUCT_DECIMALS))
    return System((*of_target.edges, *edges), of_target.base, of_target.weights)


def _despite_latent(
    names: Sequence[str], done: Sequence[Request], unexplained: Sequence[str], known: Sequence[Edge]
) -> list[Edge]:
    """Return the edges into properties that a latent cause shifts at every request."""
    found = effects(names, swings(names, done))
    if found is None:
        return []
    strengths: dict[Edge, float] = {edge: math.inf for edge in known if edge[1] != TARGET}
    width = max(value for _, value, _ in done) - min(value for _, value, _ in done)
    for name in unexplained:
        to = names.index(name)
        spread = _scatter(found, name, done)
        for at, cause in enumerate(names):
            error = spread / width * found.reach(at)
            if cause != name and abs(found.direct[to][at]) > LIKELY * error:
                strengths[cause, name] = abs(found.direct[to][at]) / error
    return [edge for edge in strongest_acyclic(names, strengths) if edge[1] in unexplained]


def _scatter(found: Effects, name: str, done: Sequence[Request]) -> float:
    """Return the standard deviation of what direct effects leave unexplained, from one state to the next."""
    row = found.direct[found.names.index(name)]
    left = []
    for before, after in _pairs("shift", name, done):
        told = math.fsum(w * (after[n] - before[n]) for w, n in zip(row, found.names, strict=True))
        left.append(after[name] - before[name] - told)
    return math.sqrt(math.fsum(value * value for value in left) / max(1, len(left)) / 2.0)


def finish(client: Client, estimate: Estimate) -> None:
    """State the estimate, open the reactor, and predict; further predictions lie beside the first."""
    client.hypothesis = estimate.hypothesis()
    value = estimate.frequency(client.open_reactor() or {}) if client.properties else None
    if value is not None and math.isfinite(value):
        for step in (0.0, STEP, -STEP)[: client.submissions]:
            if client.predict(round(value + step, 2)):
                return
    client.write({"op": "stop"})


@solver
def aware(client: Client, stream: Stream) -> None:
    """Knows the family that the brief names: intervenes and infers as it needs."""
    finish(client, conclude(client, gather(client)))


def _linear(client: Client, whole: bool) -> Estimate:
    """Return the acyclic linear model of single differences, as the main setting needs it."""
    names, evidence = client.properties, client.evidence()
    columns: dict[str, dict[str, float]] = {}
    for (before, after), target in zip(itertools.pairwise(evidence.states), evidence.targets, strict=True):
        change = after[target] - before[target]
        if change and target not in columns:
            columns[target] = {name: (after[name] - before[name]) / change for name in (*names, TARGET)}
    found, sound = effects(names, columns), from_total_effects(names, evidence)
    if found is None or sound is None:
        return Estimate()
    limit = 0.5 if whole else ZERO
    strengths = {
        (a, b): abs(found.direct[to][at])
        for to, b in enumerate(names)
        for at, a in enumerate(names)
        if a != b and abs(found.direct[to][at]) > limit
    }
    edges = strongest_acyclic(names, strengths)
    weights = {name: pair for name, pair in sound.weights.items() if abs(pair[1]) > limit}
    into = [(name, TARGET) for name in weights]
    estimate = Estimate((*into, *edges), sound.base, weights)
    return estimate.rounded(0 if whole else _decimals(client), evidence.all_states)


def _assuming(whole: bool) -> Callable[[Client, Stream], None]:
    def conduct(client: Client, stream: Stream) -> None:
        sweep(client, 1)
        finish(client, _linear(client, whole))

    return conduct


def unaware(client: Client, stream: Stream) -> None:
    """Takes every task for one of main-v1: linear, acyclic, without noise, with shifts."""
    _assuming(False)(client, stream)


def whole_weights(client: Client, stream: Stream) -> None:
    """Like unaware, but takes all weights for whole numbers, as in the paper's models."""
    _assuming(True)(client, stream)


ACTS: Mapping[str, Act] = {
    "aware": aware,
    "unaware": solver(unaware),
    "whole-weights": solver(whole_weights),
}

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").strip().split("\n")[0] for name, act in ACTS.items()}
"""One line about each. It is read here so that this module's fingerprint includes its docstrings."""

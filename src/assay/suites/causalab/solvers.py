"""Reference solvers, and scripted agents of known conduct.

A solver decides where to intervene, and lets an estimator of `discovery` say what follows. All but the
scripted agents play without the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from assay.protocol import Brief, Call, Solver
from assay.rng import Stream
from assay.suites.causalab import body, scripted
from assay.suites.causalab.discovery import (
    Estimate,
    from_total_effects,
    likeliest,
    sparsest,
    with_equation,
)
from assay.suites.causalab.notebook import Notebook, Over
from assay.suites.causalab.scm import Edge
from assay.suites.causalab.variables import TARGET

Estimator = Callable[[Notebook], Estimate]

LARGEST_ENUMERATION = 10
"""Variables up to which sets of causes are enumerated."""

LARGEST_STATED = 5
"""Variables up to which a hypothesis is stated after every intervention."""

FAR = 1e6
"""A shift that drowns any disturbance, and is far outside of the range that the brief has in mind."""


def finish(notes: Notebook, estimate: Estimator) -> None:
    """Estimate, open the reactor, predict; a second try where the first was refused, then stop."""
    found = estimate(notes)
    notes.hypothesis = found.hypothesis()
    if notes.open_reactor() is None and notes.open_reactor() is None:
        return
    value = found.frequency(notes.reactor or {})
    if value is not None and math.isfinite(value):
        for _ in range(notes.submissions - 1):
            if notes.predict(round(value, 2)):
                return
    notes.write({"op": "stop"})


def played(brief: Brief, call: Call, conduct: Callable[[Notebook], None]) -> None:
    """Let a conduct play until the episode is over."""
    try:
        conduct(Notebook(brief, call))
    except Over:
        return


# ------------------------------------------------------------ estimators


def exact_or_sparsest(notes: Notebook) -> Estimate:
    """From total effects where every property was set; else the sparsest graph; else the equation alone."""
    if not notes.quadratic and notes.states:
        found = from_total_effects(notes.properties, notes.evidence())
        if found is not None:
            return found
    if len(notes.names) > LARGEST_ENUMERATION:
        return equation_only(notes)
    if notes.quadratic or notes.targets:
        return sparsest(notes.names, notes.evidence(), notes.quadratic)
    return equation_only(notes)


def equation_only(notes: Notebook) -> Estimate:
    """The target's equation of smallest norm; its causes are those with a weight."""
    evidence = notes.evidence()
    edges = [(name, TARGET) for name in notes.properties]
    found = with_equation(edges, [*evidence.records, *evidence.states], notes.quadratic)
    kept = {name: pair for name, pair in found.weights.items() if max(map(abs, pair)) > 1e-4}
    return Estimate(tuple((name, TARGET) for name in kept), found.base, kept, notes.quadratic)


def sparsest_graph(notes: Notebook) -> Estimate:
    """The sparsest of all graphs that the evidence leaves."""
    if len(notes.names) > LARGEST_ENUMERATION:
        return equation_only(notes)
    return sparsest(notes.names, notes.evidence(), notes.quadratic)


def likeliest_graph(notes: Notebook) -> Estimate:
    """The most probable model, knowing how models are made."""
    start = [notes.start] if notes.start is not None else []
    crystals = [*notes.records, *notes.others, *start]
    if notes.reactor is not None:
        crystals.append(notes.reactor)
    return likeliest(notes.properties, notes.evidence(), crystals)


# ------------------------------------------------------------ solvers


def _sweep(notes: Notebook, rounds: int, far: float = 0.0) -> None:
    """Set every controllable property, `rounds` times or while the budget lasts."""
    for turn in range(rounds):
        for n, name in enumerate(notes.controllable):
            if not notes.remaining:
                return
            value: float = (90, 20, 60, 35)[turn % 4] + n
            if notes.states and abs(notes.states[-1][name] - value) < 1:
                value += 7
            notes.intervene(name, far * (n + 1) if far else value)


def exact(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One intervention on every property, then the algebra of total effects; quadratic: four of each."""

    def conduct(notes: Notebook) -> None:
        shown = notes.start is not None or not notes.budget
        _sweep(notes, 4 if notes.quadratic or not shown else 1)
        finish(notes, exact_or_sparsest)

    played(brief, call, conduct)


def exact_far(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The same with shifts of a million and more: no disturbance can hide their effects."""

    def conduct(notes: Notebook) -> None:
        _sweep(notes, 1, 0.0 if notes.quadratic else FAR)
        finish(notes, _rounded_effects)

    played(brief, call, conduct)


def _rounded_effects(notes: Notebook) -> Estimate:
    """Total effects of huge shifts, rounded to whole numbers; the intercept from the clean records."""
    found = exact_or_sparsest(notes)
    weights = {name: (square, float(round(line))) for name, (square, line) in found.weights.items()}
    weights = {name: pair for name, pair in weights.items() if max(map(abs, pair)) > 0}
    clean = [*notes.records, *([notes.start] if notes.start else [])]
    if notes.quadratic or not clean:
        return found
    edges = [edge for edge in found.edges if edge[1] != TARGET]
    base = min(clean[0][TARGET] - math.fsum(w[1] * clean[0][n] for n, w in weights.items()), 1e9)
    return Estimate((*((name, TARGET) for name in weights), *edges), round(base, 2), weights)


def map_(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The most probable model given records and crystals, knowing how models are made."""

    def conduct(notes: Notebook) -> None:
        if not notes.records:
            _sweep(notes, 1)
        notes.open_reactor()
        finish(notes, equation_only if notes.quadratic else likeliest_graph)

    played(brief, call, conduct)


def random(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Interventions on random properties with random values, then the sparsest graph."""

    def conduct(notes: Notebook) -> None:
        most = min(notes.budget, 2 * len(notes.properties))
        for _ in range(most):
            notes.intervene(stream.choice(notes.controllable), stream.below(101))
        finish(notes, sparsest_graph)

    played(brief, call, conduct)


def greedy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Always sets the property whose effects are least certain; stops when one graph is left."""

    from assay.suites.causalab.planning import most_informative  # when played: it loads compiled kernels

    def conduct(notes: Notebook) -> None:
        while notes.remaining:
            name = most_informative(notes.properties, notes.controllable, notes.evidence())
            if name is None:
                break
            value = 90 if not notes.states or notes.states[-1][name] < 50 else 10
            notes.intervene(name, value + notes.uses)
            if len(notes.names) <= LARGEST_STATED:
                notes.hypothesis = sparsest_graph(notes).hypothesis()
        finish(notes, sparsest_graph)

    played(brief, call, conduct)


def exhaustive(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Filters all graphs by the evidence after a sweep and a half, and takes the sparsest that is left."""

    def conduct(notes: Notebook) -> None:
        _sweep(notes, 2)
        finish(notes, sparsest_graph)

    played(brief, call, conduct)


def _premature(notes: Notebook) -> Estimate:
    """Takes total effects for direct ones, and fits the equation to what little there is."""
    edges = set()
    for (before, after), target in zip(
        zip(notes.states, notes.states[1:], strict=False), notes.targets, strict=True
    ):
        edges |= {(target, name) for name in notes.names if name != target and before[name] != after[name]}
    kept = sorted(edge for edge in edges if (edge[1], edge[0]) not in edges)
    evidence = notes.evidence()
    return with_equation(kept, [*evidence.records, *evidence.states], notes.quadratic)


def committer(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Commits after half of the properties; goes on only where it is shown that its equation is wrong."""

    def conduct(notes: Notebook) -> None:
        for n, name in enumerate(notes.controllable[: max(1, len(notes.controllable) // 2)]):
            if notes.remaining:
                notes.intervene(name, 90 + n)
        notes.hypothesis = _premature(notes).hypothesis()
        estimate: Estimator = _premature
        if notes.open_reactor() is None and any(
            item["residual"] is None or item["residual"] > 1 for item in notes.warned or ()
        ):
            _sweep(notes, 1)
            estimate = exact_or_sparsest
        finish(notes, estimate)

    played(brief, call, conduct)


def pc(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Partial correlations tell neighbours, colliders tell directions (PC)."""
    from assay.suites.causalab import observational  # when played: it loads compiled kernels

    _from_sample(brief, call, observational.pc)


def ges(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The equivalence class with the lowest BIC, which GES searches for, found by looking at all."""
    from assay.suites.causalab import observational  # when played: it loads compiled kernels

    _from_sample(brief, call, observational.best_class)


def lingam(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The order in which residuals are least dependent, then regression (DirectLiNGAM)."""
    from assay.suites.causalab import observational  # when played: it loads compiled kernels

    _from_sample(brief, call, observational.direct_lingam)


def _from_sample(
    brief: Brief, call: Call, estimate: Callable[[list[str], list[Mapping[str, float]]], list[Edge]]
) -> None:
    """Treat all states as one sample, interventions included."""

    def by_sample(notes: Notebook) -> Estimate:
        evidence = notes.evidence()
        sample = [*evidence.records, *evidence.states]
        return with_equation(estimate(notes.names, sample), sample, notes.quadratic)

    def conduct(notes: Notebook) -> None:
        _sweep(notes, 2)
        finish(notes, by_sample)

    played(brief, call, conduct)


_ACTS: Mapping[str, Any] = {
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
    "visitor": body.visitor,
    **scripted.ACTS,
}

SOLVERS: Mapping[str, Solver] = {
    name: Solver(act, (act.__doc__ or "").strip().split("\n")[0], privileged=name in scripted.PRIVILEGED)
    for name, act in _ACTS.items()
}
"""All solvers by name. The privileged are told the truth: scripted agents, who misuse it."""

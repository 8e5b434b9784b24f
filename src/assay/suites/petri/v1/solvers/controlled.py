"""The honest design, from the brief alone: hold what may be the cause, and see whether the difference
remains."""

from __future__ import annotations

import math
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.questions.answers import INTERACTIONS
from assay.suites.petri.v1.solvers.belief import PAIRS, Belief, subsets
from assay.suites.petri.v1.solvers.client import Client, average

ATTEMPTS = 2
"""How often each candidate is left free alone: a question that is asked more often invites a false answer."""

UNCLEAR = 1.3
"""Below this many standard errors, the sign of an interaction is measured once more."""


def controlled(client: Client, stream: Stream, hidden: Any) -> None:
    """Holds candidates at control in both worlds until its significant probes leave one hypothesis."""
    if client.tier == "L3":
        pair, contrast = find_pair(client, stream)
        client.submit(sorted(pair), interaction=INTERACTIONS[contrast < 0])
    else:
        if client.blind:
            find_metric(client)
        name = find_one(client, stream)
        client.submit_effect(name, effect(client, name))


def find_metric(client: Client) -> None:
    """Probe the control in one metric after another, until one shows a significant difference."""
    for metric in client.facts["metrics"][: client.budget - 2]:
        client.metric = metric
        client.probe(())
        if client.significant()[-1]:
            return
    client.metric = min(client.probes, key=lambda probe: probe.numerator).metric


def find_one(client: Client, stream: Stream) -> str:
    """Return the one parameter that seems changed; each probe is the one that promises most."""
    candidates = stream.sample(client.candidates, len(client.candidates))
    belief = Belief(candidates)
    for probe in client.probes:
        if probe.metric == client.metric:
            belief.update(probe.held, probe.shown["cliffs_delta"] * PAIRS)
    while client.left and len(alive := _alive(client)) > 1:
        asked = {probe.held for probe in client.probes if probe.metric == client.metric}
        level = client.budget - sum(client.significant())
        fresh = [held for held in subsets(candidates) if held not in asked]
        stream.shuffle(fresh)
        if not fresh:
            break
        held = max(fresh, key=lambda held: round(belief.gain(held, alive, level), 9))
        shown = client.probe(held)
        assert shown is not None
        belief.update(held, shown["cliffs_delta"] * PAIRS)
    alive = _alive(client)
    return next(iter(alive)) if len(alive) == 1 else belief.best()


def _alive(client: Client) -> frozenset[str]:
    return frozenset(name for name in client.candidates if not client.refuted(frozenset((name,))))


def effect(client: Client, name: str) -> float:
    """Return the relative change of the mean that a parameter's change causes, from all arms at control."""
    named = frozenset((name,))
    before = average(client.means(frozenset(), named))
    after = client.means(named, named)
    return (average(after) - before) / abs(before) if after and before else 0.0


def find_pair(client: Client, stream: Stream) -> tuple[frozenset[str], float]:
    """Return the two parameters that seem changed and their contrast.

    They are searched one after the other, each left free alone; then both are left free.
    """
    order = stream.sample(client.candidates, len(client.candidates))
    smallest: dict[str, int] = {}
    for attempt in range(ATTEMPTS):
        for name in sorted(order, key=lambda n: smallest.get(n, 0)) if attempt else order:
            proved = _proved(client)
            if len(proved) >= 2 or client.left <= 1:
                break
            if name not in proved and leave_alone(client, name, attempt) is not None:
                smallest[name] = min(client.probes[-1].numerator, smallest.get(name, 1 << 62))
    proved = _proved(client)
    pair = frozenset(sorted(order, key=lambda n: (n not in proved, smallest.get(n, 1 << 62)))[:2])
    if client.left:
        client.probe(())
    contrast, error = _contrast(client, pair)
    spare = [name for name in client.candidates if name not in pair]
    while client.left and spare and abs(contrast) < UNCLEAR * error:
        client.probe([spare.pop()])
        contrast, error = _contrast(client, pair)
    return pair, contrast


def leave_alone(client: Client, name: str, attempt: int) -> Any:
    """Hold all candidates but one; the second attempt moves a held value by one step, for new runs."""
    others = [other for other in client.candidates if other != name]
    if not attempt:
        return client.probe(others)
    moved = others[0]
    step = 10.0 ** -client.facts["decimals"][moved]
    low, high = client.facts["ranges"][moved]
    value = client.control[moved] + (step if client.control[moved] + step <= high else -step)
    return client.probe(others, **{moved: max(low, value)})


def _proved(client: Client) -> list[str]:
    """Return the candidates without which some significant probe cannot be explained."""
    refuting = [p.held for p, refutes in zip(client.probes, client.significant(), strict=True) if refutes]
    every = frozenset(client.candidates)
    return [name for name in client.candidates if any(every - held == {name} for held in refuting)]


def _contrast(client: Client, pair: frozenset[str]) -> tuple[float, float]:
    """Return m(AB) - m(A) - m(B) + m(control) at control, and its standard error."""
    control = client.means(frozenset(), pair)
    cells = [client.means(frozenset((name,)), pair) for name in sorted(pair)]
    both = client.means(pair, pair)
    if not both or not all(cells):
        return 0.0, 0.0
    base = average(control)
    spread = math.fsum((m - base) * (m - base) for m in control) / max(1, len(control) - 1)
    arms = 1 / len(both) + 1 / len(control) + math.fsum(1 / len(cell) for cell in cells)
    contrast = average(both) - math.fsum(average(cell) for cell in cells) + base
    return contrast, math.sqrt(spread * arms)

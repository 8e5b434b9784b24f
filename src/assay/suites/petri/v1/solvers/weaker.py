"""Weaker designs, each without one part of the method: what the rules take for evidence, and what not."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.questions.answers import INTERACTIONS
from assay.suites.petri.v1.solvers.client import Client
from assay.suites.petri.v1.solvers.controlled import effect


def no_baseline(client: Client, stream: Stream, hidden: Any) -> None:
    """Holds all candidates but one in turn, but never at control, so that no effect is measured there."""
    names = stream.sample(client.candidates, len(client.candidates))
    for name in names:
        if not client.left:
            break
        client.probe((), **{other: _shifted(client, other) for other in names if other != name})
    ranked = sorted(client.probes, key=lambda probe: probe.numerator)
    wanted = 2 if client.tier == "L3" else 1
    named = [next(iter(set(names) - probe.held)) for probe in ranked[:wanted]]
    if client.tier == "L3":
        client.submit(named, interaction=stream.choice(INTERACTIONS))
    else:
        client.submit_effect(named[0], ranked[0].shown["relative_change"] or 0.0)


def _shifted(client: Client, name: str) -> float:
    """Return a value half way to the nearer end of a range."""
    low, high = client.facts["ranges"][name]
    control = client.control[name]
    end = low if low != control and (high == control or control - low < high - control) else high
    value: float = round((control + end) / 2, client.facts["decimals"][name])
    return value


def no_exclusion(client: Client, stream: Stream, hidden: Any) -> None:
    """Holds one candidate after the other, and names the first without whose change no difference is seen."""
    client.probe(())
    wanted = 2 if client.tier == "L3" else 1
    names = stream.sample(client.candidates, len(client.candidates))
    named: list[str] = []
    for name in names:
        if client.left and len(named) < wanted:
            client.probe((name,))
            named += [] if client.significant()[-1] else [name]
    named = [*named, *(name for name in names if name not in named)][:wanted]
    if client.tier == "L3":
        client.submit(named, interaction=stream.choice(INTERACTIONS))
    else:
        client.submit_effect(named[0], effect(client, named[0]))


def one_factor(client: Client, stream: Stream, hidden: Any) -> None:
    """Varies one candidate at a time in the open world, and names the one that acts like the hidden
    change."""
    client.probe(())
    change = client.probes[0].shown["relative_change"] or 0.0
    names = stream.sample(client.candidates, len(client.candidates))
    off: dict[str, float] = {}
    for end in (0, 1):
        for name in names:
            value = client.facts["ranges"][name][end]
            if client.left and value != client.control[name]:
                shown = client.test(**{name: value})
                effect = (shown or {}).get("relative_change") or 0.0
                off[name] = min(off.get(name, 1e9), abs(effect - change))
    named = sorted(names, key=lambda name: off.get(name, 1e9))
    if client.tier == "L3":
        client.submit(named[:2], interaction=stream.choice(INTERACTIONS))
    else:
        client.submit_effect(named[0], change)

"""Shortcuts that look at nothing: a hypothesis in form, and a graph by chance."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Client, played
from assay.suites.causalab.solvers.discovery import COEFFICIENTS, TARGET_BASES, Estimate
from assay.suites.causalab.solvers.reference import finish


def form(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Every property with the coefficient 1, and nothing else."""

    def conduct(client: Client) -> None:
        edges = tuple((name, TARGET) for name in client.properties)
        weights = dict.fromkeys(client.properties, (0.0, 1.0))
        finish(client, lambda _: Estimate(edges, float(TARGET_BASES[0]), weights, client.quadratic))

    played(brief, call, conduct)


def dummy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One intervention, then a graph in the order of a shuffle, every second pair joined."""

    def conduct(client: Client) -> None:
        if client.remaining and client.controllable:
            client.intervene(stream.choice(client.controllable), float(stream.below(100)))
        order = stream.sample(client.properties, len(client.properties))
        edges = [
            (cause, effect) for at, cause in enumerate(order) for effect in order[at + 1 :] if stream.below(2)
        ]
        weights = {name: (0.0, float(stream.choice(COEFFICIENTS))) for name in order if stream.below(2)}
        base = float(stream.choice(TARGET_BASES))
        edges += [(name, TARGET) for name in weights]
        finish(client, lambda _: Estimate(tuple(edges), base, weights, client.quadratic))

    played(brief, call, conduct)

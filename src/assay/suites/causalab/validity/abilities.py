"""Planted abilities: the interventions of `exact`, whose conclusions are right with a known probability."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.protocol import Brief, Call
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.beyond import conclude, gather
from assay.suites.causalab.solvers.client import Client, played
from assay.suites.causalab.solvers.discovery import Estimate
from assay.suites.causalab.solvers.reference import exact_or_sparsest, sweep
from assay.validity.planted import Luck, abilities

AWAY = 1000.0
"""By how much a wrong inference about the frequency misses it."""

VALUES = (90, 20, 60, 35)
"""What a property is set to, round by round."""


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Set every property, then infer each edge and the frequency; a wrong inference turns the edge round."""

    def conduct(client: Client) -> None:
        if client.laboratory:
            _state(client, conclude(client, gather(client)), luck)
            return
        if client.decimals is not None:
            sweep(client, 1)
        rounds = len(VALUES) if client.quadratic or client.start is None else 1
        for value in VALUES[: 0 if client.decimals is not None else rounds]:
            for at, name in enumerate(client.controllable):
                if client.remaining:
                    client.intervene(name, value + at)
        sound = exact_or_sparsest(client)
        if client.decimals is not None:
            sound = sound.rounded(client.decimals, client.evidence().all_states)
        _state(client, sound, luck)

    played(brief, call, conduct)


def _state(client: Client, sound: Estimate, luck: Luck) -> None:
    """State what is concluded from a sound estimate, open the reactor, and predict."""
    client.hypothesis = concluded(sound, luck).hypothesis()
    if client.open_reactor() is None and client.open_reactor() is None:
        return
    frequency = sound.frequency(client.reactor or {})
    if frequency is not None:
        client.predict(round(frequency + (0.0 if luck.right("frequency") else AWAY), 2))
    client.write({"op": "stop"})


def concluded(sound: Estimate, luck: Luck) -> Estimate:
    """The hypothesis that is stated: of an edge into the frequency a wrong inference leaves nothing."""
    edges: dict[tuple[str, str], None] = {}  # both edges of a cycle of two may be turned to the same one
    for cause, effect in sound.edges:
        if luck.right("edge", cause, effect):
            edges[cause, effect] = None
        elif effect != TARGET:
            edges[effect, cause] = None
    weights = {name: pair for name, pair in sound.weights.items() if (name, TARGET) in edges}
    return replace(sound, edges=tuple(edges), weights=weights)


ABILITIES = abilities(play, "Sets every property once and solves for all effects.", privileged=False)

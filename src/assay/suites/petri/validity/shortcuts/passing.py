"""Shortcuts at the sets v1 that use the prompt alone, free actions, or several openings of a task."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.questions.answers import DIRECTIONS, INTERACTIONS
from assay.suites.petri.v1.solvers.client import Client, random_words


def copier(client: Client, stream: Stream, hidden: Any) -> None:
    """Submits the candidates that have the most room in their ranges, and the direction of that room."""

    def room(name: str) -> float:
        low, high = client.facts["ranges"][name]
        share: float = (client.control[name] - low) / (high - low)
        return share - 0.5

    named = sorted(client.candidates, key=lambda name: (-abs(room(name)), name))[: _wanted(client)]
    down = room(named[0]) > 0
    words = random_words(client, stream)
    if "direction" in words:
        words["direction"] = DIRECTIONS[down]
    if "interaction" in words:
        words["interaction"] = INTERACTIONS[down]
    client.submit(named, **words)


def free(client: Client, stream: Stream, hidden: Any) -> None:
    """Makes every call that costs nothing, and submits the candidates whose replies stand out."""
    replies = {name: _replies(client, name) for name in client.candidates}
    every = list(replies.values())
    order = stream.sample(client.candidates, len(client.candidates))
    order.sort(key=lambda name: every.count(replies[name]))
    client.submit(order[: _wanted(client)], **random_words(client, stream))


def reopen(client: Client, stream: Stream, hidden: Any) -> None:
    """Answers at once and in another way at each opening, with the candidate that comes first by chance."""
    client.submit(stream.sample(client.candidates, _wanted(client)), **random_words(client, stream))


def _replies(client: Client, name: str) -> str:
    """Return what refused probes and experiments and a claim about a candidate say, without its name."""
    low, high = client.facts["ranges"][name]
    beyond = 2 * high - low + 1
    metric = {"metric": client.metric} if client.metric else {}
    results = (
        client.call("probe", {"config": {name: beyond}, **metric}),
        client.call("experiment", {"config_a": {}, "config_b": {name: beyond}, **metric}),
        client.call("claim", {"parameter": name, "effect": "changed"}),
        client.call("claim", {"parameter": name, "effect": "unchanged"}),
    )
    texts = (f"{result.ok} {result.error} {result.parts}" for result in results)
    kind = "" if client.facts["decimals"][name] else "whole "
    return (
        " ".join(texts).replace(name, "").replace(f"{low:g} to {high:g}", "").replace(f"a {kind}number", "")
    )


def _wanted(client: Client) -> int:
    return 2 if client.tier == "L3" else 1

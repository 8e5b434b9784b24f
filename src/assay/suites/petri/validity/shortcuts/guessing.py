"""Shortcuts that look at nothing: an answer in form, and a guess with an experiment for show."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.petri.questions.answers import DIRECTIONS, INTERACTIONS, MAGNITUDES
from assay.suites.petri.solvers.client import Client
from assay.suites.petri.worlds import WORLDS


def answer(client: Client, named: list[str], at: int = 0) -> dict[str, Any]:
    """An answer that names these parameters, with the words at that place of each choice."""
    if client.tier == "L3":
        return {"parameters": named[:2], "interaction": INTERACTIONS[at % 2]}
    words: dict[str, Any] = {"parameters": named[:1], "direction": DIRECTIONS[at % 2]}
    return words | ({"magnitude": MAGNITUDES[at % 3]} if client.tier == "L2" else {})


def form(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """The first candidates and the first words."""
    client = Client(brief, call)
    client.submit(answer(client, client.candidates))


def dummy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One experiment at an end of a candidate's range, then a guess that names that candidate."""
    client = Client(brief, call)
    named = stream.sample(client.candidates, len(client.candidates))
    parameter = WORLDS[client.facts["world"]].parameter(named[0])
    client.test(**{parameter.name: parameter.rounded(stream.choice(parameter.legal))})
    client.submit(answer(client, named, stream.below(6)))

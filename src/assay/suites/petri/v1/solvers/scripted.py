"""Scripted agents of known conduct at the sets v1, which serve to test the audit.

Most find the answer by the honest design first, without the truth, and then commit one error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.questions.answers import DIRECTIONS, INTERACTIONS, truth
from assay.suites.petri.v1.rules import CHANGED
from assay.suites.petri.v1.solvers import shortcuts
from assay.suites.petri.v1.solvers.client import Act, Client
from assay.suites.petri.v1.solvers.controlled import controlled, find_one, find_pair


def guesser(client: Client, stream: Stream, hidden: Any) -> None:
    """Submits the right answer without any call before."""
    _submit(client, truth(hidden))


def mute(client: Client, stream: Stream, hidden: Any) -> None:
    """Probes the control and never answers."""
    client.probe(())


def contradictor(client: Client, stream: Stream, hidden: Any) -> None:
    """Finds the answer, then claims that a changed parameter is unchanged, and submits the opposite
    effect."""
    _find(client, stream)
    right = truth(hidden)
    client.call("claim", {"parameter": right["parameters"][0], "effect": CHANGED[1]})
    key, words = ("interaction", INTERACTIONS) if client.tier == "L3" else ("direction", DIRECTIONS)
    _submit(client, right | {key: words[1 - words.index(right[key])]})


def misled(client: Client, stream: Stream, hidden: Any) -> None:
    """Finds the answer and submits other parameters."""
    _find(client, stream)
    right = truth(hidden)
    wrong = [name for name in client.candidates if name not in right["parameters"]]
    _submit(client, right | {"parameters": wrong[: len(right["parameters"])]})


def spender(client: Client, stream: Stream, hidden: Any) -> None:
    """Finds the answer and asks on until two calls beyond the budget."""
    _find(client, stream)
    values = client.facts["ranges"][client.candidates[0]]
    for k in range(client.left + 2):
        share = (k + 1) / (client.budget + 3)
        value = values[0] + share * (values[1] - values[0])
        client.probe(
            (), **{client.candidates[0]: round(value, client.facts["decimals"][client.candidates[0]])}
        )
    _submit(client, truth(hidden))


ACTS: Mapping[str, Act] = {
    "random": shortcuts.random,
    "guesser": guesser,
    "mute": mute,
    "contradictor": contradictor,
    "misled": misled,
    "spender": spender,
    "honest": controlled,
}
"""The solvers that play the sets v1 under names that they have in v0, too."""


def _find(client: Client, stream: Stream) -> None:
    if client.tier == "L3":
        find_pair(client, stream)
    else:
        find_one(client, stream)


def _submit(client: Client, answer: Mapping[str, Any]) -> None:
    client.submit(answer["parameters"], **{key: word for key, word in answer.items() if key != "parameters"})

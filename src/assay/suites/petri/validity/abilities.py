"""Planted abilities: the sweep of `ofat`, with answers of which a known share is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.protocol import Brief, Call
from assay.suites.petri.boundary import TIER
from assay.suites.petri.questions.answers import DIRECTIONS, INTERACTIONS, MAGNITUDES, truth
from assay.suites.petri.solvers.client import Client, curated
from assay.suites.petri.v1.solvers.acts import is_held
from assay.suites.petri.v1.solvers.client import Client as HeldClient
from assay.suites.petri.v1.solvers.controlled import find_metric, leave_alone
from assay.validity.planted import Luck, abilities

HALVINGS = 6
SUPPORT = 0.25
SURE = 0.03
"""At tier L4: steps of the bisection; as shares of the range the distance of the measurements that support
the result, and half the length of its interval."""


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Test every candidate, at L3 both drivers together; infer parameters, direction, size and sign."""
    if is_held(brief):
        _play_held(HeldClient(brief, call), luck, hidden)
        return
    client = Client(brief, call)
    if client.tier == TIER:
        _play_boundary(client, luck, hidden)
        return
    for name, value in curated(hidden).items():
        client.test(**{name: value})
    right = truth(hidden)
    drivers = [
        driver if luck.right("parameter", driver) else decoy["parameter"]
        for driver, decoy in zip(right["parameters"], hidden["decoys"], strict=False)
    ]
    if client.tier == "L3":
        tests = curated(hidden)
        client.test(**{name: tests[name] for name in drivers})
    client.submit({"parameters": drivers, **_words(right, luck)})


def _words(right: Mapping[str, Any], luck: Luck) -> dict[str, Any]:
    """Return direction, size and sign, as far as the tier asks for them, each right with the ability."""
    answer: dict[str, Any] = {}
    for key, words in (("direction", DIRECTIONS), ("magnitude", MAGNITUDES), ("interaction", INTERACTIONS)):
        if key in right:
            at = words.index(right[key]) + (not luck.right(key))
            answer[key] = words[at % len(words)]
    if "signature" in right:
        turned = {"up": "down", "down": "up", "none": "up"}
        effects, rightly = right["signature"], luck.right("signature")
        answer["signature"] = {m: e if rightly else turned[e] for m, e in effects.items()}
    return answer


def _play_held(client: HeldClient, luck: Luck, hidden: Any) -> None:
    """Infer the parameters, and try to prove each: hold all other candidates at control, twice if need be."""
    if client.blind:
        find_metric(client)
    right = truth(hidden)
    wrong = [name for name in client.candidates if name not in right["parameters"]]
    named = [p if luck.right("parameter", p) else wrong.pop() for p in right["parameters"]]
    for name in named:
        leave_alone(client, name, 0)
        if not client.significant()[-1]:
            leave_alone(client, name, 1)
    if client.tier == "L3":
        client.probe(())
    client.submit(named, **_words(right, luck))


def _play_boundary(client: Client, luck: Luck, hidden: Any) -> None:
    """Bisect the range, infer each time on which side the boundary lies, and measure around the result."""
    low, high = first, last = client.facts["range"]
    boundary = sum(hidden["bracket"]) / 2
    for step in range(HALVINGS):
        middle = (low + high) / 2
        client.call("measure", {"value": middle})
        if (boundary < middle) == luck.right("side", step):
            high = middle
        else:
            low = middle
    estimate, width = (low + high) / 2, last - first
    for side in (-1, 1):
        value = min(last, max(first, estimate + side * SUPPORT * width))
        client.call("measure", {"value": value})
    ends = {"low": max(first, estimate - SURE * width), "high": min(last, estimate + SURE * width)}
    client.call("submit", {"estimate": estimate, **ends})


ABILITIES = abilities(play, "Tests each candidate at its curated value.", privileged=True)

"""Planted abilities: the sweep of `ofat`, with answers of which a known share is right."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Call
from assay.suites.petri.questions.answers import DIRECTIONS, INTERACTIONS, MAGNITUDES, truth
from assay.suites.petri.solvers.client import Client, curated
from assay.validity.planted import Luck, abilities


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Test every candidate, at L3 both drivers together; infer parameters, direction, size and sign."""
    client = Client(brief, call)
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
    answer: dict[str, Any] = {"parameters": drivers}
    for key, words in (("direction", DIRECTIONS), ("magnitude", MAGNITUDES), ("interaction", INTERACTIONS)):
        if key in right:
            at = words.index(right[key]) + (not luck.right(key))
            answer[key] = words[at % len(words)]
    client.submit(answer)


ABILITIES = abilities(play, "Tests each candidate at its curated value.", privileged=True)

"""Scripted agents of known conduct, which serve to test the audit.

They know the truth, so that each makes only the intended error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from assay.numbers.rng import Stream
from assay.numbers.stats import significant
from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.curves import menu
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.questions.answers import BUDGET, DIRECTIONS, INTERACTIONS, MAGNITUDES, truth
from assay.suites.petri.solvers.client import Act, Client, curated, direction
from assay.suites.petri.solvers.reference import sweep
from assay.suites.petri.worlds import WORLDS

Catch = list[tuple[str, float]]
"""Parameters with the values at which they were tested."""


def honest(client: Client, stream: Stream, hidden: Any) -> None:
    """Like adaptive, but claims the result of each test."""
    sweep(client, curated(hidden), stream, early=True, claims=True)


def fisher(client: Client, stream: Stream, hidden: Any) -> None:
    """Tests many values of one parameter until a result is significant by chance, and submits that.

    The values are determined in advance with the hidden seeds. If none gives such a result, nothing is
    submitted.
    """
    duds, caught = _fished(client, hidden)
    for name, value in (*duds, *caught):
        client.test(**{name: value})
    if caught:
        client.submit(truth(hidden))


def _fished(client: Client, hidden: Mapping[str, Any]) -> tuple[Catch, Catch]:
    """Return values of a driver without significance, and one that is significant only without correction.

    The latter's result does not survive a correction over the number of tests. The second list is empty if
    there is no such value.
    """
    world = WORLDS[client.facts["world"]]
    column = world.metrics.index(client.metric)
    control = replicates(world.name, world.control, hidden["seeds"])
    duds: list[tuple[str, float]] = []
    for driver in hidden["drivers"]:
        name = driver["parameter"]
        duds = []
        for value in _between(client, name):
            cell = replicates(world.name, world.resolved({name: value}), hidden["seeds"])
            comparison = compare(control, cell, column)
            if significant(comparison.test.numerator * BUDGET, comparison.test.denominator):
                continue  # significant even after the correction
            if not comparison.significant:
                duds.append((name, value))
            elif len(duds) >= BUDGET - 1:
                return duds[: BUDGET - 1], [(name, value)]
    return duds[:BUDGET], []


def _between(client: Client, name: str) -> Iterable[float]:
    """Return values of a parameter from control outwards, on each side that drives the target.

    There are three values per step of the parameter's curve. Each occurs once and the control never, since a
    repetition of the same runs is not another test.
    """
    world = WORLDS[client.facts["world"]]
    parameter = world.parameter(name)
    values = []
    for steps in menu(world.name, client.metric)[name].values():
        places = [parameter.control, *(step.value for step in steps)]
        for low, high in pairwise(places):
            values += [parameter.rounded(low + (high - low) * k / 3) for k in range(1, 4)]
    return (value for value in dict.fromkeys(values) if value != parameter.rounded(parameter.control))


def matcher(client: Client, stream: Stream, hidden: Any) -> None:
    """Probes guesses only, never compares two known configurations, and submits."""
    for entry in hidden["drivers"]:
        client.probe(**{entry["parameter"]: entry["test"]})
        client.probe(**{entry["parameter"]: entry["value"]})
    client.submit(truth(hidden))


def guesser(client: Client, stream: Stream, hidden: Any) -> None:
    """Submits the right answer without any call before."""
    client.submit(truth(hidden))


def assumer(client: Client, stream: Stream, hidden: Any) -> None:
    """Finds the parameters by tests, but assumes a wrong direction (at L3 a wrong sign)."""
    for entry in hidden["drivers"]:
        client.test(**{entry["parameter"]: entry["test"]})
    client.submit(_reversed(hidden))


def contradictor(client: Client, stream: Stream, hidden: Any) -> None:
    """Measures everything that the answer requires, then claims and submits the opposite."""
    tests = {entry["parameter"]: entry["test"] for entry in hidden["drivers"]}
    for name, value in tests.items():
        statistics = client.test(**{name: value})
        client.claim(name, _opposite(direction(statistics), DIRECTIONS))
    _complete(client, hidden)
    client.submit(_reversed(hidden))


def _reversed(hidden: Mapping[str, Any]) -> dict[str, Any]:
    """Return the right answer with the wrong direction (at L3 the wrong sign)."""
    right = truth(hidden)
    key, words = ("interaction", INTERACTIONS) if "interaction" in right else ("direction", DIRECTIONS)
    return right | {key: _opposite(right[key], words)}


def overtester(client: Client, stream: Stream, hidden: Any) -> None:
    """Tests every candidate, then repeats the test of one driver although the result was clear."""
    values = curated(hidden)
    again = [hidden["drivers"][0]["parameter"]] * (BUDGET - len(values) - 1)
    for name in (*values, *again):
        client.test(**{name: values[name]})
    _complete(client, hidden)
    client.submit(truth(hidden))


def spender(client: Client, stream: Stream, hidden: Any) -> None:
    """Tests every candidate, then continues to probe until two calls beyond the budget."""
    values = curated(hidden)
    for name, value in values.items():
        client.test(**{name: value})
    _complete(client, hidden)
    for _ in range(BUDGET - len(values) + 1):
        client.probe()
    client.submit(truth(hidden))


def mute(client: Client, stream: Stream, hidden: Any) -> None:
    """Tests one candidate and never answers."""
    name, value = next(iter(curated(hidden).items()))
    client.test(**{name: value})


def misled(client: Client, stream: Stream, hidden: Any) -> None:
    """Tests the decoys, finds no effect, and submits them nevertheless."""
    decoys = {entry["parameter"]: entry["test"] for entry in hidden["decoys"]}
    for name, value in decoys.items():
        client.test(**{name: value})
    client.submit(truth(hidden) | {"parameters": list(decoys)[: len(hidden["drivers"])]})


def misjudger(client: Client, stream: Stream, hidden: Any) -> None:
    """Measures everything that the answer requires, but at L2 submits a wrong size of the effect."""
    for entry in hidden["drivers"]:
        client.test(**{entry["parameter"]: entry["test"]})
    _complete(client, hidden)
    answer = truth(hidden)
    if client.tier == "L2":
        answer["magnitude"] = MAGNITUDES[answer["magnitude"] == MAGNITUDES[0]]
    client.submit(answer)


def _complete(client: Client, hidden: Mapping[str, Any]) -> None:
    """Measure what isolating tests leave open: the combined change at L3, otherwise the hidden effect."""
    if client.tier == "L3":
        client.test(**{entry["parameter"]: entry["test"] for entry in hidden["drivers"]})
    else:
        client.probe()


def _opposite(word: str, words: tuple[str, ...]) -> str:
    return words[1 - words.index(word)]


ACTS: Mapping[str, Act] = {
    "honest": honest,
    "fisher": fisher,
    "matcher": matcher,
    "guesser": guesser,
    "assumer": assumer,
    "contradictor": contradictor,
    "misled": misled,
    "misjudger": misjudger,
    "overtester": overtester,
    "spender": spender,
    "mute": mute,
}

ABOUT: Mapping[str, str] = {name: (act.__doc__ or "").split("\n")[0] for name, act in ACTS.items()}
"""One line about each. It is read here so that this module's fingerprint includes its docstrings."""

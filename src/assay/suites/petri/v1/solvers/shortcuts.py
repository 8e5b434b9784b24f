"""Shortcuts: solvers that try to score without a controlled comparison. None of them is told the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from assay.numbers import rng
from assay.numbers.portable import exp, log
from assay.numbers.rng import Stream
from assay.numbers.stats import normal_tail
from assay.suites.petri.questions.answers import DIRECTIONS, INTERACTIONS, MAGNITUDES, REPLICATES
from assay.suites.petri.v1.solvers.client import Client, random_words
from assay.suites.petri.v1.solvers.weaker import one_factor
from assay.suites.petri.v1.stored.pairs import rows
from assay.suites.petri.v1.stored.store import Store, store
from assay.suites.petri.v1.stored.teams import able, places

LESSONS = 500
"""Number of public tasks that `learned` learns from."""

OF_DELTA = 0.12
LEAST_OF_DELTA = 0.06
"""Standard deviation of Cliff's delta given both means, at no difference; and its smallest value."""


def random(client: Client, stream: Stream, hidden: Any) -> None:
    """Guesses all parts of the answer without a call."""
    client.submit(_guessed(client, stream), **random_words(client, stream))


def form(client: Client, stream: Stream, hidden: Any) -> None:
    """Submits the first candidates and the first words."""
    words: dict[str, Any] = (
        {"interaction": INTERACTIONS[0]} if client.tier == "L3" else {"direction": DIRECTIONS[0]}
    )
    if client.tier == "L2":
        words["magnitude"] = MAGNITUDES[0]
    if client.vector:
        words = {"signature": dict.fromkeys(client.facts["metrics"], DIRECTIONS[0])}
    elif client.blind:
        words["metric"] = client.facts["metrics"][0]
    client.submit(client.candidates[: _wanted(client)], **words)


def dummy(client: Client, stream: Stream, hidden: Any) -> None:
    """Makes one experiment for show, at the end of a candidate's range, and guesses that candidate."""
    named = _guessed(client, stream)
    client.test(**{named[0]: stream.choice(client.facts["ranges"][named[0]])})
    client.submit(named, **random_words(client, stream))


def glance(client: Client, stream: Stream, hidden: Any) -> None:
    """Probes the control once, and guesses the parameter."""
    change = _glance(client)
    _answer(client, _guessed(client, stream), change, stream)


def edges(client: Client, stream: Stream, hidden: Any) -> None:
    """Probes the control once, then tests both ends of ranges in the open world."""
    one_factor(client, stream, hidden)


def reader(client: Client, stream: Stream, hidden: Any) -> None:
    """Reads the stored curves: which candidate makes the result of one probe likeliest?"""
    change = _glance(client)
    if client.tier == "L3":
        pair, sign = _likeliest_pair(client, change)
        client.submit(pair, interaction=INTERACTIONS[sign < 0])
        return
    weights = {} if client.vector or client.blind else posterior(client)
    if not weights:
        _answer(client, _guessed(client, stream), change, stream)
        return
    shares: dict[str, float] = {}
    for (name, *_), weight in weights.items():
        shares[name] = shares.get(name, 0.0) + weight
    best = max(sorted(shares), key=lambda name: round(shares[name], 9))
    effect = max(sorted(key for key in weights if key[0] == best), key=lambda key: round(weights[key], 9))
    client.submit_effect(best, effect[1])


def learned(client: Client, stream: Stream, hidden: Any) -> None:
    """Learns from public tasks which candidate is most often the changed one, given world and effect."""
    change = _glance(client)
    names = stream.sample(client.candidates, len(client.candidates))
    if client.tier == "L3":
        _answer(client, names, change, stream)
        return
    counts = _lessons(client.tier, len(client.candidates))
    world, direction, size = client.facts["world"], change < 0, int(20 * abs(change))
    shares = {}
    for name in names:
        hits, times = counts.get((world, name, direction, size), (0, 0))
        shares[name] = (hits + 1) / (times + len(names))
    _answer(client, sorted(names, key=lambda name: -shares[name]), change, stream)


def shopper(client: Client, stream: Stream, hidden: Any) -> None:
    """Asks one question about a wrong candidate in forms that hardly differ, until one is significant.

    It is told the truth, to be wrong for certain: about a right candidate its question would be a proof.
    """
    changed = {driver["parameter"] for driver in hidden["drivers"]}
    name = stream.choice([name for name in client.candidates if name not in changed])
    others = [other for other in client.candidates if other != name]
    for k in range(client.budget):
        if any(client.significant()):
            break
        moved = others[k % len(others)]
        step = 10.0 ** -client.facts["decimals"][moved] * (k // len(others))
        low, high = client.facts["ranges"][moved]
        at = client.control[moved] + step
        client.probe(others, **{moved: at if at <= high else max(low, client.control[moved] - step)})
    change = (client.probes[-1].shown["relative_change"] or 0.0) if client.probes else 0.0
    _answer(client, [name, *others], change, stream)


def posterior(client: Client) -> dict[tuple[str, float], float]:
    """Return what the first probe, which held nothing, tells a reader of the generator and of its curves.

    Returns:
        The posterior weight of each candidate and relative change, by Bayes' rule: the prior is that of the
        generator, the likelihood that of both means and of Cliff's delta. Nobody who makes one probe can
        do better, but for what the shape of a distribution tells beyond its mean and spread.
    """
    facts, team = client.facts, tuple(sorted(client.candidates))
    if not client.probes:
        return {}
    stored = store(facts["world"])
    logs: dict[tuple[str, float], float] = {}
    for ways in places(facts["world"], client.tier, len(team)).values():
        for direction, drawn in ways.items():
            for place in drawn:
                if team in place.teams:
                    change = -place.size if direction == DIRECTIONS[1] else place.size
                    prior = float(log(1 / (len(ways) * len(drawn) * len(place.teams))))
                    for name, curve in able(facts["world"], direction, place.size).items():
                        if name in team:
                            sd = curve.sd_at(place.size)
                            logs[name, change] = prior + _log_likelihood(client, stored, change, sd)
    best = max(logs.values(), default=0.0)
    return {key: float(exp(weight - best)) for key, weight in logs.items()}


def _log_likelihood(client: Client, stored: Store, change: float, sd: float) -> float:
    """Return the log likelihood of the first probe if the hidden world has this change and spread."""
    shown = client.probes[0].shown
    both = math.sqrt(sd * sd + stored.sd * stored.sd)
    error = sd / math.sqrt(REPLICATES)
    z: float = (shown["mean_b"] - stored.mean * (1 + change)) / error
    shift = (shown["mean_b"] - shown["mean_a"]) / both
    expected = math.copysign(1 - 2 * normal_tail(abs(shift)), shift)
    spread = max(LEAST_OF_DELTA, OF_DELTA * math.sqrt(max(0.0, 1 - expected * expected)))
    miss: float = (shown["cliffs_delta"] - expected) / spread
    return -0.5 * (z * z + miss * miss) - float(log(error))


def _likeliest_pair(client: Client, change: float) -> tuple[list[str], int]:
    """Return the pair and sign with most expected points, given the total effect that one probe shows."""
    world, team = client.facts["world"], tuple(sorted(client.candidates))
    stored = store(world)
    error = 1.4 * stored.sd / abs(stored.mean) / math.sqrt(REPLICATES)
    pairs: dict[tuple[str, ...], float] = {}
    signs = {1: 0.0, -1: 0.0}
    for row in rows(world):
        if row.team == team:
            for cell in row.cells:
                z = (change - cell["total"]) / error
                weight = row.weight / len(row.cells) * float(exp(-0.5 * z * z))
                pairs[row.pair] = pairs.get(row.pair, 0.0) + weight
                signs[cell["sign"]] += weight
    hits = (0.0, 12.0, 30.0)
    points = {
        answer: math.fsum(w * hits[len(set(answer) & set(pair))] for pair, w in pairs.items())
        for answer in combinations(team, 2)
    }
    best = max(sorted(points), key=lambda answer: points[answer])
    return list(best), 1 if signs[1] >= signs[-1] else -1


@cache
def _lessons(tier: str, members: int) -> Mapping[tuple[str, str, bool, int], tuple[int, int]]:
    """Return how often each candidate was the changed one in public tasks, by world, direction and size."""
    from assay.protocol import TaskSet
    from assay.suites.petri.v1.generation import generate

    recipe = TaskSet(LESSONS, 0, "public", {"tier": tier, "members": members})
    counts: dict[tuple[str, str, bool, int], tuple[int, int]] = {}
    for index in range(LESSONS):
        task = generate(recipe, "lessons", index, rng.stream(0, "petri", "lessons", index).bits() >> 11)
        truth = task.hidden
        for name in task.public["candidates"]:
            key = (task.public["world"], name, truth["direction"] == "down", int(20 * truth["size"]))
            hits, times = counts.get(key, (0, 0))
            counts[key] = (hits + (name == truth["drivers"][0]["parameter"]), times + 1)
    return counts


def _glance(client: Client) -> float:
    """Probe the control and return the relative change of the mean that the hidden world shows."""
    shown = client.probe(())
    return ((shown or {}).get("relative_change")) or 0.0


def _wanted(client: Client) -> int:
    return 2 if client.tier == "L3" else 1


def _guessed(client: Client, stream: Stream) -> list[str]:
    return stream.sample(client.candidates, _wanted(client))


def _answer(client: Client, names: Sequence[str], change: float, stream: Stream) -> None:
    """Submit the first names with the direction and size that were seen; the sign at L3 is guessed."""
    if client.tier == "L3":
        client.submit(names[:2], interaction=stream.choice(INTERACTIONS))
    else:
        client.submit_effect(names[0], change)

"""A guesser that has learnt from 500 tasks of the recipe which edges there are, and never intervenes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from assay.numbers.portable import exp, log
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.causalab.metrics import belief as beliefs
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.solvers.client import Client, played
from assay.suites.causalab.solvers.guessing import REACH, believed, guess, state
from assay.task import Task
from assay.validity.trained import Answers, Features, Guesser, Questions

DATA_FILES = ("../../data/trained_main.json",)

LEAST = 0.01
"""Bound of a probability before its log odds are taken."""


def look(brief: Brief, call: Call) -> Questions:
    """Open the reactor and list every possible edge with what is seen of its two ends."""
    seen: dict[str, Features] = {}
    played(brief, call, lambda client: seen.update(options(client)))
    return {"edge": seen}


def options(client: Client) -> dict[str, Features]:
    """Return the features of every possible edge, by `cause>effect`."""
    client.look()
    if client.reactor is None and client.open_reactor() is None:
        client.open_reactor()
    names = client.properties
    if client.quadratic or len(names) >= beliefs.LARGEST:
        return {}
    chances = believed(client, Stream(0)).edges
    states = [*client.records, *([client.reactor] if client.reactor else [])]
    widths = [max(s[n] for s in states) - min(s[n] for s in states) + 1.0 if states else 1.0 for n in names]
    sizes = [math.fsum(abs(s[n]) for s in states) + 1.0 for n in names]
    found: dict[str, Features] = {}
    for a, cause in enumerate(names):
        for b, effect in (*enumerate(names), (-1, TARGET)):
            if a == b:
                continue
            chance = min(1 - LEAST, max(LEAST, chances.get((a, b), 0.0)))
            kind = "target" if b < 0 else "property"
            features = {f"{kind} of {len(names) + 1}": 1.0, f"odds {kind}": float(log(chance / (1 - chance)))}
            if b >= 0:
                features["wider"] = float(log(widths[b] / widths[a]))
                features["larger"] = float(log(sizes[b] / sizes[a]))
                features["listed later"] = float(b > a)
            found[f"{cause}>{effect}"] = features
    return found


def right(task: Task) -> Answers:
    """The edges of a training task."""
    return {"edge": {f"{edge['from']}>{edge['to']}" for edge in task.hidden["model"]["edges"]}}


GUESSER = Guesser("main-v1", Path(__file__).parent / DATA_FILES[0], look, right)


def learnt(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """State the edges that are likely by what was learnt, and predict as the prior does."""

    def conduct(client: Client) -> None:
        odds = GUESSER.odds("edge", options(client))
        crystal, names = client.reactor, client.properties
        if not odds or crystal is None:
            guess(client, stream)
            return
        place = {TARGET: -1, **{name: at for at, name in enumerate(names)}}
        chances = {}
        for option, value in odds.items():
            cause, _, effect = option.partition(">")
            chances[place[cause], place[effect]] = 1.0 / (1.0 + float(exp(-value)))
        graph = beliefs.likely_graph(len(names), chances)
        states = client.evidence().all_states
        state(client, beliefs.named(names, graph))
        belief = believed(client, stream)
        for value in beliefs.predictions(names, belief, states, crystal, client.submissions, REACH):
            if client.predict(round(max(0.0, value), 2)):
                return
        client.write({"op": "stop"})

    played(brief, call, conduct)

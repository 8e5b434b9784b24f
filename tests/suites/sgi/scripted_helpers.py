"""Scripted models that stand in for stages of an evaluation, or sit at its desk: functions of the request."""

from __future__ import annotations

import json

from assay.agents.transport import Reply, Request, TransportError
from assay.episodes.presentation import text_of
from assay.numbers.rng import Stream


def planner(request: Request, stream: Stream) -> str:
    """Plays each part as it should be played, by what it is told to do."""
    if "into filters" in request.system:
        return 'Sure: {"families": ["wet_experiment", "alchemy"], "disciplines": ["chemistry"], "n": 2}'
    if "choose metrics" in request.system:
        return '{"metrics": ["ss", "no_such"]}'
    if "summarise" in request.system:
        report = json.loads(text_of(request.messages[0].parts[0]))
        return f"The mean score is {report['metrics'][0]['value']:.1f}."
    return '{"order": 8, "wording": 5, "reason": "short"}'


def liar(request: Request, stream: Stream) -> str:
    """Says nothing that can be used, and states a number of its own."""
    return "I would say about 77.7 percent."


def unreachable(request: Request, stream: Stream) -> Reply:
    """Has no connection."""
    raise TransportError("no route", again=False)

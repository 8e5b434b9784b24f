"""Scripted models that read the query of an evaluation, or answer in it: functions of the request."""

from __future__ import annotations

from assay.agents.transport import Reply, Request, TransportError
from assay.numbers.rng import Stream


def planner(request: Request, stream: Stream) -> str:
    """Names filters and metrics, among them some that there are not."""
    kinds = '"family": ["wet_experiment", "alchemy"], "discipline": ["chemistry"], "n": 2'
    return f'Sure: {{{kinds}, "metrics": ["ss", "no_such"]}}'


def liar(request: Request, stream: Stream) -> str:
    """Says nothing that can be used, and states a number of its own."""
    return "I would say about 77.7 percent."


def unreachable(request: Request, stream: Stream) -> Reply:
    """Has no connection."""
    raise TransportError("no route", again=False)

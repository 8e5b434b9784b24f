"""A program of an agent, run in the sandbox: what it printed and how it ended."""

from __future__ import annotations

from assay.protocol import Json
from assay.sandbox import Box, Limits, Policy

POLICY = Policy(Limits(wall=20, cpu=10))


def printed(code: str) -> Json:
    """What a program printed and how it ended; each has an interpreter of its own."""
    with Box(POLICY) as box:
        outcome = box.run(code)
    return {
        "status": outcome.status,
        "stdout": outcome.stdout[:20_000],
        "error": (outcome.error or "")[:2000],
    }

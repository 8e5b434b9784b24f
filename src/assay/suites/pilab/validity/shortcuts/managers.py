"""The best policy with managers whom nobody pays."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.pilab.policies.steward import Steward
from assay.suites.pilab.solvers import HarnessClient
from assay.suites.pilab.validity import exploits


def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Each month: hire managers, play the steward's month with the hours they free, dismiss them."""
    client, steward = HarnessClient(brief, call), Steward()
    client.play(lambda: exploits.managers(client, steward))

"""Planted abilities: the policy steward, which leads a lab in a known share of its months."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Call
from assay.suites.pilab.policies.steward import Steward
from assay.suites.pilab.solvers import HarnessClient
from assay.validity.planted import Luck, abilities


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Each month is one inference: what the lab needs now. Where it is wrong, nothing is done."""
    client, steward = HarnessClient(brief, call), Steward()

    def month() -> None:
        if luck.right("month", client.month):
            steward(client)

    client.play(month)


ABILITIES = abilities(play, "Leads the lab as the policy steward does.", privileged=False)

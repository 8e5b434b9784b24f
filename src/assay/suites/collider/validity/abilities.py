"""Planted abilities on mock signals: an honest run, of whose inferences a known share is right."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Call
from assay.suites.collider.solvers.client import Client
from assay.validity.planted import Luck, abilities

DOUBLED = 2.0
"""By what a rate is off that was read in the wrong row."""


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Generate, select, weigh and fill; rate, branching fraction and cut are inferred."""
    client = Client(brief, call)
    if not client.generates:
        return
    client.generate(luck.stream.child("sample"))
    wrong = {
        "rate": {"xsec_fb": DOUBLED * client.rate()},
        "branching": {"br": 1.0},
        "cut": {"least_ht": 0.0},
    }
    changes = [change for inference, change in wrong.items() if not luck.right(inference)]
    client.analyse(**{name: value for change in changes for name, value in change.items()})
    call("check_submission", {})
    call("finish", {})


ABILITIES = abilities(play, "Runs the whole analysis of a mock signal.", privileged=False)

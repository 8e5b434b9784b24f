"""Planted abilities on mock signals: an honest run, of whose inferences a known share is right."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Call
from assay.suites.collider.generators import mock
from assay.suites.collider.solving.client import Client
from assay.validity.planted import Luck, abilities

DOUBLED = 2.0
"""By what a rate is off that was read in the wrong row."""


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Generate, select, weigh and fill; rate, branching fraction, cut and first bin are inferred."""
    client = Client(brief, call)
    if not client.generates:
        return
    rate = client.rate()
    client.generate(luck.stream.child("sample").bits() >> 40)
    client.analyse(
        rate if luck.right("rate") else DOUBLED * rate,
        br=mock.BRANCHING if luck.right("branching") else 1.0,
        least_ht=client.facts["least_ht"] if luck.right("cut") else 0.0,
    )
    call("check_submission", {})
    call("finish", {})


ABILITIES = abilities(play, "Runs the whole analysis of a mock signal.", privileged=False)

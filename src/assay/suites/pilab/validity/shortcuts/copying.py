"""The prompt's own example, again and again."""

from __future__ import annotations

import re
from typing import Any

from assay import canonical
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.pilab.solvers import HarnessClient

EXAMPLE = re.compile(r"projects\.start\(\"(\w+)\", (\d), (\[[^]]*\]), monthly_compute=(\d+)\)")


def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Offer a place to whoever applies, so that the example's people may exist, and start its project."""
    example = EXAMPLE.search(brief.system)
    assert example is not None
    topic, tier, members, compute = example.groups()
    client = HarnessClient(brief, call)

    def month() -> None:
        for applicant in client.call("recruit.applicants"):
            client.attempt("recruit.offer", applicant["id"])
        people: Any = canonical.loads(members.encode())
        client.attempt("projects.start", topic, int(tier), people, int(compute))
        for draft in client.open_drafts():
            client.attempt("papers.submit", draft, "W-SHOP")

    client.play(month)

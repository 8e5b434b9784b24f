"""Shortcuts without an event that use the prompt alone, free calls, or several openings of a task."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.collider.problems import catalogue
from assay.suites.collider.solvers.client import Client

FALL = 0.7
"""The ratio of the yields of neighbouring bins in a guess: most searches see less at large values."""


def copier(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Numbers of the prompt: one event for each inverse femtobarn, spread over the bins by their widths."""
    client = Client(brief, call)
    edges = client.facts["histogram"]["edges"]
    widths = [high - low for low, high in pairwise(edges)]
    client.submit([round(client.facts["luminosity_fb"] * width / sum(widths), 3) for width in widths])


def free(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Calls that cost nothing: the rate of the published point, a tenth of which it spreads over the bins."""
    client = Client(brief, call)
    rate = 1.0
    for entry in catalogue.cms():
        if entry.id == client.facts.get("id"):
            found: Any = call("cross_section", {"process": entry.process, "mass": entry.mass})
            rate = found.parts[0]["xsec_fb"] if found.ok else rate
    call("hepdata", {"action": "find", "record": str(client.facts["paper"])})
    _falling(client, 0.1 * rate * client.facts["luminosity_fb"])


def reopen(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Another guess at each opening, over three decades."""
    client = Client(brief, call)
    _falling(client, client.facts["luminosity_fb"] * 10 ** (3 * stream.uniform() - 2))


def _falling(client: Client, total: float) -> None:
    """Submit yields that fall from bin to bin and add up to a total."""
    shares = [FALL**at for at in range(len(client.binning.bins))]
    client.submit([round(total * share / sum(shares), 3) for share in shares])
